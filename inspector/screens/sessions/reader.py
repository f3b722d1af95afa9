"""The workers of the session list, and the messages that deliver what they read."""

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
    from core.model.finding import Headline
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
    """Figures of a conversation were computed."""

    key: Key
    extra: Extra


@dataclass
class Weighed(Event):
    """What fills the window of a conversation was computed."""

    line: SessionLine
    parts: tuple[int, ...]


@dataclass
class Told(Event):
    """The answer about a conversation was completed with what its summary lost."""

    line: SessionLine
    answer: Headline


@dataclass
class Recalled(Event):
    """An earlier run's figures were read."""

    known: Mapping[Key, Figures]


@dataclass
class Previewed(Event):
    """First words of untitled conversations were read."""

    previews: Mapping[Key, str]


@dataclass
class Unfolded(Event):
    """The sessions below a conversation were read, on a key or because Hermes wrote to it."""

    place: int
    line: SessionLine
    lines: tuple[SessionLine, ...]
    asked: bool


@dataclass
class AddedUp(Event):
    """Today's cost was computed."""

    today: Today


class ListReader:
    """The workers behind the list.

    Args:
        host: The widget that receives the messages.
        locations: The databases, the active profile's first.
    """

    def __init__(self, host: Widget, locations: Sequence[Location]) -> None:
        self.locations = tuple(locations)
        self._host = host
        self._ranker: Ranker | None = None
        self._weighed: Reading | None = None

    @property
    def now(self) -> datetime:
        """The current time, as the app sees it."""
        return shell(self._host).now()

    def read(self, epoch: int, order: Order, *, first: bool = False) -> None:
        """Read the first page of an order; on the first read, deliver a quick screenful before it."""
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
        for page in ranker.pages(self.locations, order, PAGE, stop):
            if not stop():
                self._tell(Arrived(epoch, page))

    def read_more(self, epoch: int, page: SourcePage, first: int, size: int) -> None:
        """Read a page that the user scrolled to."""
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
        """Compute first words, compressions and context used; each is delivered as soon as it is known."""
        start(self._host, "extras", partial(self._measure, lines))

    def _measure(self, lines: Sequence[SessionLine]) -> None:
        from inspector.screens.sessions.data.extras import measure, previews

        stop = cancelled()
        self._tell(Previewed(previews(lines, stop)))
        found: dict[Key, Extra] = {}
        for key, extra in measure(lines, stop):
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

    def tell_losses(self, lines: Sequence[SessionLine]) -> None:
        """Complete the answers about conversations with what their summaries lost, reading every message."""
        start(self._host, "answer", partial(self._tell_losses, lines))

    def _tell_losses(self, lines: Sequence[SessionLine]) -> None:
        from inspector.screens.sessions.data.extras import answer

        stop = cancelled()
        for line in lines:
            found = answer(line, stop)
            if stop():
                return
            self._tell(Told(line, found))

    def stop_measuring(self) -> None:
        """Stop measuring; unfinished conversations stay unmeasured."""
        for group in ("extras", "parts", "answer"):
            self._host.workers.cancel_group(self._host, group)

    def add_up(self) -> None:
        """Compute today's cost, over all databases."""
        start(self._host, "spent", self._add_up)

    def _add_up(self) -> None:
        from inspector.screens.sessions.data.extras import spent

        stop = cancelled()
        today = spent(self.locations, self.now, stop)
        if today is not None and not stop():
            self._tell(AddedUp(today))
        # The usage screen explains these totals; importing it on its key would be noticeable.
        import_module("inspector.screens.workspace.usage.screen")

    def unfold(self, place: int, line: SessionLine, *, asked: bool = True) -> None:
        """Read the sessions below a conversation."""
        start(self._host, "unfold", partial(self._unfold, place, line, asked), exclusive=False)

    def _unfold(self, place: int, line: SessionLine, asked: bool) -> None:
        from inspector.screens.sessions.data.source import family

        self._tell(Unfolded(place, line, family(line, cancelled()), asked))

    def _tell(self, event: Event) -> None:
        self._host.post_message(event)
