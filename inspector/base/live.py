"""Following a Hermes that writes: looks at the files, says when they changed, and can be paused."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime

from textual.message import Message
from textual.widget import Widget

from core.live.file_changes import Mark, mark_of
from core.store.database.locate import Location
from inspector.base.app_protocol import shell
from inspector.base.workers import start
from inspector.terminal import formatting as format
from inspector.terminal.glyphs import LIVE, PAUSED

PACE = 0.5
"""Seconds between two looks."""
SHARE = 6.0
"""Reading again may take so much less than the time between: a long conversation is read more seldom."""
MOST = 3.0


def rest(seconds: float) -> float:
    """How long to let be what took so many seconds to read; at most a few, however busy the machine is."""
    return min(MOST, SHARE * seconds)


@dataclass(slots=True)
class LiveState:
    """Whether the app follows, and when something was last written.

    Attributes:
        changed: None while nothing was written since the app was opened.
    """

    paused: bool = False
    changed: datetime | None = None

    def sign(self, now: datetime) -> str:
        """The state in a few characters; "" while there is nothing to tell."""
        if self.paused:
            return f"{PAUSED} paused"
        return f"{LIVE} live, {format.age(self.changed, now)}" if self.changed is not None else ""


class Pulse:
    """Tells a screen when the files of a store changed; a look costs some ten `stat`, in a thread.

    Args:
        host: A `Reporting` widget or screen; it is told by `Pulse.Changed`.
        place: The database and its home.
    """

    class Changed(Message):
        """Something was written since the last look."""

    class Marked(Message):
        """The files were looked at."""

        def __init__(self, mark: Mark) -> None:
            self.mark = mark
            super().__init__()

    def __init__(self, host: Widget, place: Location) -> None:
        self._host, self._place = host, place
        self._mark = mark_of(place)
        self._next = 0.0
        self._began: float | None = None
        host.set_interval(PACE, self._look)

    def _look(self) -> None:
        if not shell(self._host).live.paused and self._began is None and time.monotonic() >= self._next:
            start(self._host, "pulse", self._read)

    def _read(self) -> None:
        self._host.post_message(self.Marked(mark_of(self._place)))

    def take(self, mark: Mark) -> None:
        """What a look found."""
        if mark != self._mark:
            live = shell(self._host)
            live.live.changed = live.now()
            self._began = time.monotonic()
            self._host.post_message(self.Changed())
        self._mark = mark

    def done(self) -> None:
        """The host has read again; the next time is the later the longer that took."""
        if self._began is not None:
            now = time.monotonic()
            self._next, self._began = now + rest(now - self._began), None
