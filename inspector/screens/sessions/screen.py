"""Which conversation needs me? One row a conversation, over every database in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer

from core.store.database.locate import Location
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings
from inspector.base.figure_origins import FigureQuestion
from inspector.screens.sessions.card import SessionCard
from inspector.screens.sessions.columns import SessionLine
from inspector.screens.sessions.data.order import SourcePage
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.sessions.measuring import MeasuringSessions
from inspector.screens.sessions.reading import ReadingSessions, Stamps
from inspector.screens.sessions.words import cells, header, legend, nothing, position, summing_up
from inspector.widgets.bars.banner import Banner
from inspector.widgets.bars.input_line import InputLine
from inspector.widgets.bars.key_bar import KeyBar
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.lists.folding_rows import FoldingRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import PagedRows

if TYPE_CHECKING:
    from core.model.accounting.ledger import LedgerRow

POLL_SECONDS = 2.0
ADD_UP_SECONDS = 10.0
"""How long Hermes may write before what it cost is added up again: that reads more than the list does."""


class SessionsScreen(MeasuringSessions):
    """The home screen.

    Args:
        locations: The databases, the active profile's first.
        at: A session of the conversation the cursor stands on at first.
    """

    CSS_PATH = "sessions.tcss"
    BINDINGS = bindings("sessions")

    def __init__(self, locations: Sequence[Location], *, at: str | None = None) -> None:
        super().__init__(locations)
        self._at = at
        self._paged: PagedRows[SessionLine] = PagedRows(0, self._fetch)
        self._stamps: Stamps | None = None
        self._spent: LedgerRow | None = None
        self._adding: Timer | None = None

    def compose(self) -> ComposeResult:
        """Where we are, what is wrong, the filter while there is one, the list, the keys."""
        yield StatusLine(id="head")
        yield Banner()
        yield InputLine("/", "title, model, source, folder or id")
        yield SessionsList()
        yield SessionCard()
        yield StatusLine(id="foot")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start reading; the frame is on screen already."""
        self.filter_line.display = False
        self.listing.diagnosed = shell(self).diagnosed
        self.listing.profiles = len(self.locations) > 1
        self.listing.now = self.clock()
        self.listing.empty = "Reading the sessions …"
        self.listing.focus()
        self.tell()
        self.call_after_refresh(self.reload)
        self.set_interval(POLL_SECONDS, self.poll)

    def on_screen_resume(self) -> None:
        """Another screen may have examined what is listed."""
        self.listing.refresh()
        self.tell()

    # Rows.

    @on(ReadingSessions.Arrived)
    def _take(self, event: ReadingSessions.Arrived) -> None:
        if event.epoch != self._epoch:
            return
        if event.page.start == 0:
            if event.page.rows or event.page.whole:
                self._start_list(event.page)
        else:
            self._paged.arrived(event.page.start, event.page.rows)
            self.listing.refresh()
        self.query_one(Banner).say(" · ".join(error.line for error in event.page.errors))
        shell(self).failures += event.page.errors
        self.call_after_refresh(self.measure_visible)

    def _start_list(self, page: SourcePage) -> None:
        before, self._page = self.listing.current, page
        self._paged = PagedRows(page.total, self._fetch)
        self._paged.arrived(0, page.rows)
        self.listing.order, self.listing.now = page.order, self.clock()
        self.listing.empty = "" if page.rows else nothing(page)
        asked = _holding(page.rows, self._at)
        place = _place(page.rows, before, self.listing.cursor) if asked is None else asked
        if asked is not None or page.whole:
            self._at = None  # from now on the cursor is the user's
        self.listing.show(FoldingRows(self._paged), cursor=place)
        if page.whole and self._spent is None:
            self.add_up()
        self.tell()

    def _fetch(self, start: int, size: int) -> None:
        assert self._page is not None, "rows are asked for only after the first page"
        self.read_more(self._epoch, self._page, start, size)

    # Following a Hermes that writes.

    @on(ReadingSessions.Stamped)
    def _stamped(self, event: ReadingSessions.Stamped) -> None:
        if self._stamps is not None and event.stamps != self._stamps:
            if self._page is not None and not self._page.settled:
                return  # reading anew would begin the ranking again; the next look comes soon
            self.reload()
            self._add_up_soon()
        self._stamps = event.stamps

    def _add_up_soon(self) -> None:
        if self._adding is None:
            self._adding = self.set_timer(ADD_UP_SECONDS, self._add_up_now)

    def _add_up_now(self) -> None:
        self._adding = None
        self.add_up()

    # What the user does.

    def action_findings(self) -> None:
        """Examine everything in sight."""
        from inspector.screens.findings.screen import FindingsScreen

        self.app.push_screen(FindingsScreen(self.locations))

    def action_usage(self) -> None:
        """Say where the money went, over everything in sight."""
        from inspector.screens.workspace.usage.screen import UsageScreen

        self.app.push_screen(UsageScreen(self.locations))

    def action_search(self) -> None:
        """Search the text of every message."""
        from inspector.screens.search.screen import SearchScreen

        self.app.push_screen(SearchScreen(self.locations))

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

    @on(ReadingSessions.Unfolded)
    def _show_family(self, event: ReadingSessions.Unfolded) -> None:
        rows = self.listing.rows
        if event.epoch == self._epoch and isinstance(rows, FoldingRows):
            rows.unfold(event.place, event.lines)
            self.listing.show(rows)

    @on(RowList.Opened)
    def _open(self) -> None:
        line = self.listing.current
        if line is not None:
            shell(self).open_conversation(line.location, line.session.id)

    def action_origins(self) -> None:
        """Say where the figures of the conversation under the cursor come from."""
        from inspector.screens.dialogs.origin import OriginScreen
        from inspector.screens.sessions.figure_origins import measured
        from inspector.screens.workspace.usage.figure_origins import spending

        line = self.listing.current
        if line is not None:
            about, alone = line.session.id, line.part is not None
            extra = None if alone else self.listing.extras.get(line.key)
            beside, read = measured(extra) if extra else (), spending(line.location, about, alone=alone)
            self.app.push_screen(
                OriginScreen(FigureQuestion(line.title or about, lambda stop: (*read(stop), *beside)))
            )

    def action_refresh(self) -> None:
        """Read the list again, and add up anew."""
        self.listing.extras.clear()
        self.reload()
        self.add_up()

    def action_copy(self) -> None:
        """Copy the id under the cursor."""
        line = self.listing.current
        self.copy(line.session.id if line else "")

    # What the first and last lines say.

    @on(ReadingSessions.AddedUp)
    def _sum_up(self, event: ReadingSessions.AddedUp) -> None:
        self._spent = event.totals
        self.tell()

    @on(RowList.Moved)
    def _moved(self) -> None:
        self.tell()

    def tell(self) -> None:
        """Say where we are, what it cost lately, and what the list is sorted by."""
        total = self._page.total if self._page and self._page.whole else None
        head, foot = self.query_one("#head", StatusLine), self.query_one("#foot", StatusLine)
        head.left = header(self.locations, total, self.size.width)
        room = self.size.width - cells(head.left) - 4
        head.right = summing_up(self._spent, self.listing.diagnosed, room)
        narrow = self.has_class("-narrow")
        foot.right = position(self.listing, self._order, self._page, brief=narrow)
        room = self.size.width - cells(foot.right) - 5
        foot.left = legend(room, examined=bool(self.listing.diagnosed))
        self.query_one(SessionCard).tell(self.listing)


def _place(lines: Sequence[SessionLine], before: SessionLine | None, cursor: int) -> int:
    """Where the conversation the cursor stood on is now; the cursor never moves by itself."""
    if before is None:
        return 0
    return next((place for place, line in enumerate(lines) if line.key == before.key), cursor)


def _holding(lines: Sequence[SessionLine], session: str | None) -> int | None:
    """Where the conversation of a session is; None when it is not among these."""
    found = (place for place, line in enumerate(lines) if any(one.id == session for one in line.row.sessions))
    return next(found, None)
