"""A scrolling widget that draws only the lines on screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic

from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.terminal.line import Line, Palette
from inspector.terminal.text import clean_line
from inspector.terminal.wrap import broken
from inspector.widgets.lists.rows import Row, Rows

_DRAWN = 1_000
"""Most drawn rows to remember: a few screens full."""


class ListRows(Generic[Row]):
    """Rows that are already in memory."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self.rows = rows

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def row(self, index: int) -> Row | None:
        """One row; None outside the list."""
        return self.rows[index] if 0 <= index < len(self.rows) else None


class LineView(ScrollView, Generic[Row]):
    """One row per line, with an optional fixed header and headings that stay while their rows scroll.

    Override `draw_row`, and `draw_header`, `heading_above` or `ground` if needed.
    """

    DEFAULT_CSS = """
    LineView {
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
    HEADER_LINES: ClassVar[int] = 0
    """Lines above the rows that do not scroll."""

    empty = reactive("")
    """Shown instead of rows if there are none."""

    def __init__(self, rows: Rows[Row] | None = None, *, empty: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Rows[Row] = rows if rows is not None else ListRows(())
        self.set_reactive(LineView.empty, empty)
        self.under = Style()
        self.drawn: dict[int, Row | None] = {}
        """Rows as last drawn, including those on screen."""

    # Overridden by subclasses.

    def draw_row(self, row: Row, index: int, width: int) -> Line:
        """Draw a row as a line; called whenever the row comes into view."""
        return Line().add(str(row))

    def draw_header(self, width: int) -> list[Line]:
        """The `HEADER_LINES` fixed lines above the rows."""
        return []

    def heading_above(self, index: int) -> int | None:
        """The index of the heading above a row; it stays in view while its rows scroll."""
        return None

    def ground(self, index: int) -> Style:
        """The style below a row's own styles."""
        return self.under

    # Rows.

    @property
    def in_sight(self) -> range:
        """Indexes of the rows on screen."""
        first = self.scroll_offset.y
        return range(first, min(self.rows.count, first + self.lines))

    @property
    def palette(self) -> Palette:
        """Styles of the current theme."""
        return Palette.of(self.app)

    @property
    def row_width(self) -> int:
        """Width of a row in cells."""
        return self.scrollable_content_region.width

    @property
    def lines(self) -> int:
        """Lines available for rows."""
        return max(1, self.scrollable_content_region.height - self.HEADER_LINES)

    def refresh_row(self, index: int) -> None:
        """Redraw one row."""
        self.refresh_line(index + self.HEADER_LINES)

    def fit_rows(self) -> None:
        """Adapt to the current number of rows and width.

        If there were and still are more rows than fit, only the scroll bar changes; laying out the screen
        again would take longer than drawing the rows.
        """
        before, size = self.virtual_size, Size(self.row_width, self.rows.count + self.HEADER_LINES)
        if min(before.height, size.height) > self.size.height > 0:
            self.set_reactive(LineView.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height
        else:
            self.virtual_size = size

    # Drawing.

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines of the widget; the style below them is looked up once for all."""
        self.under = self.rich_style
        if len(self.drawn) > _DRAWN:
            self.drawn.clear()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the widget: header, fixed heading, row, or nothing."""
        width = self.row_width
        if y < self.HEADER_LINES:
            header = self.draw_header(width)
            return (header[y] if y < len(header) else Line()).strip(width, self.under)
        if not self.rows.count:
            words = _words_at(self.empty, y - self.HEADER_LINES - 1, width - 4)
            return Line().gap(2).add(words, self.palette.style("ink-muted")).strip(width, self.under)
        index = self.scroll_offset.y + y - self.HEADER_LINES
        if y == self.HEADER_LINES and (heading := self.heading_above(index)) is not None:
            index = heading
        return self.row_strip(index, width)

    def row_strip(self, index: int, width: int) -> Strip:
        """A row as it is drawn on screen."""
        row = self.drawn[index] = self.rows.row(index)
        if row is not None:
            return self.draw_row(row, index, width).strip(width, self.ground(index))
        waiting = "⋯" if index < self.rows.count else ""
        return Line().gap(2).add(waiting, self.palette.style("ink-faint")).strip(width, self.under)


def _words_at(words: str, place: int, width: int) -> str:
    """One line of the text shown instead of rows, wrapped to the width."""
    lines = [clean_line(line) for line in words.split("\n")]
    rows = [line[first:last] for line in lines for _, (first, last) in broken(line, max(8, width))]
    return rows[place] if 0 <= place < len(rows) else ""
