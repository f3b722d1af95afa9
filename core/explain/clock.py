"""Turning the local times of a log into UTC by what the database says about the same moments."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.hermes.log import Kind, LogRecord

_QUARTER = timedelta(minutes=15)
_TOLERANCE = timedelta(minutes=2)
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
    of an hour, as time zones are; the machine's own zone wins unless another explains more lines.

    Args:
        records: Lines of the log.
        moments: Times the database holds, by session.
    """
    marks = [(record.at, record.session) for record in records if record.kind in _MARKING and record.session]
    ordered = {session: sorted(times) for session, times in moments.items() if times}
    marks = [(at, session) for at, session in marks if session in ordered]
    here = Clock()
    best = _score(here, marks, ordered)
    for quarter in sorted(_WIDEST, key=abs):
        clock = Clock(quarter * _QUARTER)
        score = _score(clock, marks, ordered)
        if score > best:
            here, best = clock, score
    return Clock(here.offset, best, len(marks))


def _score(
    clock: Clock, marks: Sequence[tuple[datetime, str | None]], moments: Mapping[str, Sequence[datetime]]
) -> int:
    return sum(_near(clock.utc(at), moments[session or ""]) for at, session in marks[-200:])


def _near(at: datetime, times: Sequence[datetime]) -> bool:
    place = bisect_left(times, at)
    return any(abs(at - time) <= _TOLERANCE for time in times[max(0, place - 1) : place + 1])
