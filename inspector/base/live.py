"""Following a Hermes that writes: looks at the files, says when they changed, and can be paused."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.widget import Widget

from core.live.file_changes import mark_of
from core.store.database.locate import Location
from inspector.base.app_protocol import shell

PACE = 0.2
"""Seconds between two looks."""
LEAST, SHARE = 0.7, 3.0
"""Seconds from one reading to the next at least, and how much longer than it took it is rested after."""
MOST, PATIENCE = 2.0, 10.0
"""Seconds of rest at most, and until a reading that does not end is given up."""
_LOOKS = ("poll",)


class Rhythm:
    """When to read again: not while it is being read, and the later the longer that took.

    Args:
        host: Its workers are at work while it is being read.
    """

    def __init__(self, host: Widget) -> None:
        self._host = host
        self._next = 0.0
        self._began: float | None = None
        self._first = False

    @property
    def due(self) -> bool:
        """Whether it is time to look; nobody sees what another screen covers."""
        if self._began is not None and not _at_work(self._host):
            self._done(self._began)
        return time.monotonic() >= self._next and self._host.screen.is_current

    def begin(self, *, first: bool = False) -> None:
        """It is being read; the first time has much to import and tells nothing of the next."""
        self._began, self._first = time.monotonic(), first
        self._next = self._began + PATIENCE

    def _done(self, began: float) -> None:
        now, self._began = time.monotonic(), None
        rest = 0.0 if self._first else min(MOST, SHARE * (now - began - PACE))
        self._next = max(began + LEAST, now + rest)


def _at_work(host: Widget) -> bool:
    nodes = (one.node for one in host.app.workers if not one.is_finished and one.group not in _LOOKS)
    return any(host in node.ancestors_with_self for node in nodes)


class Pulse:
    """Tells a screen when the files of a store changed; a look costs some ten `stat`, less than a thread.

    Args:
        host: A `Reporting` widget or screen.
        place: The database and its home.
        changed: Called when something was written; the workers of the host read it.
    """

    def __init__(self, host: Widget, place: Location, changed: Callable[[], object]) -> None:
        self._host, self._place, self._changed = host, place, changed
        self._mark = mark_of(place)
        self._rhythm = Rhythm(host)
        host.set_interval(PACE, self._look)

    def _look(self) -> None:
        live = shell(self._host)
        if live.live.paused or not self._rhythm.due:
            return
        before, self._mark = self._mark, mark_of(self._place)
        if self._mark != before:
            live.live.changed = live.now()
            self._rhythm.begin()
            self._changed()
