"""Turning the local times of a log into UTC by what the database says about the same moments."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.hermes.log import Kind, LogRecord

_QUARTER = timedelta(minutes=15)
_TOLERANCE = timedelta(minutes=2)
_CLEARLY = 2 / 3
"""Share of another offset's matches with which the machine's own zone still wins."""
_ENOUGH = 100
"""Lines to try: an offset that fits the newest hundred is the one."""
_WIDEST = range(-12 * 4, 14 * 4 + 1)
_MARKING = frozenset({Kind.TURN, Kind.DONE, Kind.TURN_ENDED, Kind.CALL})


@dataclass(frozen=True, slots=True)
class Clock:
    """How far the log's clock is from UTC.

    Attributes:
        offset: Local minus UTC; None where this machine's own zone fits, whose rules know summer time.
        matched: How many lines fell beside a moment of the database.
        marks: How many lines were tried.
    """

    offset: timedelta | None = None
    matched: int = 0
    marks: int = 0

    def utc(self, local: datetime) -> datetime:
        """The aware UTC time of a local one."""
        if self.offset is None:
            return local.astimezone(UTC)
        return (local - self.offset).replace(tzinfo=UTC)


def align(records: Iterable[LogRecord], moments: Mapping[str, Sequence[datetime]]) -> Clock:
    """Find the offset under which log lines fall beside what the database wrote about the same session.

    The log writes local time without a zone, and may come from another machine. Offsets are whole quarters
    of an hour, as time zones are; the machine's own zone wins unless another explains far more lines: in a
    busy session a neighbouring offset fits some lines by chance.

    Args:
        records: Lines of the log.
        moments: Times the database holds, by session.
    """
    marks = [(record.at, record.session) for record in records if record.kind in _MARKING and record.session]
    ordered = {session: sorted(times) for session, times in moments.items() if times}
    marks = [(at, session) for at, session in marks if session in ordered]
    own = _score(Clock(), marks, ordered)
    scores = {
        quarter: _score(Clock(quarter * _QUARTER), marks, ordered) for quarter in sorted(_WIDEST, key=abs)
    }
    best = max(scores, key=lambda quarter: scores[quarter])
    if own >= _CLEARLY * scores[best]:
        return Clock(None, own, len(marks))
    return Clock(best * _QUARTER, scores[best], len(marks))


def _score(
    clock: Clock, marks: Sequence[tuple[datetime, str | None]], moments: Mapping[str, Sequence[datetime]]
) -> int:
    return sum(_near(clock.utc(at), moments[session or ""]) for at, session in marks)


def _near(at: datetime, times: Sequence[datetime]) -> bool:
    place = bisect_left(times, at)
    return any(abs(at - time) <= _TOLERANCE for time in times[max(0, place - 1) : place + 1])
