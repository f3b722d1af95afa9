"""The what-if bar: settings changed from the keyboard while the strip above follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.style import Style
from textual import events, on
from textual.geometry import Size
from textual.message import Message as Event
from textual.strip import Strip
from textual.widget import Widget

from core.preview.what_if import BAR_SETTINGS, BarSetting, WhatIf
from inspector.base.commands import bindings
from inspector.terminal.line import Line, Palette

TITLE = "what if"
RESTING = "← → change"
"""The hint while the messages have focus; with focus on the bar, the footer lists its keys."""
SPACED, TITLED = 118, 128
"""Widths from which the settings stand apart, and from which the bar has a title."""


class WhatIfBar(Widget, can_focus=True):
    """The settings, on as many lines as they need. It changes nothing; it announces the what-if values."""

    BINDINGS = bindings("what_if")
    DEFAULT_CSS = """
    WhatIfBar { height: auto; background: $surface; }
    WhatIfBar:focus { background: $panel; }
    """

    @dataclass
    class Changed(Event):
        """The user changed a what-if value."""

        state: WhatIf

    class TypingAsked(Event):
        """The user wants to type a value for the selected setting."""

    class Left(Event):
        """The user has finished with the bar."""

    _state: WhatIf | None = None

    @property
    def state(self) -> WhatIf | None:
        """The what-if values; None until the conversation is read."""
        return self._state

    def show(self, state: WhatIf | None) -> None:
        """Show a state without announcing it."""
        self._state = state
        self.refresh(layout=True)

    def action_turn(self, step: int) -> None:
        """Turn the selected setting."""
        if self._state is not None:
            self.become(self._state.turn(step))

    def action_select(self, step: int) -> None:
        """Select another setting."""
        if self._state is not None:
            self.become(self._state.select(step))

    def action_reset(self) -> None:
        """Reset every setting to its real value."""
        if self._state is not None:
            self.become(self._state.reset())

    def action_type(self) -> None:
        """Ask for a value by keyboard."""
        self.post_message(self.TypingAsked())

    def action_leave(self) -> None:
        """Give focus back to the messages."""
        self.post_message(self.Left())

    def supposing(self, key: str) -> None:
        """Select a setting by its key."""
        if self._state is not None:
            place = next(place for place, setting in enumerate(BAR_SETTINGS) if setting.key == key)
            self.become(replace(self._state, selected=place))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the settings need."""
        return max(1, len(self._rows(width)))

    def render_line(self, y: int) -> Strip:
        """The settings, the selected one between arrows."""
        palette, width = Palette.of(self.app), self.size.width
        line, rows = Line().gap(), self._rows(width)
        if self._state is None or width >= TITLED:
            line.add(TITLE, palette.style("ink-muted", bold=True)).gap(2)
        for setting, text in rows[y] if y < len(rows) else ():
            line.add(text, self._style(setting, palette)).gap(_gap(width))
        if y == len(rows) - 1 and not self.has_focus and width - line.width > len(RESTING) + 2:
            line.to(width - len(RESTING) - 1).add(RESTING, palette.style("ink-faint"))
        return line.strip(width, self.rich_style)

    @on(events.Focus)
    @on(events.Blur)
    def show_hint(self) -> None:
        """Redraw, because the hint depends on focus."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Select the setting under the pointer."""
        start = 1 if self.size.width < TITLED else len(TITLE) + 3
        rows = self._rows(self.size.width)
        for setting, text in rows[event.y] if event.y < len(rows) else ():
            if start <= event.x < start + len(text):
                self.supposing(setting.key)
            start += len(text) + _gap(self.size.width)

    def on_mouse_scroll_up(self) -> None:
        """The wheel turns the selected setting."""
        self.action_turn(1)

    def on_mouse_scroll_down(self) -> None:
        """The wheel turns the selected setting back."""
        self.action_turn(-1)

    def _rows(self, width: int) -> list[list[tuple[BarSetting, str]]]:
        """The settings and their texts, line by line."""
        rows: list[list[tuple[BarSetting, str]]] = []
        used = width
        for setting, text in self._texts():
            used += len(text) + _gap(width)
            if used > width:
                rows.append([])
                used = 1 + len(text) + _gap(width)
            rows[-1].append((setting, text))
        return rows

    def _texts(self) -> Iterator[tuple[BarSetting, str]]:
        """Each setting and its text; a changed one has a star."""
        state = self._state
        for setting in BAR_SETTINGS if state is not None else ():
            assert state is not None
            words = f"{setting.label} {state.shown(setting)}" + ("*" if state.differs(setting) else "")
            yield setting, f"‹{words}›" if setting is state.setting else f" {words} "

    def _style(self, setting: BarSetting, palette: Palette) -> Style:
        assert self._state is not None
        token = "match" if self._state.differs(setting) else "ink-muted"
        if setting is not self._state.setting:
            return palette.style(token)
        return palette.style("match" if self._state.differs(setting) else "ink", bold=True, on="cursor")

    def become(self, state: WhatIf | None) -> None:
        """Set a state and announce it, if it is new."""
        if state is not None and state != self._state:
            self._state = state
            self.refresh(layout=True)
            self.post_message(self.Changed(state))


def _gap(width: int) -> int:
    """Cells between two settings."""
    return 1 if width >= SPACED else 0
