"""Follows a running Hermes: watches the files, tells screens when they changed, and can be paused."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from textual.widget import Widget

from core.live.event import Mark, mark_of
from core.store.database.locate import Location
from inspector.base.app_protocol import shell

OUTDATED = "Hermes wrote more: press {page.refresh}"
"""Shown for what takes too long, or costs too much, to read again each second."""
PACE = 0.12
"""Seconds between two checks of the files."""
MIN_PAUSE, MAX_PAUSE = 0.5, 2.0
"""Fewest and most seconds from one read to the next."""
SHARE = 6.7
"""Seconds between reads for each CPU second a read took, so that following uses 15 % of one core."""
USUAL = 4
"""How many recent reads to compare: the cheapest counts, so that one slow read does not delay the next."""
PATIENCE = 10.0
"""Seconds after which a read that has not ended is ignored."""


class Rhythm:
    """Decides when to read again: never during a read, and later the longer reads take."""

    def __init__(self, host: Widget) -> None:
        self._host = host
        self._began = self._spent = 0.0
        self._reading = self._first = self._ripe = False
        self._costs: deque[float] = deque(maxlen=USUAL - 1)

    @property
    def due(self) -> bool:
        """Whether to check the files now; False while the host's screen is covered by another."""
        took = time.monotonic() - self._began
        if self._reading and at_work(self._host) and took < PATIENCE:
            return False
        if self._reading and self._first:
            self._spent = time.process_time()
        self._reading = False
        cost = time.process_time() - self._spent
        if not self._ripe and took >= max(MIN_PAUSE, min(MAX_PAUSE, min((cost, *self._costs)) * SHARE)):
            self._ripe = True
            self._costs.append(cost)
        return self._ripe and in_sight(self._host)

    def begin(self, *, first: bool = False) -> None:
        """Note that a read begins. The first also imports modules, so its cost does not count."""
        self._began, self._spent = time.monotonic(), time.process_time()
        self._reading, self._first, self._ripe = True, first, False


def in_sight(host: Widget) -> bool:
    """Whether a widget's screen is in front, covered by nothing but modal dialogs.

    Textual treats the screen just below the top one as current too, and redraws all of it whenever the top
    one changes.
    """
    stack = host.app.screen_stack
    if host.screen not in stack:
        return False
    return all(one.is_modal for one in stack[stack.index(host.screen) + 1 :])


def at_work(host: Widget) -> bool:
    """Whether a worker of a widget, or of one in it, is still running."""
    nodes = (one.node for one in host.app.workers if not one.is_finished)
    return any(host in node.ancestors_with_self for node in nodes)


class Pulse:
    """Tells a screen when its databases' files changed; a check is a few `stat` calls, cheaper than a thread.

    `changed` is called when something was written, and starts the host's workers; changes wait until the last
    read is `ready`.
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
        """Note that the host has started a read of its own."""
        self._rhythm.begin(first=first)

    def look(self) -> None:
        """Let the host read new writes, unless the user paused following or the host is out of sight."""
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
