"""Draws the list of conversations, and words its header, footer and empty state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from textual.reactive import reactive, var

from core.model.finding import Severity
from core.model.transcript.session import Kind
from core.store.database.locate import Location
from core.support import formatting as fmt
from core.support.own_files import SAMPLES_PREFIX
from inspector.base.commands import hint
from inspector.screens.sessions.data.columns import (
    ALL,
    GAP,
    SETS,
    CellSource,
    Column,
    column_sets,
    layout,
)
from inspector.screens.sessions.data.order import SORTS, Order, SourcePage
from inspector.screens.sessions.data.session_line import Extra, Key, SessionLine, State
from inspector.terminal.glyphs import DOWN, KIND, LIVE, NO_SUMMARY, SEVERITY, UP
from inspector.terminal.line import Line
from inspector.terminal.text import cell_len, clean_line, crop
from inspector.widgets.bars.status_line import Piece
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import FoldingRows

if TYPE_CHECKING:
    from core.account.spending.budget import Today

LIVE_FOR = timedelta(minutes=2)
"""An open session counts as live this long after Hermes last wrote to it."""
PAD = 1
"""Cells between the last column and the scroll bar."""
FURTHER, NEAR_TOP = 60, 1_000
"""Conversations at the top that are measured although out of sight, and the row up to which they are."""

SUMS_CELLS = 30
"""Cells for today's cost; the app's name is dropped to make room for it."""

NONE_YET = (
    "No sessions yet. They appear here as soon as Hermes writes one.\n"
    "To look around meanwhile, quit with {app.quit} and run `hermes-inspector demo` for sample sessions."
)
WIDER = "{sessions.clear} clears the filter · {sessions.search} searches messages"
SIGNS = (
    ("severity-critical", SEVERITY[Severity.CRITICAL], "compression fails"),
    ("severity-warning", SEVERITY[Severity.WARNING], "near limit, refused, lossy"),
    ("ink-muted", NO_SUMMARY, "failed"),
    ("live", LIVE, "live"),
    ("ink-faint", KIND[Kind.CONTINUATION], "more inside"),
    ("ink-faint", KIND[Kind.BRANCH], "branch"),
    ("ink-faint", KIND[Kind.DELEGATE], "sub-agent"),
    ("severity-info", SEVERITY[Severity.INFO], "refused, since dealt with"),
)
"""The signs of a row with their colours and meanings, the most important first."""
MIN_NAME = 12
"""Fewest cells of a title that still tell it from others."""


class SessionsList(RowList[SessionLine]):
    """One conversation per line, with its sessions below it when unfolded."""

    HEADER_LINES = 1

    order: reactive[Order] = reactive(Order())
    profiles = reactive(False)
    """Whether rows come from several databases, so that each shows its profile."""
    columns = reactive(ALL)
    """The column set that is shown, one of `column_sets`."""
    now: var[datetime] = var(fmt.utc_now)

    def __init__(self) -> None:
        super().__init__()
        self.extras: dict[Key, Extra] = {}
        """What was computed, by conversation."""
        self.parts: dict[Key, tuple[State, tuple[int, ...]]] = {}
        """What fills the windows of conversations the cursor rested on, with their states."""
        self.previews: dict[Key, str] = {}
        """First words of conversations without a title."""

    def draw_header(self, width: int) -> list[Line]:
        """Column titles; the one the list is sorted by shows the direction."""
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
        """Draw one conversation or session."""
        line, source = Line(), self.cell_source(row, chosen=index == self.cursor)
        for column, cells in _layout(self, width):
            line.extend(column.draw(row, cells, source)).gap(GAP)
        return line

    def cell_source(self, row: SessionLine, *, chosen: bool = False) -> CellSource:
        """What the cells of a row are drawn from."""
        session = row.session
        fresh = session.last_active is not None and self.now - session.last_active < LIVE_FOR
        live = fresh and not session.ended_at
        preview = self.previews.get(row.key, "")
        parts = self.parts[row.key][1] if chosen and row.key in self.parts else ()
        return CellSource(self.palette, self.now, self.extras.get(row.key), live, preview, parts)

    @property
    def conversations(self) -> list[SessionLine]:
        """The conversations on screen, then those at the top of the list that are loaded."""
        return _conversations(self, _places(self))

    @property
    def sorts(self) -> frozenset[str]:
        """The orders that the visible columns select."""
        return frozenset(column.sort for column, _ in _layout(self, self.row_width))

    def column_at(self, x: int) -> str:
        """The order selected by the header at a cell; empty if there is none."""
        start = 0
        for column, cells in _layout(self, self.row_width):
            if start <= x < start + cells + GAP:
                return column.sort
            start += cells + GAP
        return ""


def from_the_top(listing: SessionsList) -> list[SessionLine]:
    """The conversations of a list in its order, wherever it is scrolled to."""
    return _conversations(listing, sorted(_places(listing)))


def _places(listing: SessionsList) -> Iterable[int]:
    # Far down the list the top is no longer loaded, and reading it again would evict what is on screen.
    further = min(FURTHER, listing.rows.count) if listing.scroll_offset.y < NEAR_TOP else 0
    return dict.fromkeys((*listing.in_sight, *range(further)))


def _conversations(listing: SessionsList, places: Iterable[int]) -> list[SessionLine]:
    lines = (listing.rows.row(place) for place in places)
    return [line for line in lines if line is not None and line.part is None]


def drawn_row(listing: SessionsList) -> str:
    """The row under the cursor as it is drawn; empty without one."""
    row, place = listing.current, listing.cursor
    return "" if row is None else listing.draw_row(row, place, listing.row_width).text


def total(listing: SessionsList) -> int:
    """How many conversations the list has, read or not."""
    return listing.rows.base.count if isinstance(listing.rows, FoldingRows) else listing.rows.count


def _layout(listing: SessionsList, width: int) -> tuple[tuple[Column, int], ...]:
    chosen = column_sets().get(listing.columns, SETS[ALL])
    return layout(width - PAD, profiles=listing.profiles, chosen=chosen)


def legend(room: int, row: str = "") -> tuple[Piece, ...]:
    """What the signs mean, as many as fit; those of `row`, the one under the cursor, go before others."""
    shown: list[tuple[str, str, str]] = []
    for one in sorted(SIGNS, key=lambda one: one[1] not in row):
        if cells(_named([*shown, one])) > room:
            break
        shown.append(one)
    return _named([one for one in SIGNS if one in shown])


def _named(signs: Sequence[tuple[str, str, str]]) -> tuple[Piece, ...]:
    pieces = [((token, sign), ("ink-faint", f" {word}"), ("ink", "  ")) for token, sign, word in signs]
    return tuple(chain.from_iterable(pieces))[:-1]


def header(
    locations: Sequence[Location], total: int | None, width: int, *, partial: bool = False
) -> tuple[Piece, ...]:
    """The app's name if there is room, the home, how many conversations; `partial` if some are unread."""
    count = "reading …" if total is None else fmt.plural(total, "conversation")
    if partial and total is not None:
        count = f"{fmt.LOWER_BOUND}{count}" if total else "unreadable"
    room = width - SUMS_CELLS - cell_len(f" · {count}")
    where = (("ink-muted", _place(locations, room)), ("ink-faint", " · "), ("ink", count))
    named = (("part-head!", "Hermes Inspector"), ("ink-faint", " · "), *where)
    return named if width - cells(named) >= SUMS_CELLS else where


