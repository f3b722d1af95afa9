"""The top and bottom of a screen: its answer, coloured by severity, and a footer with the keys that work.

The footer shows as many keys as fit, and renames help to `more` if some do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from textual import events
from textual.binding import ActiveBinding, Binding
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from core.model.finding import NO_HEADLINE, Headline, Severity
from inspector.base.commands import key_name, table
from inspector.terminal.glyphs import SEVERITY, WELL
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len, clean, wrap

_MAX_LINES = 3
"""Most lines of the sentence; at 60 cells the longest one needs three."""
_MAX_FIX_LINES = 6
"""Most lines of the remedy, which may hold a command with a long path."""
_TOKEN = {
    None: "severity-ok",
    Severity.INFO: "severity-info",
    Severity.WARNING: "severity-warning",
    Severity.CRITICAL: "severity-critical",
}
HELP = "app.help"
ALWAYS = (HELP, "app.quit")
WAY_OUT = key_name("escape")
"""A key that the footer always shows, so that nobody has to look up how to go back."""

MORE = "more"
"""The footer's word for help when not every key fits."""

GAP, TIGHT = 3, 2
"""Cells between two keys, and the smaller gap if they would not all fit."""

TAKE = Binding("enter", "submit", "accept", key_display="enter", id="input.submit")
"""What Enter does in every input, which binds it itself."""

GENERAL = ("workspace", "page", "app")
"""Scopes whose keys work in every view; if space is short, the view's own keys come first."""


def measure_again(widget: Widget) -> None:
    """Lay the screen out again for a widget that needs another height.

    Textual keeps the height it measured if a layout was still to come, as while styles are first applied:
    so there is a second one.
    """
    widget.refresh(layout=True)
    widget.call_after_refresh(widget.refresh, layout=True)


class AnswerBar(Widget):
    """A severity sign and a sentence, with the remedy below; as high as its text needs."""

    DEFAULT_CSS = "AnswerBar { height: auto; min-height: 1; }"

    answer: reactive[Headline] = reactive(NO_HEADLINE)
    waiting: reactive[str] = reactive("")
    """Shown until the answer is known."""

    def __init__(self, waiting: str = "") -> None:
        super().__init__()
        self.waiting = waiting

    def watch_answer(self) -> None:
        """Lay the screen out again if the new text needs a different number of lines."""
        if self.display and max(1, len(self._texts(self.size.width))) != self.size.height:
            measure_again(self)

    watch_waiting = watch_answer

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines the text needs."""
        return max(1, len(self._texts(width)))

    def render_line(self, y: int) -> Strip:
        """One line of the answer."""
        ink = Palette.of(self.app)
        lines = list(self._lines(self.size.width, ink))
        return (lines[y] if y < len(lines) else Line()).strip(self.size.width, self.rich_style)

    @property
    def text(self) -> str:
        """Sentence and remedy, for the clipboard."""
        found = self.answer
        return f"{found.sentence}\n{found.helps}" if found.remedy else found.sentence

    def _texts(self, width: int) -> list[tuple[bool, str]]:
        """The lines, each with whether it belongs to the remedy."""
        room = max(10, width - 4)
        if not self.answer.sentence:
            return [(False, self.waiting)]
        said = list(wrap(clean(self.answer.sentence), room))[:_MAX_LINES]
        helps = list(wrap(clean(self.answer.helps), room))[:_MAX_FIX_LINES] if self.answer.remedy else []
        return [*((False, line) for line in said), *((True, line) for line in helps)]

    def _lines(self, width: int, ink: Palette) -> Iterator[Line]:
        severity = self.answer.severity
        loud = severity in (Severity.WARNING, Severity.CRITICAL)
        sign = SEVERITY[severity] if severity is not None else WELL
        for place, (helps, text) in enumerate(self._texts(width)):
            first = place == 0 and bool(self.answer.sentence)
            line = Line().gap(1).cell(sign if first else "", 2, ink.style(_TOKEN[severity], bold=True))
            if not self.answer.sentence:
                yield line.preformatted(text, ink.style("ink-muted"))
            elif helps:
                yield line.preformatted(text, ink.style("ink"))
            else:
                yield line.preformatted(text, ink.style(_TOKEN[severity] if loud else "ink", bold=True))


class KeyBar(Widget):
    """A footer built from the table of commands; clicking a key does what pressing it does."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $surface; }
    """
    NOTE = "read-only"

    def on_mount(self) -> None:
        """Redraw when the active bindings change."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, _screen: Screen[object]) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Keys on the left, `read-only` on the right."""
        width, ink = self.size.width, Palette.of(self.app)
        line = Line().gap(1)
        bindings, gap = self._fitting(width)
        for binding in bindings:
            line.add(_key_label(binding), ink.style("part-head", bold=True)).gap(1)
            line.add(binding.description, ink.style("ink-muted")).gap(gap)
        if width - line.width > len(self.NOTE) + 1:
            line.to(width - len(self.NOTE) - 1).add(self.NOTE, ink.style("ink-faint"))
        return line.strip(width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        start = 1
        bindings, gap = self._fitting(self.size.width)
        for binding in bindings:
            end = start + _cells(binding) + gap
            if start <= event.x < end:
                self.app.simulate_key(binding.key)
            start = end

    def _fitting(self, width: int) -> tuple[list[Binding], int]:
        """The keys to show and the gap between them: all with either gap, otherwise as many as fit."""
        found = sorted(self._labelled(), key=lambda binding: (_stays(binding), binding.id in ALWAYS))
        for gap in (GAP, TIGHT):
            if sum(_cells(binding) + gap for binding in found) <= width - 1 + gap:
                return found, gap
        return _as_many_as_fit(found, width - 1 + TIGHT), TIGHT

    def _labelled(self) -> Iterator[Binding]:
        """Keys with a label: the focused widget's first, then the view's, then those that work everywhere."""
        focused = self.screen.focused
        order = {command.id: place for place, command in enumerate(table()) if command.label}
        active: dict[str, ActiveBinding] = {}
        for entry in self.screen.active_bindings.values():
            name = entry.binding.id
            if not entry.enabled or name is None or name not in order:
                continue
            if focused is None or not _is_typed(entry.binding, focused):
                active.setdefault(name, entry)
        if isinstance(focused, Input):
            yield TAKE
        named = set[str]()
        for name in sorted(
            active, key=lambda one: (_general(one), active[one].node is not focused, order[one])
        ):
            binding = active[name].binding
            if _key_label(binding) not in named:  # a second command on this key still has its other keys
                yield binding
            named.add(_key_label(binding))


def _is_typed(binding: Binding, focused: Widget) -> bool:
    shown = _key_label(binding)
    return focused.check_consume_key(binding.key, shown if len(shown) == 1 else None)


def _stays(binding: Binding) -> bool:
    return binding.id in ALWAYS or _key_label(binding) == WAY_OUT


def _general(name: str) -> bool:
    return name.partition(".")[0] in GENERAL


def _as_many_as_fit(found: Sequence[Binding], room: int) -> list[Binding]:
    always = [replace(one, description=MORE) if one.id == HELP else one for one in found if _stays(one)]
    room -= sum(_cells(binding) + TIGHT for binding in always)
    fitting = []
    for binding in found:
        if not _stays(binding) and _cells(binding) + TIGHT <= room:
            fitting.append(binding)
            room -= _cells(binding) + TIGHT
    return [*fitting, *always]


def _key_label(binding: Binding) -> str:
    return binding.key_display or key_name(binding.key)


def _cells(binding: Binding) -> int:
    return cell_len(_key_label(binding)) + 1 + cell_len(binding.description)
