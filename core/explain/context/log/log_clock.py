"""The clock of a log: the offset of its local times from UTC, found by comparing them with those of rows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord

_MINUTE = timedelta(minutes=1)
_QUARTER = 15
"""Minutes: time zones differ by whole quarters of an hour."""
_TOLERANCE = 2
"""How many minutes a line may be from the moment it belongs to."""
_CLEARLY = 2 / 3
"""The machine's own zone is chosen if it fits at least this share as well as the best one."""
_WIDEST = range(-12 * 4, 14 * 4 + 1)
_MARKING = (Kind.CALL, Kind.TURN, Kind.TURN_ENDED, Kind.DONE)

Minutes = Mapping[str, Sequence[int]]
"""The distinct minutes since the epoch in order, by session."""
_JUMP = timedelta(minutes=10)
"""Zones differ by at least a quarter of an hour, so a smaller step is a pause."""
_BESIDE = timedelta(seconds=5)
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The offset of the log's clock from UTC.

    Attributes:
        offset: Local time minus UTC; None where this machine's own zone fits, with its summer time.
    """

    offset: timedelta | None = None

    def utc(self, local: datetime) -> datetime:
        """Convert a local time to an aware UTC time."""
        if self.offset is None:
            return local.astimezone(UTC)
        return (local - self.offset).replace(tzinfo=UTC)


def align(records: Iterable[LogRecord], moments: Mapping[str, Sequence[datetime]]) -> Clock:
    """Find the offset at which log lines coincide with what the database recorded of the same session.

    The log writes local time without a zone and may come from another machine. Offsets are whole quarters of
    an hour, as in real time zones; the machine's own zone wins unless another fits far better.
    """
    known, marks = _minutes_of_sessions(moments), _marks(records, moments)
    own = _fit(_written(marks, lambda at: at.astimezone(UTC)), known, 0)
    scores = _offset_scores(marks, known)
    best = max(scores, key=lambda quarter: scores[quarter])
    if own >= _CLEARLY * scores[best]:
        return Clock()
    return Clock(timedelta(minutes=best * _QUARTER))


def candidates(records: Iterable[LogRecord], moments: Mapping[str, Sequence[datetime]]) -> Iterator[Clock]:
    """Every offset at which some lines coincide with moments of their sessions, the best first."""
    scores = _offset_scores(_marks(records, moments), _minutes_of_sessions(moments))
    for quarter in sorted(scores, key=lambda quarter: -scores[quarter]):
        if scores[quarter]:
            yield Clock(timedelta(minutes=quarter * _QUARTER))


def _minutes_of_sessions(moments: Mapping[str, Sequence[datetime]]) -> Minutes:
    return {session: sorted(set(map(_minute, times))) for session, times in moments.items() if times}


def _marks(
    records: Iterable[LogRecord], moments: Mapping[str, Sequence[datetime]]
) -> set[tuple[str, datetime]]:
    """Minutes with a line that says something happened in a session."""
    marks, minutes = set[tuple[str, datetime]](), dict[str, datetime]()
    for record in records:
        session, at = record.session, record.at
        if record.kind not in _MARKING or not session or not moments.get(session):
            continue
        if session not in minutes or not minutes[session] <= at < minutes[session] + _MINUTE:
            minutes[session] = at.replace(second=0, microsecond=0)
            marks.add((session, minutes[session]))
    return marks


def _offset_scores(marks: Iterable[tuple[str, datetime]], known: Minutes) -> Mapping[int, int]:
    """The score of each offset, in quarters of an hour; those nearest to UTC come first."""
    lines = _written(marks, lambda at: at.replace(tzinfo=UTC))
    return {quarter: _fit(lines, known, quarter * _QUARTER) for quarter in sorted(_WIDEST, key=abs)}


def _written(marks: Iterable[tuple[str, datetime]], utc: Callable[[datetime], datetime]) -> Minutes:
    found = defaultdict[str, list[int]](list)
    for session, at in marks:
        found[session].append(_minute(utc(at)))
    return {session: sorted(minutes) for session, minutes in found.items()}


def _fit(lines: Minutes, known: Minutes, shift: int) -> int:
    """The score of an offset: moments with a line beside them, times lines between the first and last moment.

    Either factor alone misleads in a busy session, where most offsets put some line beside a moment.
    """
    outside = inside = 0
    for session, written in lines.items():
        at = [minute + shift for minute in known[session]]
        outside += sum(_between(written, minute, minute) > 0 for minute in at)
        inside += _between(written, at[0], at[-1])
    return outside * inside


def _between(minutes: Sequence[int], first: int, last: int) -> int:
    return bisect_right(minutes, last + _TOLERANCE) - bisect_left(minutes, first - _TOLERANCE)


def _minute(at: datetime) -> int:
    """Minutes since the epoch: whole minutes suffice to tell zones apart, and keep the sets small."""
    return int(at.timestamp() // 60)


Moments = Mapping[str, Sequence[datetime]]
Spans = Mapping[str, tuple[datetime, datetime]]


def as_written(log: Log) -> Log:
    """The lines in file order, for a log whose times run backwards because the clock was set back."""
    files = {name: number for number, name in enumerate(log.files)}
    placed = sorted(log.records, key=lambda record: (files[record.place[0]], record.place[1]))
    note = "the clock was set back meanwhile, so lines are in the order they were written, not by time"
    return replace(log, records=tuple(placed), problems=(*log.problems, note))


def settled(log: Log, moments: Moments) -> tuple[Log, Clock]:
    """The lines of a log as if one zone had written them all, in time order, and that zone's clock.

    A stretch of a file that lies wholly outside its sessions' times in the database was written in another
    zone. It is moved if some offset puts it beside moments that no other line explains and keeps the file in
    time order; else it stays as written.
    """
    clock = align(log.records, moments)
    spans = {one: (min(times) - _JUMP, max(times) + _JUMP) for one, times in moments.items() if times}
    # Lines are in time order: if the first and the last of a session are within it, all are.
    ends = [{one.session: one for one in way}.values() for way in (log.records, reversed(log.records))]
    doubtful = {one.session for end in ends for one in end if _outside(one, spans, clock)}
    strays = [one for one in log.records if one.session in doubtful and _outside(one, spans, clock)]
    if not strays:
        return log, clock
    certain = {clock.utc(record.at) for record in log.records} - {clock.utc(record.at) for record in strays}
    untold = _unexplained(moments, sorted(certain))
    found: list[LogRecord] = []
    for lines in _files(log.records):
        found += _in_one_zone(lines, untold, spans, clock)
    return replace(log, records=tuple(sorted(found, key=lambda record: record.at))), clock


def _outside(record: LogRecord, spans: Spans, clock: Clock) -> bool:
    span = spans.get(record.session or "")
    return span is not None and not span[0] <= clock.utc(record.at) <= span[1]


def _unexplained(moments: Moments, certain: Sequence[datetime]) -> Moments:
    """The moments without a line of the clock's own zone beside them: another zone's may belong here."""

    def alone(at: datetime) -> bool:
        return bisect_left(certain, at - _BESIDE) == bisect_right(certain, at + _BESIDE)

    return {session: [at for at in times if alone(at)] for session, times in moments.items()}


def _files(records: Sequence[LogRecord]) -> Iterator[list[LogRecord]]:
    """The lines of each file, in the order of the file."""
    files = defaultdict[str, list[LogRecord]](list)
    for record in records:
        files[record.place[0]].append(record)
    yield from (sorted(lines, key=lambda record: record.place[1]) for lines in files.values())


def _in_one_zone(
    lines: Sequence[LogRecord], moments: Moments, spans: Spans, clock: Clock
) -> Iterator[LogRecord]:
    """The lines of one file, with those of other zones moved to the clock's."""
    stretches = [*_stretches(lines)]
    lost = [_from_other_zone(stretch, spans, clock) for stretch in stretches]
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
    """Runs of lines without a jump of the clock between them."""
    stretch = [*lines[:1]]
    for before, after in pairwise(lines):
        if abs(after.at - before.at) > _JUMP:
            yield stretch
            stretch = []
        stretch.append(after)
    yield stretch


def _from_other_zone(stretch: Sequence[LogRecord], spans: Spans, clock: Clock) -> bool:
    known = [record for record in stretch if record.session in spans]
    return bool(known) and all(_outside(record, spans, clock) for record in known)


def _move(
    stretch: Sequence[LogRecord], moments: Moments, clock: Clock, room: tuple[datetime, datetime | None]
) -> timedelta:
    """How far to move a stretch so that it coincides with its sessions' moments; zero when no offset fits."""
    earliest, latest = room
    for other in candidates(stretch, moments):
        first, last = other.utc(stretch[0].at), other.utc(stretch[-1].at)
        if first + _JUMP >= earliest and (latest is None or last - _JUMP <= latest):
            return _local(first, clock) - stretch[0].at
    return timedelta()


def _local(at: datetime, clock: Clock) -> datetime:
    shifted = at.astimezone() if clock.offset is None else at + clock.offset
    return shifted.replace(tzinfo=None)
