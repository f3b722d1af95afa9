"""The last line: the keys that work here, as many as fit."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from inspector.commands import key_name, table
from inspector.line import Line
from inspector.palette import Palette
from inspector.text import cell_len

ALWAYS = ("app.help", "app.quit")
GENERAL = ("workspace", "page", "app")
"""Scopes whose keys work in every view: where room is short, those of the view itself come first."""


class KeyBar(Widget):
    """Footer made from the table of commands; a click does what the key does."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $surface; }
    """
    NOTE = "read-only"

    def on_mount(self) -> None:
        """Follow the bindings in force."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, _screen: Screen[object]) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Keys on the left, the promise on the right."""
        width, ink = self.size.width, Palette.of(self.app)
        line = Line().gap(1)
        for binding in self._fitting(width):
            line.add(_shown(binding), ink.style("part-head", bold=True)).gap(1)
            line.add(binding.description, ink.style("ink-muted")).gap(3)
        if width - line.width > len(self.NOTE) + 1:
            line.to(width - len(self.NOTE) - 1).add(self.NOTE, ink.style("ink-faint"))
        return line.strip(width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Do what the key under the mouse does."""
        start = 1
        for binding in self._fitting(self.size.width):
            end = start + _cells(binding)
            if start <= event.x < end:
                self.app.simulate_key(binding.key)
            start = end

    def _fitting(self, width: int) -> list[Binding]:
        found = list(self._labelled())
        last = [binding for binding in found if binding.id in ALWAYS]
        room = width - 1 - sum(map(_cells, last))
        fitting = []
        for binding in found:
            if binding in last:
                continue
            room -= _cells(binding)
            if room < 0:
                break
            fitting.append(binding)
        return [*fitting, *last]

    def _labelled(self) -> Iterator[Binding]:
        order = {
            command.id: (command.scope in GENERAL, place)
            for place, command in enumerate(table())
            if command.label
        }
        active: dict[str, Binding] = {}
        for entry in self.screen.active_bindings.values():
            if entry.enabled and entry.binding.id in order:
                active.setdefault(entry.binding.id, entry.binding)
        return iter(sorted(active.values(), key=lambda binding: order[binding.id or ""]))


def _shown(binding: Binding) -> str:
    return binding.key_display or key_name(binding.key)


def _cells(binding: Binding) -> int:
    return cell_len(_shown(binding)) + 1 + cell_len(binding.description) + 3
