"""One log written in several zones: processes of a home may run under different ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from core.explain.context.log.log_clock import Clock, align, candidates
from core.hermes.log.read import Log
from core.hermes.log.record import LogRecord

_JUMP = timedelta(minutes=10)
"""Zones differ by a quarter of an hour at least, so a smaller step is a pause."""
_BESIDE = timedelta(seconds=5)
_NEVER = datetime.min.replace(tzinfo=UTC)

Moments = Mapping[str, Sequence[datetime]]
Spans = Mapping[str, tuple[datetime, datetime]]


def settled(log: Log, moments: Moments) -> tuple[Log, Clock]:
    """The lines of a log as if one zone had written them all, in time order, and that zone's clock.

    A stretch of a file that lies wholly outside what the database holds of its sessions came from another
    zone, provided there is one under which it falls beside moments no other line tells of, and the order of
    the file is the order of time. Stretches without such a zone stay as written.

    Args:
        log: The lines about a conversation.
        moments: Times the database holds, by session.
    """
    clock = align(log.records, moments)
    spans = {one: (min(times) - _JUMP, max(times) + _JUMP) for one, times in moments.items() if times}
    strays = [record for record in log.records if _outside(record, spans, clock)]
    if not strays:
        return log, clock
    told = {clock.utc(record.at) for record in log.records} - {clock.utc(record.at) for record in strays}
    untold = _untold(moments, sorted(told))
    found: list[LogRecord] = []
    for lines in _files(log.records):
        found += _in_one_zone(lines, untold, spans, clock)
    return replace(log, records=tuple(sorted(found, key=lambda record: record.at))), clock


def _outside(record: LogRecord, spans: Spans, clock: Clock) -> bool:
    span = spans.get(record.session or "")
    return span is not None and not span[0] <= clock.utc(record.at) <= span[1]


def _untold(moments: Moments, told: Sequence[datetime]) -> Moments:
    """The moments no line of the clock's own zone stands beside: lines of another zone belong to these."""

    def alone(at: datetime) -> bool:
        return bisect_left(told, at - _BESIDE) == bisect_right(told, at + _BESIDE)

    return {session: [at for at in times if alone(at)] for session, times in moments.items()}


def _files(records: Sequence[LogRecord]) -> Iterator[list[LogRecord]]:
    """The lines of each file, in its own order."""
    files = defaultdict[str, list[tuple[int, LogRecord]]](list)
    for record in records:
        name, _, line = record.where.rpartition(":")
        files[name].append((int(line), record))
    for numbered in files.values():
        yield [record for _, record in sorted(numbered, key=lambda pair: pair[0])]


def _in_one_zone(
    lines: Sequence[LogRecord], moments: Moments, spans: Spans, clock: Clock
) -> Iterator[LogRecord]:
    """The lines of one file, those of other zones moved to the clock's."""
    stretches = [*_stretches(lines)]
    lost = [_lost(stretch, spans, clock) for stretch in stretches]
    reached = _NEVER
    for place, stretch in enumerate(stretches):
        move = timedelta()
        if lost[place]:
            after = [clock.utc(one[0].at) for one, stray in zip(stretches, lost, strict=True) if not stray]
            later = next((at for at in after if at > reached), None)
            move = _move(stretch, moments, clock, (reached, later))
        reached = clock.utc(stretch[-1].at + move)
        yield from (replace(record, at=record.at + move) for record in stretch) if move else stretch


def _stretches(lines: Sequence[LogRecord]) -> Iterator[list[LogRecord]]:
    """Lines without a jump of the clock between them."""
    stretch = [*lines[:1]]
    for before, after in pairwise(lines):
        if abs(after.at - before.at) > _JUMP:
            yield stretch
            stretch = []
        stretch.append(after)
    yield stretch


def _lost(stretch: Sequence[LogRecord], spans: Spans, clock: Clock) -> bool:
    known = [record for record in stretch if record.session in spans]
    return bool(known) and all(_outside(record, spans, clock) for record in known)


def _move(
    stretch: Sequence[LogRecord], moments: Moments, clock: Clock, room: tuple[datetime, datetime | None]
) -> timedelta:
    """How far a stretch must be moved to lie beside the moments of its sessions; zero when nothing fits."""
    earliest, latest = room
    for other in candidates(stretch, moments):
        first, last = other.utc(stretch[0].at), other.utc(stretch[-1].at)
        if first + _JUMP >= earliest and (latest is None or last - _JUMP <= latest):
            return _local(first, clock) - stretch[0].at
    return timedelta()


def _local(at: datetime, clock: Clock) -> datetime:
    shifted = at.astimezone() if clock.offset is None else at + clock.offset
    return shifted.replace(tzinfo=None)
