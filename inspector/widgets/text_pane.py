"""A pane of ready-made lines that scrolls; only the lines on screen are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.geometry import Size
from textual.message import Message as Event
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.commands import bindings
from inspector.line import Line
from inspector.palette import Palette

Draw = Callable[[int, Palette], Sequence[Line]]
"""Makes the lines for a width in cells; called again when the width or the theme changes."""


def _nothing(_width: int, _palette: Palette) -> Sequence[Line]:
    return ()


class TextPane(ScrollView, can_focus=True):
    """Lines of text, as tall as they are; scrolling is reported so that panes can be linked."""

    BINDINGS = bindings("pane")
    DEFAULT_CSS = """
    TextPane {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-color: $rule;
        scrollbar-background: $background;
        scrollbar-color-hover: $ink-faint;
        scrollbar-color-active: $ink-muted;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
    }
    """

    @dataclass
    class Scrolled(Event):
        """Another line is at the top."""

        pane: TextPane
        top: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw: Draw = _nothing
        self._lines: Sequence[Line] = ()
        self._drawn_for: tuple[int, str] | None = None

    def show(self, draw: Draw, *, keep_place: bool = False) -> None:
        """Draw something else, from its top unless the place is to be kept."""
        self._draw, self._drawn_for = draw, None
        self._lay_out()
        if not keep_place:
            self.scroll_to(y=0, animate=False)
        self.refresh()

    @property
    def lines(self) -> Sequence[Line]:
        """The lines as laid out now."""
        self._lay_out()
        return self._lines

    def render_line(self, y: int) -> Strip:
        """One line in sight."""
        lines, at, width = self.lines, self.scroll_offset.y + y, self.scrollable_content_region.width
        line = lines[at] if at < len(lines) else Line()
        return line.strip(width, self.rich_style)

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        self._lay_out()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell whoever is linked."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled(self, round(new_value)))

    def action_line(self, step: int) -> None:
        """Scroll by lines."""
        self.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by what is in sight."""
        self.scroll_relative(y=step * max(1, self.size.height - 1), animate=False)

    def action_top(self) -> None:
        """Scroll to the first line."""
        self.scroll_to(y=0, animate=False)

    def action_bottom(self) -> None:
        """Scroll to the last line."""
        self.scroll_to(y=self.max_scroll_y, animate=False)

    def _lay_out(self) -> None:
        wanted = (self.scrollable_content_region.width, self.app.theme)
        if wanted != self._drawn_for and wanted[0] > 0:
            self._drawn_for = wanted
            self._lines = self._draw(wanted[0], Palette.of(self.app))
            self.virtual_size = Size(wanted[0], len(self._lines))
