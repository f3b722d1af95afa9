"""What the session list reads, in workers of its own; each answer says for which list it was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING

from textual.message import Message as Event

from core.store.database.locate import Location
from inspector.base.app_protocol import shell
from inspector.base.workers import cancelled, in_thread
from inspector.screens.page import Page
from inspector.screens.sessions.columns import Extra, Key, SessionLine
from inspector.screens.sessions.data.order import MEASURED, SourcePage
from inspector.screens.sessions.words import DAYS
from inspector.terminal.masking import warm
from inspector.widgets.lists.rows import PAGE

if TYPE_CHECKING:
    from core.model.accounting.ledger import LedgerRow
    from core.store.database.connect import Cancelled
    from inspector.screens.sessions.data.figure_cache import Figures
    from inspector.screens.sessions.data.order import Order
    from inspector.screens.sessions.data.ranking import Ranker

Stamps = tuple[tuple[int, ...], ...]


class ReadingSessions(Page):
    """The workers behind the list. A subclass handles the events.

    Args:
        locations: The databases, the active profile's first.
    """

    @dataclass
    class Arrived(Event):
        """A page of the list was read."""

        epoch: int
        page: SourcePage

    @dataclass
    class Measured(Event):
        """What had to be computed for a conversation is known."""

        key: Key
        extra: Extra

    @dataclass
    class Recalled(Event):
        """What an earlier run computed was read."""

        known: Mapping[Key, Figures]

    @dataclass
    class Previewed(Event):
        """What the users of untitled conversations said first is known."""

        previews: Mapping[Key, str]

    @dataclass
    class Unfolded(Event):
        """The family of a conversation was read."""

        epoch: int
        place: int
        lines: tuple[SessionLine, ...]

    @dataclass
    class AddedUp(Event):
        """What the last days cost is known."""

        totals: LedgerRow

    @dataclass
    class Stamped(Event):
        """The databases were looked at; other stamps mean that Hermes wrote."""

        stamps: Stamps

    def __init__(self, locations: Sequence[Location]) -> None:
        super().__init__()
        self.locations = tuple(locations)
        self._ranker: Ranker | None = None

    def clock(self) -> datetime:
        """The present, as the app sees it."""
        return shell(self).now()

    @in_thread("list")
    def read(self, epoch: int, order: Order, *, first: bool = False) -> None:
        """Read the first page of an order; before it, when nothing is shown yet, what is quick to read."""
        from inspector.screens.sessions.data.figure_cache import recall
        from inspector.screens.sessions.data.source import read_first, read_page

        stop = cancelled()
        if first:
            self.post_message(self.Arrived(epoch, read_first(self.locations, stop)))
            self.post_message(self.Recalled(recall(self.locations)))
        if order.sort in MEASURED:
            self._rank(epoch, order, stop)
            return
        page = read_page(self.locations, order, 0, PAGE, cancelled=stop)
        warm()
        if not stop():
            self.post_message(self.Arrived(epoch, page))

    def _rank(self, epoch: int, order: Order, stop: Cancelled) -> None:
        from inspector.screens.sessions.data.ranking import Ranker

        self._ranker = ranker = self._ranker or Ranker()
        for page in ranker.pages(self.locations, order, PAGE, self.clock(), stop):
            if not stop():
                self.post_message(self.Arrived(epoch, page))

    @in_thread("pages", exclusive=False)
    def read_more(self, epoch: int, page: SourcePage, start: int, size: int) -> None:
        """Read a page the user scrolled to."""
        from inspector.screens.sessions.data.source import read_page, read_ranked

        if page.ranking:
            rows = tuple(read_ranked(page.ranking[start : start + size], cancelled()))
            self.post_message(self.Arrived(epoch, replace(page, start=start, rows=rows)))
            return
        found = read_page(self.locations, page.order, start, size, totals=page.totals, cancelled=cancelled())
        self.post_message(self.Arrived(epoch, found))

    @in_thread("extras")
    def measure(self, lines: Sequence[SessionLine]) -> None:
        """First words, generations and pressure of some conversations, each told as soon as it is known."""
        from inspector.screens.sessions.data.figure_cache import remember
        from inspector.screens.sessions.data.pressure import measure, previews

        stop = cancelled()
        self.post_message(self.Previewed(previews(lines, stop)))
        found: dict[Key, Extra] = {}
        for key, extra in measure(lines, self.clock(), stop):
            if stop():
                break
            found[key] = extra
            self.post_message(self.Measured(key, extra))
        remember(lines, found)

    @in_thread("spent")
    def add_up(self) -> None:
        """Add up what the last days cost, over everything in sight."""
        from inspector.screens.sessions.data.spent import spent

        stop = cancelled()
        totals = spent(self.locations, self.clock() - timedelta(days=DAYS), stop)
        if totals is not None and not stop():
            self.post_message(self.AddedUp(totals))
        import_module(
            "inspector.screens.workspace.usage.screen"
        )  # says more of these totals; on the key it would be felt

    @in_thread("unfold")
    def unfold(self, epoch: int, place: int, line: SessionLine) -> None:
        """Read the family of a conversation."""
        from inspector.screens.sessions.data.source import family

        self.post_message(self.Unfolded(epoch, place, family(line, cancelled())))

    @in_thread("poll")
    def poll(self) -> None:
        """Look whether a database changed."""
        from inspector.screens.sessions.data.source import stamps_of

        self.post_message(self.Stamped(stamps_of(self.locations)))
