"""A list with a cursor whose rows are drawn only while they are on screen."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.style import Style
from textual import events, on
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.base.commands import bindings
from inspector.terminal.line import Line, recoloured
from inspector.widgets.lists.line_view import LineView
from inspector.widgets.lists.rows import Row, Rows


class RowList(LineView[Row], can_focus=True):
    """Rows with a cursor, keys and mouse. Override `is_heading` for rows that the cursor skips."""

    BINDINGS = bindings("list")
    OPENS: ClassVar[bool] = True
    """Whether Enter or a second click opens the row under the cursor."""

    cursor = reactive(0, repaint=False)
    _scrolled_away = False
    _lines_before = 0

    class Moved(Message):
        """The cursor moved to another row."""

        def __init__(self, row_list: RowList[Any], index: int) -> None:
            self.row_list = row_list
            self.index = index
            super().__init__()

        @property
        def control(self) -> RowList[Any]:
            """The list that sent it."""
            return self.row_list

    class Scrolled(Moved):
        """Other rows are on screen; `index` is the first of them."""

    class Opened(Moved):
        """The user opened the row under the cursor."""

    class HeaderClicked(Moved):
        """The user clicked the header; `index` is the column in cells."""

    def is_heading(self, index: int) -> bool:
        """Whether the cursor skips this row."""
        return False

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.rows.row(self.cursor)

    def show(self, rows: Rows[Row], *, cursor: int | None = None, again: bool = False) -> None:
        """Show other rows, or the same ones read `again`; the cursor keeps its index unless given.

        Rows read again stay where the user scrolled them, away from the cursor or not.
        """
        again = again and bool(rows.count and self.rows.count)
        self._scrolled_away = again and self.cursor not in self.in_sight
        self.rows = rows
        self.fit_rows()
        self.cursor = self.cursor if cursor is None else cursor
        if not self._scrolled_away:
            self.call_after_refresh(self.keep_in_sight)
        self._scrolled_away = False
        if not again:
            self.refresh()
            return
        top = self.scroll_offset.y
        for place in range(top, top + self.lines):
            if place == top or self.drawn.get(place, self) != rows.row(place):
                self.refresh_row(place)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, self.rows.count - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw the old and new row, scroll if needed, announce the move."""
        self.refresh_row(old)
        self.refresh_row(new)
        if not self._scrolled_away:
            self.keep_in_sight()
        self.post_message(self.Moved(self, new))

    def ground(self, index: int) -> Style:
        """The cursor's row has its own background; it is only bold while another pane has focus."""
        if index != self.cursor:
            return self.under
        style = self.under + Style(bold=True)
        return style + self.palette.fill("cursor") if self.has_focus else style

    def row_strip(self, index: int, width: int) -> Strip:
        """Draw a row; without colour the cursor is a reversed line of one shade."""
        strip = super().row_strip(index, width)
        if index == self.cursor and self.has_focus:  # screen readers read at the terminal's cursor
            down = self.HEADER_LINES + index - self.scroll_offset.y
            self.app.cursor_position = self.content_region.offset + Offset(0, down)
        if index != self.cursor or not self.has_focus:
            return strip
        if not self.app.no_color:  # in 16 colours, red is unreadable on the cursor's blue
            styles = map(self.palette.style, ("severity-critical", "cursor-critical"))
            return recoloured(strip, *styles)
        style = self.under + Style(bold=True, reverse=True)
        return Line().preformatted(strip.text, style).strip(width, style)

    def keep_in_sight(self) -> None:
        """Scroll just far enough to show the cursor."""
        top = self.scroll_offset.y
        covered = 1 if self.heading_above(self.cursor) is not None else 0
        if self.cursor < top + covered:
            self.scroll_to(y=self.cursor - covered, animate=False)
        elif self.cursor >= top + self.lines:
            self.scroll_to(y=self.cursor - self.lines + 1, animate=False)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the `open` key if the list opens nothing."""
        return self.OPENS if action == "open" else True

    def action_move(self, step: int) -> None:
        """Move the cursor, skipping headings."""
        place = self.cursor + step
        while 0 <= place < self.rows.count and self.is_heading(place):
            place += 1 if step > 0 else -1
        if 0 <= place < self.rows.count:
            self.cursor = place

    def action_page(self, step: int) -> None:
        """Move by one page."""
        self._land(self.cursor + step * max(1, self.lines - 1), step)

    def action_end(self, step: int) -> None:
        """Go to the first row for -1, to the last for 1."""
        self._land(self.rows.count - 1 if step > 0 else 0, -step)

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self.OPENS and self.current is not None:
            self.post_message(self.Opened(self, self.cursor))

    def _land(self, place: int, step: int) -> None:
        place = max(0, min(place, self.rows.count - 1))
        while self.is_heading(place) and 0 <= place + step < self.rows.count:
            place += 1 if step > 0 else -1
        self.cursor = place

    # Events.

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Announce that the list scrolled."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled(self, round(new_value)))

    def on_resize(self) -> None:
        """Fit the rows to the new width, keep a cursor in sight, announce that others may be on screen."""
        above, before = self.cursor - self.scroll_offset.y, self._lines_before
        self._lines_before = self.lines
        self.fit_rows()
        self.post_message(self.Scrolled(self, round(self.scroll_offset.y)))
        if not before or 0 <= above < before:
            self.call_after_refresh(self.keep_in_sight)

    @on(events.Focus)
    @on(events.Blur)
    def redraw_cursor(self) -> None:
        """Redraw the cursor as focused or unfocused."""
        self.refresh_row(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked row; a click on the cursor opens the row."""
        x, y = event.x - self.gutter.left, event.y - self.gutter.top
        if y < self.HEADER_LINES:
            self.post_message(self.HeaderClicked(self, x))
            return
        index = self.scroll_offset.y + y - self.HEADER_LINES
        if index >= self.rows.count or self.is_heading(index):
            return
        if index == self.cursor:
            self.action_open()
        self.cursor = index
