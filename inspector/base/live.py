"""Following a Hermes that writes: looks at the files, says when they changed, and can be paused."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.message import Message
from textual.widget import Widget

from core.live.file_changes import Mark, mark_of
from core.store.database.locate import Location
from inspector.base.app_protocol import shell
from inspector.base.workers import start

PACE = 0.5
"""Seconds between two looks."""
SHARE = 6.0
"""Reading again may take so much less than the time between: a long conversation is read more seldom."""
MOST, PATIENCE = 3.0, 10.0
"""Seconds between two readings at most, and until one without an answer is given up."""


class Rhythm:
    """When to read again: not while it is being read, and the later the longer that took."""

    def __init__(self) -> None:
        self._next = 0.0
        self._began: float | None = None

    @property
    def due(self) -> bool:
        """Whether it is time to look."""
        return time.monotonic() >= self._next

    def begin(self) -> None:
        """It is being read; should no answer come, it is looked at again after a while."""
        self._began = time.monotonic()
        self._next = self._began + PATIENCE

    def done(self, *, first: bool = False) -> None:
        """It was read; the first time has much to import and tells nothing of the next."""
        if self._began is not None:
            now = time.monotonic()
            self._next = now if first else now + min(MOST, SHARE * (now - self._began))
            self._began = None


class Pulse:
    """Tells a screen when the files of a store changed; a look costs some ten `stat`, in a thread.

    Args:
        host: A `Reporting` widget or screen; it hands what `Pulse.Marked` says to `take`.
        place: The database and its home.
        changed: Called when something was written; the host says `done` once it has read it.
    """

    class Marked(Message):
        """The files were looked at."""

        def __init__(self, mark: Mark) -> None:
            self.mark = mark
            super().__init__()

    def __init__(self, host: Widget, place: Location, changed: Callable[[], object]) -> None:
        self._host, self._place, self._changed = host, place, changed
        self._mark = mark_of(place)
        self.rhythm = Rhythm()
        host.set_interval(PACE, self._look)

    def _look(self) -> None:
        if self.rhythm.due and not shell(self._host).live.paused:
            start(self._host, "pulse", self._read)

    def _read(self) -> None:
        self._host.post_message(self.Marked(mark_of(self._place)))

    def take(self, mark: Mark) -> None:
        """What a look found."""
        if mark != self._mark:
            live = shell(self._host)
            live.live.changed = live.now()
            self.rhythm.begin()
            self._changed()
        self._mark = mark
