"""Which lines without a session tag belong to an attempt: time and process must decide."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from core.hermes.log.record import Kind, LogRecord

SILENCE = timedelta(minutes=20)
"""Longer than any release waits for a summary: a line that comes later is of something else."""
LONGEST = timedelta(hours=1)
"""How long a compaction without an end is taken to be under way."""
AFTERWARDS = timedelta(seconds=10)
"""What is still said of an attempt once it was given up is said at once."""
_LAST_WORDS = frozenset({Kind.ABORTED, Kind.NO_PROGRESS, Kind.EMPTY_TRANSCRIPT, Kind.REFUSED})


class OtherCompactions:
    """The compactions of other sessions in the same log."""

    def __init__(self, compactions: Sequence[LogRecord], sessions: Collection[str]) -> None:
        self._lines = [one for one in compactions if one.session not in sessions]
        self._times = [one.at for one in self._lines]

    def running(self, at: datetime) -> bool:
        """Whether one of them may have been under way at a moment."""
        ended: set[str | None] = set()
        for index in range(bisect_right(self._times, at) - 1, -1, -1):
            line = self._lines[index]
            if at - line.at > LONGEST:
                return False
            if line.kind is not Kind.STARTED:
                ended.add(line.session)
            elif line.session not in ended:
                return True
            else:
                ended.discard(line.session)
        return False


def belongs(
    record: LogRecord,
    started: LogRecord,
    previous: LogRecord,
    others: OtherCompactions,
    *,
    tags_tell: bool,
) -> bool:
    """Whether an outcome is of the attempt that is open.

    Args:
        record: The line in question; its session is this conversation's, or it has none.
        started: The line that opened the attempt.
        previous: The newest line known to be of the attempt.
        others: What else was being compacted.
        tags_tell: Lines of a turn carry its session, so one without is of no turn.
    """
    silence = AFTERWARDS if previous.kind in _LAST_WORDS else SILENCE
    if record.at - previous.at > silence:
        return False
    if record.session is not None:
        return True
    if tags_tell and started.tag is not None:
        return False
    return not others.running(record.at)