def cells(pieces: Sequence[Piece]) -> int:
    """The width of a line of pieces."""
    return sum(cell_len(text) for _, text in pieces)


def _place(locations: Sequence[Location], room: int) -> str:
    """The home's full path or else its last folder, without the number of profiles if that needs the room."""
    if not locations:
        return "no database"
    path, more = locations[0].home or locations[0].db, len(locations) - 1
    others = f" +{fmt.plural(more, 'profile')}" if more else ""
    whole, short = _short(path), f"…/{path.name}"
    if locations[0].is_sample and path.name.startswith(SAMPLES_PREFIX):
        whole = short = "sample sessions"
    return next((text for text in (whole + others, short + others) if cell_len(text) <= room), short)


def _short(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)


def summing_up(today: Today | None, findings: int, room: int) -> tuple[Piece, ...]:
    """Today's money, what took most of it, the findings once somebody looked for them: as many as fit."""
    pieces: list[Piece] = []
    counted = f" · {fmt.plural(findings, 'finding')}" if findings else ""
    period = "since yesterday" if today is not None and today.since_yesterday else "today"
    if today is not None and not today.usd:
        spent = f"nothing spent {period}" if today.known is not None else "today's cost is not known"
        pieces.append(("ink-muted", spent))
    elif today is not None:
        sign = fmt.LOWER_BOUND if today.at_least else ""
        pieces.append(("money", f"{period} {sign}{fmt.money(today.usd)}"))
        if today.largest is not None:
            name, usd = today.largest[0], fmt.money(today.largest[1])
            left = room - cells(pieces) - cell_len(f" (largest:  {usd}){counted}")
            if left >= MIN_NAME:
                pieces.append(("ink-muted", f" (largest: {crop(clean_line(name), left)} {usd})"))
    if counted:
        pieces.append(("severity-warning", counted if pieces else counted.removeprefix(" · ")))
    while pieces and cells(pieces) > room:
        pieces.pop()
    return tuple(pieces)


def position(
    listing: SessionsList, order: Order, page: SourcePage | None = None, *, brief: bool = False
) -> tuple[Piece, ...]:
    """Where the cursor is, what the list is sorted by, and unless `brief` what is folded in it."""
    rows = listing.rows
    if not isinstance(rows, FoldingRows) or not rows.count:
        return ()
    place, total = rows.place(listing.cursor)[0] + 1, rows.base.count
    folded = (
        "" if brief or order.delegates or order.text else hint(" · sub-agents hidden ({sessions.delegates})")
    )
    direction = DOWN if order.natural else UP
    sorting = f"by {SORTS[order.sort]} {direction}{_progress(page, order)}"
    return (("ink-muted", f"{place:,} of {total:,} · {sorting}{folded}"),)


def _progress(page: SourcePage | None, order: Order) -> str:
    if page is not None and page.ranking and not page.settled:
        return f" · {page.measured:,} measured"
    return " …" if page is not None and page.order != order else ""


def nothing(page: SourcePage) -> str:
    """Why the list is empty, and the key that helps."""
    if page.order.text:
        return f"No conversation holds “{page.order.text}” · {hint(WIDER)}"
    if page.errors:
        return "Nothing could be read; the reason is above."
    return hint(NONE_YET)
