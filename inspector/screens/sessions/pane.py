"""The session list and its filter: what it contains, in which order, following a running Hermes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message as Event
from textual.timer import Timer

from core.store.database.locate import Location
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings
from inspector.base.live import Pulse, in_sight
from inspector.base.workers import Reporting
from inspector.screens.sessions.data.columns import OWN, column_sets
from inspector.screens.sessions.data.order import SORTS, Order, SourcePage
from inspector.screens.sessions.data.session_line import Key, SessionLine
from inspector.screens.sessions.list_view import SessionsList, nothing
from inspector.screens.sessions.measuring import Measuring
from inspector.screens.sessions.reader import (
    Arrived,
    ListReader,
    Measured,
    Previewed,
    Recalled,
    Told,
    Unfolded,
    Weighed,
)
from inspector.widgets.bars.input_lines import FilterLine
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import FoldingRows, PagedRows

AGES = 15.0
"""Seconds between updates of the rows' ages."""
TYPED_AHEAD = 3.0
"""Seconds that keys wait at most for the first rows; without rows most keys would do nothing."""
LOOK_SECONDS = 0.1
"""Seconds the cursor must rest before the rows are measured."""


class SessionsPane(Reporting, Vertical):
    """Keeps the list up to date, and tells the screen when it changes.

    Args:
        locations: The databases, the active profile's first.
        at: A session of the conversation to start on.
    """

    DEFAULT_CSS = "SessionsPane { height: 1fr; }"
    BINDINGS = bindings("sessions")

    listing = getters.query_one(SessionsList)
    filter_line = getters.query_one(FilterLine)

    class Changed(Event):
        """The rows, their order or what is known about them changed."""

    class Written(Event):
        """Hermes has written since the list was read."""

    def __init__(self, locations: Sequence[Location], *, at: str | None = None) -> None:
        super().__init__()
        self.reader = ListReader(self, locations)
        self.order = Order()
        self.page: SourcePage | None = None
        """The first page; None before anything is read."""
        self._at = at
        self._epoch = 0
        self._held = False
        """Keys are waiting for the first rows."""
        self._families: dict[Key, tuple[SessionLine, ...]] = {}
        """The sessions of unfolded conversations."""
        self._paged: PagedRows[SessionLine] = PagedRows(0, self._fetch)
        self._closer: Timer | None = None

    def compose(self) -> ComposeResult:
        """The filter, hidden until opened, and the list."""
        yield FilterLine("title, model, source, folder or id", patient=True)
        yield SessionsList()

    def on_mount(self) -> None:
        """Start reading; the frame is already on screen."""
        sort = shell(self).recall("sort")
        if isinstance(sort, str) and sort in SORTS:
            self.order = replace(self.order, sort=sort)
        sets, columns = column_sets(), shell(self).recall("columns")
        if OWN in sets or (isinstance(columns, str) and columns in sets):
            self.listing.columns = OWN if OWN in sets else str(columns)
        self.measuring = Measuring(self.listing, self.reader)
        self.listing.profiles = len(self.reader.locations) > 1
        self.listing.now = self.reader.now
        self.listing.empty = "Reading the sessions …"
        self.listing.focus()
        if self.app.screen is self.screen:
            self._held = True
            shell(self).keys.hold(TYPED_AHEAD)
        # The pulse starts before the list is read, so that anything written meanwhile counts as new. Reading
        # again would restart a ranking, so a change waits until it is settled.
        settled = lambda: self.page is None or self.page.settled  # noqa: E731
        self.pulse = Pulse(self, self.reader.locations, self._written, settled)
        self.call_after_refresh(self.reload)
        self.set_interval(AGES, self._age)

    def _age(self) -> None:
        if in_sight(self):
            self.listing.now = self.reader.now
            self.listing.refresh()
            self.post_message(self.Changed())

    def reload(self) -> None:
        """Read the list again; what is on screen stays until the answer arrives."""
        self._epoch += 1
        self.pulse.begin(first=self.page is None)
        self.reader.read(self._epoch, self.order, first=self.page is None)
        if self.page is None:
            self.post_message(self.Changed())

    @on(Arrived)
    def _take(self, event: Arrived) -> None:
        if event.epoch != self._epoch:
            event.stop()
            return
        if event.page.start == 0:
            if event.page.rows or event.page.whole:
                self._start_list(event.page)
        else:
            self._paged.arrived(event.page.start, event.page.rows)
            self.listing.refresh()
        self.call_after_refresh(self.measuring.look)

    def _start_list(self, page: SourcePage) -> None:
        before, older, paged = self.listing.current, self.page, self._paged
        self.page, self._paged = page, PagedRows(page.total, self._fetch)
        if older is not None and older.order == page.order:
            self._paged.stand_in(paged)
        self._paged.arrived(0, page.rows)
        self.listing.order, self.listing.now = page.order, self.reader.now
        self.listing.empty = "" if page.rows else nothing(page)
        rows, asked = FoldingRows(self._paged), _holding(page.rows, self._at)
        for place, line in enumerate(page.rows):
            family = self._families.get(line.key, ())
            rows.unfold(place, family)
            if family and family[0].row != line.row:  # Hermes wrote to it
                self.reader.unfold(place, line, asked=False)
        if asked is not None or page.whole:
            self._at = None  # from now on only the user moves the cursor
        cursor = 0 if before is None else _cursor(rows, page.rows, before, self.listing.cursor)
        self.listing.show(rows, cursor=cursor if asked is None else rows.line(asked), again=True)
        if asked is not None:
            self.call_after_refresh(self.listing.keep_in_sight)
        self.post_message(self.Changed())
        if self._held:
            self._held = False
            self.call_after_refresh(shell(self).keys.release)

    def _fetch(self, start: int, size: int) -> None:
        assert self.page is not None, "rows are asked for only after the first page"
        self.reader.read_more(self._epoch, self.page, start, size)

    @on(RowList.Scrolled)
    @on(RowList.Moved)
    def _look_closer(self) -> None:
        if self._closer is not None:
            self._closer.stop()
        self._closer = self.set_timer(LOOK_SECONDS, self.measuring.look)

    @on(Recalled)
    def _recall(self, event: Recalled) -> None:
        self.measuring.recall(event.known)
        self.post_message(self.Changed())

    @on(Measured)
    @on(Weighed)
    @on(Told)
    def _know(self, event: Measured | Weighed | Told) -> None:
        self.measuring.take(event)
        self.post_message(self.Changed())

    @on(Previewed)
    def _quote(self, event: Previewed) -> None:
        if not event.previews.items() <= self.listing.previews.items():
            self.listing.previews.update(event.previews)
            self.listing.refresh()
            self.post_message(self.Changed())

    def _written(self) -> None:
        self.reload()
        self.post_message(self.Written())

    def action_expand(self) -> None:
        """Show or hide the sessions of the conversation under the cursor."""
        rows, line = self.listing.rows, self.listing.current
        if not isinstance(rows, FoldingRows) or line is None:
            return
        place = rows.place(self.listing.cursor)[0]
        if rows.unfolded(place):
            self._families.pop(line.key, None)
            rows.unfold(place, ())
            self.listing.show(rows, cursor=rows.line(place))
        elif len(line.row.sessions) > 1 or line.row.branches or line.row.delegates:
            self.reader.unfold(place, line)
        else:
            self.toast("This conversation is a single session, so there is nothing to unfold.")

    @on(Unfolded)
    def _show_family(self, event: Unfolded) -> None:
        rows, key, before = self.listing.rows, event.line.key, self.listing.current
        lines = self.page.rows if self.page is not None else ()
        place = _place(lines, key)
        if place is None and event.place >= len(lines):
            place = event.place
        if isinstance(rows, FoldingRows) and place is not None and (event.asked or key in self._families):
            self._families[key] = event.lines
            rows.unfold(place, event.lines)
            cursor = None if before is None else _cursor(rows, lines, before, self.listing.cursor)
            self.listing.show(rows, cursor=cursor)

    def action_sort(self) -> None:
        """Sort by the next visible column."""
        names = [name for name in SORTS if name in self.listing.sorts]
        place = names.index(self.order.sort) if self.order.sort in names else -1
        self.reorder(replace(self.order, sort=names[(place + 1) % len(names)], natural=True))

    def action_columns(self) -> None:
        """Show the next set of columns."""
        names = list(column_sets())
        place = names.index(self.listing.columns) if self.listing.columns in names else -1
        chosen = names[(place + 1) % len(names)]
        self.listing.columns = chosen
        shell(self).remember("columns", chosen)
        self.listing.refresh()

    def action_reverse(self) -> None:
        """Reverse the order."""
        self.reorder(replace(self.order, natural=not self.order.natural))

    def action_delegates(self) -> None:
        """List sub-agents in rows of their own, or below their conversation."""
        self.reorder(replace(self.order, delegates=not self.order.delegates))

    def reorder(self, order: Order) -> None:
        """Read the list in another order."""
        if order != self.order:
            shell(self).remember("sort", order.sort)
            self.order = order
            self.reload()

    @on(RowList.HeaderClicked)
    def _header_clicked(self, event: RowList.HeaderClicked) -> None:
        sort = self.listing.column_at(event.index)
        if sort == self.order.sort:
            self.action_reverse()
        elif sort:
            self.reorder(replace(self.order, sort=sort, natural=True))

    def action_filter(self) -> None:
        """Open the filter, or edit it again."""
        self.filter_line.open()

    @on(FilterLine.Changed)
    def _filter(self, event: FilterLine.Changed) -> None:
        self.reorder(replace(self.order, text=event.text))

    @on(FilterLine.Left)
    def _filter_done(self) -> None:
        self.listing.focus()

    def action_clear(self) -> None:
        """Close the filter."""
        self.filter_line.close()


def _cursor(
    rows: FoldingRows[SessionLine], lines: Sequence[SessionLine], before: SessionLine, cursor: int
) -> int:
    """The new line of the row the cursor was on; the cursor never leaves its row by itself."""
    place = _place(lines, before.key)
    if place is None:
        return cursor
    first, part = rows.line(place), before.part and before.part.id
    family = ((at, rows.row(at)) for at in range(first, rows.line(place + 1)))
    return next((at for at, one in family if one and (one.part and one.part.id) == part), first)


def _place(lines: Sequence[SessionLine], key: Key) -> int | None:
    """The index of a conversation; None if it is not among the lines."""
    return next((place for place, line in enumerate(lines) if line.key == key), None)


def _holding(lines: Sequence[SessionLine], session: str | None) -> int | None:
    """The index of the conversation with a session; None if it is not among the lines."""
    found = (place for place, line in enumerate(lines) if any(one.id == session for one in line.row.sessions))
    return next(found, None)
