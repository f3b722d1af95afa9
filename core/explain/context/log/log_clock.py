"""Turning the local times of a log into UTC by what the database says about the same moments."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.hermes.log.record import Kind, LogRecord

_QUARTER = 15
"""Minutes; zones are whole quarters of an hour apart."""
_TOLERANCE = 2
"""Minutes between a line and the moment it belongs to."""
_CLEARLY = 2 / 3
"""Share of another offset's fit with which the machine's own zone still wins."""
_WIDEST = range(-12 * 4, 14 * 4 + 1)
_MARKING = frozenset({Kind.TURN, Kind.DONE, Kind.TURN_ENDED, Kind.CALL})

Minutes = Mapping[str, Sequence[int]]
"""By session the different minutes since the epoch, in order."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How far the log's clock is from UTC.

    Attributes:
        offset: Local minus UTC; None where this machine's own zone fits, whose rules know summer time.
    """

    offset: timedelta | None = None

    def utc(self, local: datetime) -> datetime:
        """The aware UTC time of a local one."""
        if self.offset is None:
            return local.astimezone(UTC)
        return (local - self.offset).replace(tzinfo=UTC)


def align(records: Iterable[LogRecord], moments: Mapping[str, Sequence[datetime]]) -> Clock:
    """Find the offset under which log lines fall beside what the database wrote about the same session.

    The log writes local time without a zone, and may come from another machine. Offsets are whole quarters
    of an hour, as time zones are; the machine's own zone wins unless another fits far better.

    Args:
        records: Lines of the log.
        moments: Times the database holds, by session.
    """
    known, marks = _known(moments), _marks(records, moments)
    own = _fit(_written(marks, lambda at: at.astimezone(UTC)), known, 0)
    fits = _fits(marks, known)
    best = max(fits, key=lambda quarter: fits[quarter])
    if own >= _CLEARLY * fits[best]:
        return Clock()
    return Clock(timedelta(minutes=best * _QUARTER))


def candidates(records: Iterable[LogRecord], moments: Mapping[str, Sequence[datetime]]) -> Iterator[Clock]:
    """Every offset under which some lines fall beside moments of their sessions, the best first."""
    fits = _fits(_marks(records, moments), _known(moments))
    for quarter in sorted(fits, key=lambda quarter: -fits[quarter]):
        if fits[quarter]:
            yield Clock(timedelta(minutes=quarter * _QUARTER))


def _known(moments: Mapping[str, Sequence[datetime]]) -> Minutes:
    return {session: sorted(set(map(_minute, times))) for session, times in moments.items() if times}


def _marks(
    records: Iterable[LogRecord], moments: Mapping[str, Sequence[datetime]]
) -> set[tuple[str, datetime]]:
    """Minutes in which a line says that something of a session happened."""
    return {
        (record.session, record.at.replace(second=0, microsecond=0))
        for record in records
        if record.kind in _MARKING and record.session and moments.get(record.session)
    }


def _fits(marks: Iterable[tuple[str, datetime]], known: Minutes) -> Mapping[int, int]:
    """How well each offset fits, by quarters of an hour; equal ones the nearest to UTC first."""
    lines = _written(marks, lambda at: at.replace(tzinfo=UTC))
    return {quarter: _fit(lines, known, quarter * _QUARTER) for quarter in sorted(_WIDEST, key=abs)}


def _written(marks: Iterable[tuple[str, datetime]], utc: Callable[[datetime], datetime]) -> Minutes:
    found = defaultdict[str, list[int]](list)
    for session, at in marks:
        found[session].append(_minute(utc(at)))
    return {session: sorted(minutes) for session, minutes in found.items()}


def _fit(lines: Minutes, known: Minutes, shift: int) -> int:
    """Moments that have a line beside them, times the minutes of lines between the first and the last.

    Either alone misleads in a busy session: there a moment has some line beside it under many an offset.
    """
    beside = inside = 0
    for session, written in lines.items():
        at = [minute + shift for minute in known[session]]
        beside += sum(_between(written, minute, minute) > 0 for minute in at)
        inside += _between(written, at[0], at[-1])
    return beside * inside


def _between(minutes: Sequence[int], first: int, last: int) -> int:
    return bisect_right(minutes, last + _TOLERANCE) - bisect_left(minutes, first - _TOLERANCE)


def _minute(at: datetime) -> int:
    """Minutes since the epoch; whole ones tell zones apart, and a busy log has few of them."""
    return int(at.timestamp() // 60)
