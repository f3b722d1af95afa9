"""Turning the local times of a log into UTC by what the database says about the same moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.hermes.log import Kind, LogRecord

_QUARTER = 15
"""Minutes; zones are whole quarters of an hour apart."""
_TOLERANCE = 2
"""Minutes between a line and the moment it belongs to."""
_CLEARLY = 2 / 3
"""Share of another offset's matches with which the machine's own zone still wins."""
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
    near = {session: _around(times) for session, times in moments.items() if times}
    marks = Counter(
        (record.at.replace(second=0, microsecond=0), near[record.session])
        for record in records
        if record.kind in _MARKING and record.session in near
    )
    own = sum(count for (at, around), count in marks.items() if _minute(at.astimezone(UTC)) in around)
    lines = [(_minute(at.replace(tzinfo=UTC)), around, count) for (at, around), count in marks.items()]
    scores = {
        quarter: sum(count for minute, around, count in lines if minute - quarter * _QUARTER in around)
        for quarter in sorted(_WIDEST, key=abs)
    }
    best = max(scores, key=lambda quarter: scores[quarter])
    if own >= _CLEARLY * scores[best]:
        return Clock(None, own, marks.total())
    return Clock(timedelta(minutes=best * _QUARTER), scores[best], marks.total())


def _around(times: Iterable[datetime]) -> frozenset[int]:
    """The minutes in which a line belongs to one of some moments."""
    return frozenset(_minute(at) + aside for at in times for aside in range(-_TOLERANCE, _TOLERANCE + 1))


def _minute(at: datetime) -> int:
    """Minutes since the epoch; whole ones tell zones apart, and a busy log has few of them."""
    return int(at.timestamp() // 60)
