"""Following a Hermes that writes: looks at the files, says when they changed, and can be paused."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from textual.widget import Widget

from core.live.event import Mark, mark_of
from core.store.database.locate import Location
from inspector.base.app_protocol import shell

BEHIND = "Hermes wrote more: press r"
"""Of what takes too long, or costs too much, to be read again each second."""
PACE = 0.12
"""Seconds between two looks."""
LEAST, MOST = 0.5, 2.0
"""Seconds from one reading to the next."""
SHARE = 6.7
"""Seconds from one reading to the next for each second of a core it took: following takes 15 % of one."""
USUAL = 4
"""Newest readings of which the cheapest tells what one costs, so that one slow reading delays no other."""
PATIENCE = 10.0
"""Seconds until a reading that does not end is given up."""
_LOOKS = ("poll",)


class Rhythm:
    """When to read again: not while it is being read, and the later the longer that took.

    Args:
        host: Its workers are at work while it is being read.
    """

    def __init__(self, host: Widget) -> None:
        self._host = host
        self._began = self._spent = 0.0
        self._reading = self._first = self._ripe = False
        self._costs: deque[float] = deque(maxlen=USUAL - 1)

    @property
    def due(self) -> bool:
        """Whether it is time to look; nobody sees what another screen covers."""
        took = time.monotonic() - self._began
        if self._reading and _at_work(self._host) and took < PATIENCE:
            return False
        if self._reading and self._first:
            self._spent = time.process_time()
        self._reading = False
        cost = time.process_time() - self._spent
        if not self._ripe and took >= max(LEAST, min(MOST, min((cost, *self._costs)) * SHARE)):
            self._ripe = True
            self._costs.append(cost)
        return self._ripe and in_sight(self._host)

    def begin(self, *, first: bool = False) -> None:
        """It is being read; the first time has much to import and tells nothing of the next."""
        self._began, self._spent = time.monotonic(), time.process_time()
        self._reading, self._first, self._ripe = True, first, False


def in_sight(host: Widget) -> bool:
    """Whether the screen of a widget is in front, or only dialogs are before it.

    Textual counts any screen just below the one in front as current, and draws all of that one anew when
    what it covers changes.
    """
    stack = host.app.screen_stack
    if host.screen not in stack:
        return False
    return all(one.is_modal for one in stack[stack.index(host.screen) + 1 :])


def _at_work(host: Widget) -> bool:
    nodes = (one.node for one in host.app.workers if not one.is_finished and one.group not in _LOOKS)
    return any(host in node.ancestors_with_self for node in nodes)


class Pulse:
    """Tells a screen when the files of its stores changed; a look costs a few `stat`, less than a thread.

    Args:
        host: A `Reporting` widget or screen.
        places: The databases and their homes.
        changed: Called when something was written; the workers of the host read it.
        ready: Says whether what was read last is whole; until then a change has to wait.
    """

    def __init__(
        self,
        host: Widget,
        places: Sequence[Location],
        changed: Callable[[], object],
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self._host, self._places = host, tuple(places)
        self._changed, self._ready = changed, ready
        self._marks = self._seen()
        self._rhythm = Rhythm(host)
        host.set_interval(PACE, self.look)

    def begin(self, *, first: bool = False) -> None:
        """The host reads by itself."""
        self._rhythm.begin(first=first)

    def look(self) -> None:
        """Have the host read what was written, unless the user wants to see no change, or nobody sees it."""
        live = shell(self._host)
        if live.live.paused or not self._rhythm.due or not self._ready():
            return
        before, self._marks = self._marks, self._seen()
        if self._marks != before:
            live.live.changed = live.now()
            self._rhythm.begin()
            self._changed()

    def _seen(self) -> tuple[Mark, ...]:
        return tuple(map(mark_of, self._places))
