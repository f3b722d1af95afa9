"""The list of conversations, drawn."""

from __future__ import annotations

from datetime import datetime, timedelta

from textual.reactive import reactive, var

from inspector.screens.sessions.data.columns import ALL, GAP, SETS, Column, Sheet, column_sets, layout
from inspector.screens.sessions.data.order import Order
from inspector.screens.sessions.data.session_line import Extra, Key, SessionLine, State
from inspector.terminal import formatting as fmt
from inspector.terminal.glyphs import DOWN, UP
from inspector.terminal.line import Line
from inspector.terminal.text import cell_len
from inspector.widgets.lists.row_list import RowList

LIVE_FOR = timedelta(minutes=2)
"""A session that is still open counts as live this long after Hermes last wrote to it."""
PAD = 1
"""Cells between the last figure and the scroll bar."""
FURTHER, NEAR_TOP = 60, 1_000
"""Conversations at the top of the list that are examined though out of sight, and how far down."""


class SessionsList(RowList[SessionLine]):
    """One line a conversation, its sessions below it when unfolded."""

    HEADER_LINES = 1

    order: reactive[Order] = reactive(Order())
    profiles = reactive(False)
    """Rows of several databases are shown, so each says where it is from."""
    columns = reactive(ALL)
    """The set of columns that is shown, one of `column_sets`."""
    now: var[datetime] = var(fmt.utc_now)

    def __init__(self) -> None:
        super().__init__()
        self.extras: dict[Key, Extra] = {}
        """What was computed since, by conversation."""
        self.parts: dict[Key, tuple[State, tuple[int, ...]]] = {}
        """What fills the windows of those the cursor rested on, and the state they were in."""
        self.previews: dict[Key, str] = {}
        """The first words of those without a title."""

    def draw_header(self, width: int) -> list[Line]:
        """Column titles; the one the list is sorted by carries the direction."""
        line = Line()
        for place, (column, cells) in enumerate(_layout(self, width)):
            here = column.sort == self.order.sort
            style, room = self.palette.style("ink" if here else "ink-muted", bold=here), cells - column.indent
            title = self._column_title(column, room) if here else column.title
            over = max(0, cell_len(title) - room) if column.right else 0  # reaches into the gap on its left
            line.gap((GAP if place else 0) + column.indent - over)
            line.cell(title, room + over, style, right=column.right)
        return [line]

    def _column_title(self, column: Column, room: int) -> str:
        sign = DOWN if self.order.natural else UP
        apart = f"{column.title} {sign}"
        return apart if cell_len(apart) <= room else f"{column.title}{sign}"

    def draw_row(self, row: SessionLine, index: int, width: int) -> Line:
        """One conversation or session."""
        line, sheet = Line(), self._sheet(row, chosen=index == self.cursor)
        for column, cells in _layout(self, width):
            line.extend(column.draw(row, cells, sheet)).gap(GAP)
        return line

    def _sheet(self, row: SessionLine, *, chosen: bool) -> Sheet:
        session = row.session
        fresh = session.last_active is not None and self.now - session.last_active < LIVE_FOR
        live = fresh and not session.ended_at
        preview = self.previews.get(row.key, "")
        parts = self.parts[row.key][1] if chosen and row.key in self.parts else ()
        return Sheet(self.palette, self.now, self.extras.get(row.key), live, preview, parts)

    @property
    def conversations(self) -> list[SessionLine]:
        """Those in sight, and those at the top of the list that are there already."""
        # Far down the top is no longer there, and reading it again would push out what is in sight.
        further = min(FURTHER, self.rows.count) if self.scroll_offset.y < NEAR_TOP else 0
        places = dict.fromkeys((*self.in_sight, *range(further)))
        lines = (self.rows.row(place) for place in places)
        return [line for line in lines if line is not None and line.part is None]

    @property
    def sorts(self) -> frozenset[str]:
        """The orders the columns in sight stand for."""
        return frozenset(column.sort for column, _ in _layout(self, self.row_width))

    def column_at(self, x: int) -> str:
        """The order the header under a cell stands for; empty where there is none."""
        start = 0
        for column, cells in _layout(self, self.row_width):
            if start <= x < start + cells + GAP:
                return column.sort
            start += cells + GAP
        return ""


def _layout(listing: SessionsList, width: int) -> tuple[tuple[Column, int], ...]:
    chosen = column_sets().get(listing.columns, SETS[ALL])
    return layout(width - PAD, profiles=listing.profiles, chosen=chosen)
