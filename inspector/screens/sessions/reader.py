"""What the session list reads, in threads, and the messages by which the widget that asked is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from textual.message import Message as Event
from textual.widget import Widget

from core.redact.quick_check import warm
from core.store.database.locate import Location
from inspector.base.app_protocol import shell
from inspector.base.workers import cancelled, start
from inspector.screens.sessions.data.order import MEASURED, SourcePage
from inspector.screens.sessions.data.session_line import Extra, Key, SessionLine, recall, remember
from inspector.widgets.lists.rows import PAGE

if TYPE_CHECKING:
    from core.account.spending.budget import Today
    from core.preview.generation import Reading
    from core.store.database.connect import Cancelled
    from inspector.screens.sessions.data.extras import Ranker
    from inspector.screens.sessions.data.order import Order
    from inspector.screens.sessions.data.session_line import Figures


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
class Weighed(Event):
    """What fills the window of a conversation is known."""

    line: SessionLine
    parts: tuple[int, ...]


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
    """The family of a conversation was read, in answer to a key or because Hermes wrote to it since."""

    place: int
    line: SessionLine
    lines: tuple[SessionLine, ...]
    asked: bool


@dataclass
class AddedUp(Event):
    """What today cost is known."""

    today: Today


class ListReader:
    """The workers behind the list.

    Args:
        host: The widget that is told.
        locations: The databases, the active profile's first.
    """

    def __init__(self, host: Widget, locations: Sequence[Location]) -> None:
        self.locations = tuple(locations)
        self._host = host
        self._ranker: Ranker | None = None
        self._weighed: Reading | None = None

    @property
    def now(self) -> datetime:
        """The present, as the app sees it."""
        return shell(self._host).now()

    def read(self, epoch: int, order: Order, *, first: bool = False) -> None:
        """Read the first page of an order; before it, when nothing is shown yet, what is quick to read."""
        start(self._host, "list", partial(self._read, epoch, order, first=first))

    def _read(self, epoch: int, order: Order, *, first: bool) -> None:
        from inspector.screens.sessions.data.source import read_first, read_page

        stop = cancelled()
        if first:
            self._tell(Arrived(epoch, read_first(self.locations, stop)))
            self._tell(Recalled(recall(self.locations)))
        if order.sort in MEASURED:
            self._rank(epoch, order, stop)
            return
        page = read_page(self.locations, order, 0, PAGE, cancelled=stop)
        warm()
        if not stop():
            self._tell(Arrived(epoch, page))

    def _rank(self, epoch: int, order: Order, stop: Cancelled) -> None:
        from inspector.screens.sessions.data.extras import Ranker

        self._ranker = ranker = self._ranker or Ranker()
        for page in ranker.pages(self.locations, order, PAGE, self.now, stop):
            if not stop():
                self._tell(Arrived(epoch, page))

    def read_more(self, epoch: int, page: SourcePage, first: int, size: int) -> None:
        """Read a page the user scrolled to."""
        start(self._host, "pages", partial(self._read_more, epoch, page, first, size), exclusive=False)

    def _read_more(self, epoch: int, page: SourcePage, first: int, size: int) -> None:
        from inspector.screens.sessions.data.source import read_page, read_ranked

        if page.ranking:
            rows = tuple(read_ranked(page.ranking[first : first + size], cancelled()))
            self._tell(Arrived(epoch, replace(page, start=first, rows=rows)))
            return
        found = read_page(self.locations, page.order, first, size, totals=page.totals, cancelled=cancelled())
        self._tell(Arrived(epoch, found))

    def measure(self, lines: Sequence[SessionLine]) -> None:
        """First words, generations and pressure of some conversations, each told as soon as it is known."""
        start(self._host, "extras", partial(self._measure, lines))

    def _measure(self, lines: Sequence[SessionLine]) -> None:
        from inspector.screens.sessions.data.extras import measure, previews

        stop = cancelled()
        self._tell(Previewed(previews(lines, stop)))
        found: dict[Key, Extra] = {}
        for key, extra in measure(lines, self.now, stop):
            if stop():
                break
            found[key] = extra
            self._tell(Measured(key, extra))
        remember(lines, found)

    def weigh(self, line: SessionLine) -> None:
        """Find out what fills the window of a conversation."""
        start(self._host, "parts", partial(self._weigh, line))

    def _weigh(self, line: SessionLine) -> None:
        from inspector.screens.sessions.data.extras import parts

        stop = cancelled()
        found, self._weighed = parts(line, stop, self._weighed)
        if not stop():
            self._tell(Weighed(line, found))

    def stop_measuring(self) -> None:
        """Leave conversations unmeasured and unweighed that are not done."""
        for group in ("extras", "parts"):
            self._host.workers.cancel_group(self._host, group)

    def add_up(self) -> None:
        """Add up what today cost, over everything in sight."""
        start(self._host, "spent", self._add_up)

    def _add_up(self) -> None:
        from inspector.screens.sessions.data.extras import spent

        stop = cancelled()
        today = spent(self.locations, self.now, stop)
        if today is not None and not stop():
            self._tell(AddedUp(today))
        # Says more of these totals; loaded on the key it would be felt.
        import_module("inspector.screens.workspace.usage.screen")

    def unfold(self, place: int, line: SessionLine, *, asked: bool = True) -> None:
        """Read the family of a conversation."""
        start(self._host, "unfold", partial(self._unfold, place, line, asked), exclusive=False)

    def _unfold(self, place: int, line: SessionLine, asked: bool) -> None:
        from inspector.screens.sessions.data.source import family

        self._tell(Unfolded(place, line, family(line, cancelled()), asked))

    def _tell(self, event: Event) -> None:
        self._host.post_message(event)
