"""Reads the log of a home; each relevant line is parsed once per run of the app."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from zlib import crc32

from core.hermes.log.index import FileIndex, Hit, index_file, log_files
from core.hermes.log.parse import parse_line, patterns
from core.hermes.log.record import Kind, LogRecord

MAX_RUN_TIME = timedelta(hours=1)
"""How long a compaction without an end line counts as running."""
_SAID = frozenset(
    {
        Kind.ABORTED,
        Kind.FALLBACK,
        Kind.SUMMARY_FAILED,
        Kind.SUMMARY_CALL,
        Kind.MAIN_MODEL_RETRY,
        Kind.AUX_CALL,
        Kind.AUX_LOWERED,
        Kind.STALLED,
    }
)
_KEPT = 16_384
"""Cached parsed lines: while Hermes writes, all but the newest are requested once a second, and parsing
6,000 of them anew takes 0.1 s."""
_ENDS = (
    b"context compression started: ",
    b"context compression done: ",
    b"Compression made no progress (session=",
    b"Gateway hygiene compression for session ",
)
"""How the lines begin that open and close a compaction."""
_ENDS_KINDS = (Kind.STARTED, Kind.DONE, Kind.NO_PROGRESS, Kind.HYGIENE_KEPT)
_OF_A_SESSION = (*_ENDS_KINDS, Kind.CALL, Kind.PROGRAM_ENDED)
_ASKED = 4
"""How many queries' results are cached: merging 6,000 lines anew takes 5 ms, once or twice a second."""


def mistaken_tags(records: Iterable[LogRecord], sessions: Collection[str] | None) -> frozenset[str]:
    """Tags under which attempts of another session were logged, if one of `sessions` is involved."""
    return frozenset(
        record.tag
        for record in records
        if record.tag is not None
        and _works_for_another(record)
        and (sessions is None or record.session in sessions or record.tag in sessions)
    )


def mistagged_lines(records: Iterable[LogRecord]) -> Iterator[tuple[LogRecord, LogRecord]]:
    """Lines whose tag names the wrong session, each with a copy that names the right one.

    Such a line is between the start and end of an attempt that names one session and carries the tag of
    another. If the tagged session compacts itself meanwhile, nothing is certain: the line stays as it is.
    """
    open_: dict[str, LogRecord] = {}
    own: set[str] = set()
    for record in records:
        tag = record.tag
        if tag is None:
            continue
        if record.kind is Kind.STARTED:
            if _works_for_another(record):
                open_[tag] = record
            else:
                own.add(tag)
        elif record.kind in (Kind.DONE, Kind.TELEMETRY):
            if record.session == tag:
                own.discard(tag)
            else:
                open_.pop(tag, None)
        elif record.kind in _SAID and record.session == tag and tag not in own:
            start = open_.get(tag)
            if start is not None and record.at - start.at <= MAX_RUN_TIME:
                yield record, replace(record, session=start.session)


def _works_for_another(record: LogRecord) -> bool:
    return record.kind is Kind.STARTED and record.session not in (None, record.tag)


@dataclass(frozen=True, slots=True)
class Log:
    """The lines about some sessions, oldest first.

    Attributes:
        records: In time order; lines of equal time keep the order of the files.
        files: Names of the files read, oldest rotation first.
        problems: Files that could not be read, with the reason; and a clock that was set back.
        compactions: Start and end lines of compactions of any session, oldest first: a line that names no
            session may belong to any of them.
        starts: When Hermes was started, by its first log line; local time as written.
        sessions: The sessions asked for; None means all of them.
    """

    records: tuple[LogRecord, ...] = ()
    files: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    compactions: tuple[LogRecord, ...] = ()
    starts: tuple[datetime, ...] = ()
    sessions: frozenset[str] | None = None

    @property
    def empty(self) -> bool:
        """Whether no line about these sessions is left: one of another session may state a window."""
        if self.sessions is None:
            return not self.records
        return not any(
            record.session in self.sessions or record.tag in self.sessions for record in self.records
        )

    @property
    def counted_calls(self) -> list[LogRecord]:
        """The answered calls of these sessions whose prompt the provider counted, oldest first."""
        call = Kind.CALL
        return [record for record in self.records if record.kind is call and record.input]

    @property
    def prompts(self) -> list[int]:
        """The sizes of those prompts."""
        return [record.input or 0 for record in self.counted_calls]


