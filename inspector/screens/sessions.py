"""Which conversation needs me? One row a conversation, over every database in sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import getters, on, work
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from core.store.locate import Location
from inspector.commands import bindings
from inspector.screens.base import Page
from inspector.screens.sessions_columns import Extra, Key, SessionLine
from inspector.screens.sessions_list import SessionsList
from inspector.screens.sessions_source import SORTS, Order, SourcePage, family, read_page, stamps_of
from inspector.screens.sessions_standing import measure
from inspector.screens.sessions_words import LEGEND, header, nothing, position
from inspector.widgets.banner import Banner
from inspector.widgets.folding_rows import FoldingRows
from inspector.widgets.input_line import InputLine
from inspector.widgets.key_bar import KeyBar
from inspector.widgets.row_list import RowList
from inspector.widgets.rows import PAGE, PagedRows
from inspector.widgets.status_line import StatusLine
from inspector.workers import cancelled

if TYPE_CHECKING:
    from inspector.app import InspectorApp

POLL_SECONDS = 2.0
FILTER_SECONDS = 0.15
LOOK_SECONDS = 0.1
"""How long a list must stand still before its rows are measured."""


class SessionsScreen(Page):
    """The home screen.

    Args:
        locations: The databases, the active profile's first.
    """

    CSS_PATH = "sessions.tcss"
    BINDINGS = bindings("sessions")

    class Arrived(Message):
        """A page of the list was read; `epoch` says for which list it was asked."""

        def __init__(self, epoch: int, page: SourcePage) -> None:
            self.epoch = epoch
            self.page = page
            super().__init__()

    class Measured(Message):
        """What had to be computed for a conversation."""

        def __init__(self, key: Key, extra: Extra) -> None:
            self.key = key
            self.extra = extra
            super().__init__()

    class Unfolded(Message):
        """The family of a conversation was read."""

        def __init__(self, epoch: int, place: int, lines: tuple[SessionLine, ...]) -> None:
            self.epoch = epoch
            self.place = place
            self.lines = lines
            super().__init__()

    filter_line = getters.query_one(InputLine)
    filter = getters.query_one("InputLine Input", Input)
    listing = getters.query_one(SessionsList)

    def __init__(self, locations: Sequence[Location]) -> None:
        super().__init__()
        self.locations = tuple(locations)
        self._order = Order()
        self._epoch = 0
        self._page: SourcePage | None = None
        self._paged: PagedRows[SessionLine] = PagedRows(0, self._fetch)
        self._delay: Timer | None = None
        self._closer: Timer | None = None
        self._stamps: tuple[object, ...] | None = None

    def compose(self) -> ComposeResult:
        """Where we are, what is wrong, the filter while there is one, the list, the keys."""
        yield StatusLine(id="head")
        yield Banner()
        yield InputLine("/", "title, model, source, folder or id")
        yield SessionsList()
        yield StatusLine(id="foot")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start reading; the frame is on screen already."""
        self.filter_line.display = False
        self.listing.profiles = len(self.locations) > 1
        self.listing.now = self.clock()
        self.listing.empty = "Reading the sessions …"
        self.listing.focus()
        self._tell()
        self.reload()
        self.set_interval(POLL_SECONDS, self.poll)

    def clock(self) -> datetime:
        """The present, as the app sees it."""
        return cast("InspectorApp", self.app).now()

    # Reading.

    def reload(self) -> None:
        """Read the list anew; what is on screen stays until the answer comes."""
        self._epoch += 1
        self.read(self._epoch, self._order, 0, PAGE)

    @work(thread=True, exclusive=True, group="list", exit_on_error=False)
    def read(self, epoch: int, order: Order, start: int, size: int) -> None:
        """Read the first page of an order."""
        stop = cancelled()
        page = read_page(self.locations, order, start, size, cancelled=stop)
        if not stop():
            self.post_message(self.Arrived(epoch, page))

    @work(thread=True, group="pages", exit_on_error=False)
    def read_more(self, epoch: int, page: SourcePage, start: int, size: int) -> None:
        """Read a page the user scrolled to."""
        found = read_page(self.locations, page.order, start, size, totals=page.totals, cancelled=cancelled())
        self.post_message(self.Arrived(epoch, found))

    @on(Arrived)
    def _take(self, event: Arrived) -> None:
        if event.epoch != self._epoch:
            return
        if event.page.start == 0:
            self._start_list(event.page)
        else:
            self._paged.arrived(event.page.start, event.page.rows)
            self.listing.refresh()
        self.query_one(Banner).say(" · ".join(error.line for error in event.page.errors))
        self.call_after_refresh(self._measure_visible)

    def _start_list(self, page: SourcePage) -> None:
        before, self._page = self.listing.current, page
        self._paged = PagedRows(page.total, self._fetch)
        self._paged.arrived(0, page.rows)
        self.listing.order, self.listing.now = page.order, self.clock()
        self.listing.empty = "" if page.rows else nothing(page)
        self.listing.show(FoldingRows(self._paged), cursor=_place(page.rows, before, self.listing.cursor))
        self._tell()

    def _fetch(self, start: int, size: int) -> None:
        assert self._page is not None, "rows are asked for only after the first page"
        self.read_more(self._epoch, self._page, start, size)

    # What has to be computed for the rows in sight.

    @on(RowList.Scrolled)
    def _look_closer(self) -> None:
        if self._closer is not None:
            self._closer.stop()
        self._closer = self.set_timer(LOOK_SECONDS, self._measure_visible)

    def _measure_visible(self) -> None:
        rows, extras = self.listing.rows, self.listing.extras
        lines = [rows.row(index) for index in self.listing.in_sight]
        wanted = [line for line in lines if line and line.part is None and line.key not in extras]
        if wanted:
            self.measure(wanted)

    @work(thread=True, exclusive=True, group="extras", exit_on_error=False)
    def measure(self, lines: Sequence[SessionLine]) -> None:
        """Generations and pressure of some conversations, each shown as soon as it is known."""
        stop = cancelled()
        for key, extra in measure(lines, self.clock(), stop):
            if stop():
                return
            self.post_message(self.Measured(key, extra))

    @on(Measured)
    def _know(self, event: Measured) -> None:
        self.listing.extras[event.key] = event.extra
        self.listing.refresh()

    # Following a Hermes that writes.

    @work(thread=True, exclusive=True, group="poll", exit_on_error=False)
    def poll(self) -> None:
        """Ask every database whether it changed; a file that cannot be asked now is asked again later."""
        stamps = stamps_of(self.locations)
        if self._stamps is not None and stamps != self._stamps:
            self.app.call_from_thread(self._changed)
        self._stamps = stamps

    def _changed(self) -> None:
        self.listing.extras.clear()
        self.reload()

    # What the user does.

    def action_sort(self) -> None:
        """Sort by the next order."""
        names = list(SORTS)
        self._reorder(names[(names.index(self._order.sort) + 1) % len(names)])

    def action_delegates(self) -> None:
        """List delegates on their own, or below their conversation."""
        self._order = replace(self._order, delegates=not self._order.delegates)
        self.reload()

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._order = replace(self._order, natural=not self._order.natural)
        self.reload()

    @on(RowList.HeaderClicked)
    def _header_clicked(self, event: RowList.HeaderClicked) -> None:
        sort = self.listing.column_at(event.index)
        if sort == self._order.sort:
            self.action_reverse()
        elif sort:
            self._reorder(sort)

    def _reorder(self, sort: str) -> None:
        self._order = replace(self._order, sort=sort, natural=True)
        self.reload()

    def action_filter(self) -> None:
        """Open the filter, or go on editing it."""
        self.filter_line.display = True
        self.filter.focus()

    @on(Input.Changed)
    def _filter_changed(self, event: Input.Changed) -> None:
        if self._delay is not None:
            self._delay.stop()
        self._delay = self.set_timer(FILTER_SECONDS, partial(self._filter, event.value))

    def _filter(self, text: str) -> None:
        if text != self._order.text:
            self._order = replace(self._order, text=text)
            self.reload()

    @on(Input.Submitted)
    def _filter_done(self) -> None:
        self.listing.focus()

    def action_search(self) -> None:
        """Search the text of every message."""
        from inspector.screens.search import SearchScreen

        self.app.push_screen(SearchScreen(self.locations))

    def action_clear(self) -> None:
        """Leave the filter."""
        self.filter.value = ""
        self.filter_line.display = False
        self._filter("")
        self.listing.focus()

    def action_expand(self) -> None:
        """Show or hide the sessions of the conversation under the cursor."""
        rows, line = self.listing.rows, self.listing.current
        if not isinstance(rows, FoldingRows) or line is None:
            return
        place = rows.place(self.listing.cursor)[0]
        if rows.unfolded(place):
            rows.unfold(place, ())
            self.listing.show(rows, cursor=rows.line(place))
        elif len(line.row.sessions) > 1 or line.row.branches or line.row.delegates:
            self.unfold(self._epoch, place, line)

    @work(thread=True, exclusive=True, group="unfold", exit_on_error=False)
    def unfold(self, epoch: int, place: int, line: SessionLine) -> None:
        """Read the family of a conversation."""
        self.post_message(self.Unfolded(epoch, place, family(line, cancelled())))

    @on(Unfolded)
    def _show_family(self, event: Unfolded) -> None:
        rows = self.listing.rows
        if event.epoch == self._epoch and isinstance(rows, FoldingRows):
            rows.unfold(event.place, event.lines)
            self.listing.show(rows)

    @on(RowList.Opened)
    def _open(self) -> None:
        line = self.listing.current
        if line is not None:
            cast("InspectorApp", self.app).open_conversation(line.location, line.session.id)

    def action_refresh(self) -> None:
        """Read the list again."""
        self._changed()

    def action_copy(self) -> None:
        """Copy the id under the cursor."""
        line = self.listing.current
        self.copy(line.session.id if line else "")

    # What the first and last lines say.

    @on(RowList.Moved)
    def _moved(self) -> None:
        self._tell()

    def _tell(self) -> None:
        total = self._page.total if self._page else None
        head, foot = self.query_one("#head", StatusLine), self.query_one("#foot", StatusLine)
        head.left = header(self.locations, total)
        foot.left, foot.right = LEGEND, position(self.listing, self._order)


def _place(lines: Sequence[SessionLine], before: SessionLine | None, cursor: int) -> int:
    """Where the conversation the cursor stood on is now; the cursor never moves by itself."""
    if before is None:
        return 0
    return next((place for place, line in enumerate(lines) if line.key == before.key), cursor)
