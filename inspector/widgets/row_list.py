"""A list that draws only the lines on screen; a million rows cost what ten cost."""

from __future__ import annotations

from typing import Any, ClassVar, Generic

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.commands import bindings
from inspector.line import Line
from inspector.palette import Palette
from inspector.widgets.rows import ListRows, Row, Rows


class RowList(ScrollView, Generic[Row], can_focus=True):
    """One line a row, a cursor, an optional header that stays.

    Override `draw_row` (and `draw_header`, `is_heading`, `heading_above` where wanted).
    """

    BINDINGS = bindings("list")
    DEFAULT_CSS = """
    RowList {
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
    OPENS: ClassVar[bool] = True
    """Enter and a second click ask for the row under the cursor."""

    cursor = reactive(0, repaint=False)
    empty = reactive("")
    """What stands in place of the rows when there are none."""

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, row_list: RowList[Any], index: int) -> None:
            self.row_list = row_list
            self.index = index
            super().__init__()

        @property
        def control(self) -> RowList[Any]:
            """The list it happened in."""
            return self.row_list

    class Scrolled(Moved):
        """Other rows are in sight; `index` is the first of them."""

    class Opened(Moved):
        """The user asks for what is under the cursor."""

    class HeaderClicked(Moved):
        """A click on the header; `index` is the column of cells."""

    def __init__(self, rows: Rows[Row] | None = None, *, empty: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: Rows[Row] = rows if rows is not None else ListRows(())
        self.set_reactive(RowList.empty, empty)

    # What a subclass says about its rows.

    def draw_row(self, row: Row, index: int, width: int) -> Line:
        """One row as a line; drawn again whenever it comes into sight."""
        return Line().add(str(row))

    def draw_header(self, width: int) -> list[Line]:
        """The `HEADER_LINES` lines that stay above the rows."""
        return []

    def is_heading(self, index: int) -> bool:
        """Whether the cursor passes over this row."""
        return False

    def heading_above(self, index: int) -> int | None:
        """The heading a row stands under; it stays in sight while its rows scroll."""
        return None

    # Rows and cursor.

    @property
    def rows(self) -> Rows[Row]:
        """Where the rows come from."""
        return self._rows

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self._rows.row(self.cursor)

    @property
    def in_sight(self) -> range:
        """Indexes of the rows in sight."""
        first = self.scroll_offset.y
        return range(first, min(self._rows.count, first + self._lines))

    @property
    def palette(self) -> Palette:
        """Styles of the theme in force."""
        return Palette.of(self.app)

    @property
    def row_width(self) -> int:
        """Cells a row has."""
        return self.scrollable_content_region.width

    def show(self, rows: Rows[Row], *, cursor: int | None = None) -> None:
        """Draw other rows; the cursor stays at its index unless told otherwise."""
        self._rows = rows
        self._resize_virtual()
        place = self.cursor if cursor is None else cursor
        self.cursor = place
        self.call_after_refresh(self._keep_in_sight)
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, self._rows.count - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw two lines, scroll when needed, tell the others."""
        self._refresh_row(old)
        self._refresh_row(new)
        self._keep_in_sight()
        self.post_message(self.Moved(self, new))

    # Actions.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A list that opens nothing offers no key for it."""
        return self.OPENS if action == "open" else True

    def action_move(self, step: int) -> None:
        """Move the cursor, over headings."""
        place = self.cursor + step
        while 0 <= place < self._rows.count and self.is_heading(place):
            place += 1 if step > 0 else -1
        if 0 <= place < self._rows.count:
            self.cursor = place

    def action_page(self, step: int) -> None:
        """Move by what is in sight."""
        self._land(self.cursor + step * max(1, self._lines - 1), step)

    def action_top(self) -> None:
        """First row."""
        self._land(0, 1)

    def action_bottom(self) -> None:
        """Last row."""
        self._land(self._rows.count - 1, -1)

    def action_open(self) -> None:
        """Ask for what is under the cursor."""
        if self.OPENS and self.current is not None:
            self.post_message(self.Opened(self, self.cursor))

    def _land(self, place: int, step: int) -> None:
        place = max(0, min(place, self._rows.count - 1))
        while self.is_heading(place) and 0 <= place + step < self._rows.count:
            place += 1 if step > 0 else -1
        self.cursor = place

    # Drawing.

    def render_line(self, y: int) -> Strip:
        """One line of the widget: header, heading that stays, row, or nothing."""
        width = self.row_width
        if y < self.HEADER_LINES:
            header = self.draw_header(width)
            return self._finish(header[y] if y < len(header) else Line(), width)
        if not self._rows.count:
            return self._finish(self._empty_line(y - self.HEADER_LINES), width)
        first = self.scroll_offset.y
        index = first + y - self.HEADER_LINES
        if y == self.HEADER_LINES and (heading := self.heading_above(index)) is not None:
            index = heading
        return self._row_strip(index, width)

    def _row_strip(self, index: int, width: int) -> Strip:
        row = self._rows.row(index)
        if row is None:
            waiting = index < self._rows.count
            return self._finish(Line().add("  ⋯" if waiting else "", self.palette.style("ink-faint")), width)
        line = self.draw_row(row, index, width)
        return line.strip(width, self._cursor_style()) if index == self.cursor else self._finish(line, width)

    def _cursor_style(self) -> Style:
        """A ground of its own; without colours reversed, and only bold while another pane has the keys."""
        style = self.rich_style + Style(bold=True)
        if not self.has_focus:
            return style
        return style + (Style(reverse=True) if self.app.no_color else self.palette.fill("cursor"))

    def _finish(self, line: Line, width: int) -> Strip:
        return line.strip(width, self.rich_style)

    def _empty_line(self, y: int) -> Line:
        return Line().gap(2).add(self.empty if y == 1 else "", self.palette.style("ink-muted"))

    # Geometry.

    @property
    def _lines(self) -> int:
        return max(1, self.scrollable_content_region.height - self.HEADER_LINES)

    def _resize_virtual(self) -> None:
        self.virtual_size = Size(self.row_width, self._rows.count + self.HEADER_LINES)

    def _refresh_row(self, index: int) -> None:
        self.refresh_line(index + self.HEADER_LINES)

    def _keep_in_sight(self) -> None:
        top = self.scroll_offset.y
        covered = 1 if self.heading_above(self.cursor) is not None else 0
        if self.cursor < top + covered:
            self.scroll_to(y=self.cursor - covered, animate=False)
        elif self.cursor >= top + self._lines:
            self.scroll_to(y=self.cursor - self._lines + 1, animate=False)

    # Events.

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say that other rows came into sight."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled(self, round(new_value)))

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self._resize_virtual()
        self.call_after_refresh(self._keep_in_sight)

    def on_focus(self) -> None:
        """Show the cursor as the one that has the keys."""
        self._refresh_row(self.cursor)

    def on_blur(self) -> None:
        """Show the cursor as resting."""
        self._refresh_row(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; a click on the cursor opens."""
        if event.y < self.HEADER_LINES:
            self.post_message(self.HeaderClicked(self, event.x))
            return
        index = self.scroll_offset.y + event.y - self.HEADER_LINES
        if index >= self._rows.count or self.is_heading(index):
            return
        if index == self.cursor:
            self.action_open()
        self.cursor = index