def read_log(home: Path, sessions: Collection[str] | None, cache_directory: Path | None = None) -> Log:
    """Read the log lines of a home about some sessions.

    Lines without a session are included, other than of calls, as are those that state a window or a threshold
    for any session.
    Rotations are read oldest first and merged by time, so that files in the wrong order or repeated lines do
    no harm.
    None for `sessions` means all of them. Indexes are kept between runs if there is a cache directory.
    """
    indexes, problems = [], []
    for path in log_files(home):
        try:
            indexes.append((path, index_file(path, cache_directory)))
        except OSError as error:
            problems.append(f"{path.name}: {error.strerror or error}")
    anywhere = (pattern.starts.encode() for pattern in patterns() if pattern.anywhere)
    needles = [b""] if sessions is None else [*(session.encode() for session in sessions), *anywhere, *_ENDS]

    def joined(words: Collection[bytes]) -> Log:
        return _joined((home, *words), tuple(_records(*one, words) for one in indexes), sessions)

    log = joined(needles)
    if tags := mistaken_tags(log.records, sessions):
        wider = joined([*needles, *(tag.encode() for tag in sorted(tags))])
        moved = dict(mistagged_lines(sorted([*wider.records, *wider.compactions], key=lambda one: one.at)))
        kept = [record for record in log.records if record not in moved]
        own = [one for one in moved.values() if sessions is None or one.session in sessions]
        log = replace(log, records=tuple(sorted([*kept, *own], key=lambda one: one.at)))
    asked = None if sessions is None else frozenset(sessions)
    names = tuple(index.name for _, index in indexes)
    return replace(log, files=names, problems=tuple(problems), sessions=asked)


_changing = Lock()
"""Held while `_logs` or `_known` change: several threads read logs at once."""

_logs: OrderedDict[Hashable, tuple[tuple[tuple[LogRecord, ...], ...], Log]] = OrderedDict()
"""For the latest queries: the lines of each file, and the merged log."""


def _joined(
    asked: Hashable, files: tuple[tuple[LogRecord, ...], ...], sessions: Collection[str] | None
) -> Log:
    """The lines of all files in time order; if all new lines are newer, they are appended."""
    with _changing:
        before, log = _logs.pop(asked, ((), Log()))
    last = max((lines[-1].at for lines in before if lines), default=None)
    added = [line for old, lines in zip(before, files, strict=False) for line in lines[len(old) :]]
    grew = len(before) == len(files) and all(
        new[: len(old)] == old for old, new in zip(before, files, strict=True)
    )
    if not grew or last is None or any(line.at <= last for line in added):
        log, added = Log(), [line for lines in files for line in lines]
    found = sorted(added, key=lambda line: line.at)
    relevant = [one for one in found if _is_about(one, sessions)]
    log = Log(
        records=(*log.records, *_without_repeats(relevant)),
        compactions=(*log.compactions, *compaction_ends(found)),
        starts=(*log.starts, *(one.at for one in found if one.kind is Kind.PROGRAM_STARTED)),
    )
    with _changing:
        _logs[asked] = files, log
        while len(_logs) > 1 and (
            len(_logs) > _ASKED or sum(len(one.records) for _, one in _logs.values()) > _KEPT
        ):
            _logs.popitem(last=False)
    return log


def compaction_ends(records: Iterable[LogRecord]) -> tuple[LogRecord, ...]:
    """The lines that open and close compactions."""
    return tuple(record for record in records if record.kind in _ENDS_KINDS)


def _is_about(record: LogRecord, sessions: Collection[str] | None) -> bool:
    """False for the start of Hermes, and for calls and the start or end of compactions of another session."""
    if record.kind is Kind.PROGRAM_STARTED:
        return False
    if sessions is None or record.kind not in _OF_A_SESSION:
        return True
    return record.session in sessions or record.tag in sessions


_known: OrderedDict[Hashable, tuple[int, int, tuple[LogRecord, ...]]] = OrderedDict()
"""For each file and query: bytes of its index read so far, their checksum, and the parsed lines."""


def _records(path: Path, index: FileIndex, needles: Collection[bytes]) -> tuple[LogRecord, ...]:
    key = (path, tuple(needles))
    read, check, records = _known.get(key, (0, 0, ()))
    if read > len(index.rows) or crc32(memoryview(index.rows)[:read]) != check:
        read, check, records = 0, 0, ()
    parsed = (parse_hit(hit, index.name) for hit in index.about(needles, read))
    records = (*records, *(record for record in parsed if record is not None))
    check = crc32(memoryview(index.rows)[read:], check)
    with _changing:
        _known.pop(key, None)
        _known[key] = len(index.rows), check, records
        while len(_known) > 1 and sum(1 + len(lines) for _, _, lines in _known.values()) > _KEPT:
            _known.popitem(last=False)
    return records


def parse_hit(hit: Hit, name: str) -> LogRecord | None:
    """The record of a relevant line of a file."""
    line, below = hit.line.decode("utf-8", "replace"), hit.continued.decode("utf-8", "replace")
    return parse_line(line, f"{name}:{hit.number}", below)


def _without_repeats(records: Iterable[LogRecord]) -> Iterator[LogRecord]:
    """Drop lines that repeat another of the same time, as the gateway's file and duplicate files do."""
    seen: set[tuple[object, ...]] = set()
    moment: datetime | None = None
    for record in records:
        if record.at != moment:
            moment, seen = record.at, set()
        key = (record.kind, record.message, record.tag)
        if key not in seen:
            seen.add(key)
            yield record
