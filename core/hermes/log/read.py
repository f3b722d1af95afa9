"""The log of a home: what the lines that matter say, each parsed once while the app is on."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from zlib import crc32

from core.hermes.log.index import FileIndex, Hit, index_file
from core.hermes.log.parse import parse_line, patterns
from core.hermes.log.record import Kind, LogRecord

LONGEST = timedelta(hours=1)
"""How long a compaction without an end is taken to be under way."""
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
"""Lines kept as they were read: while Hermes writes, all but the newest are asked for once a second, and
reading 6,000 of them anew takes 0.1 s."""
_ENDS = (
    b"context compression started: ",
    b"context compression done: ",
    b"Compression made no progress (session=",
    b"Gateway hygiene compression for session ",
)
"""How the lines begin between which a compaction runs."""
_ENDS_KINDS = (Kind.STARTED, Kind.DONE, Kind.NO_PROGRESS, Kind.HYGIENE_KEPT)
_NAMES = re.compile(r"(agent|gateway)\.log(?:\.(\d+))?")
_ASKED = 4
"""Questions whose answers are kept: to join 6,000 lines anew takes 5 ms, once or twice a second."""


def lent_tags(records: Iterable[LogRecord], sessions: Collection[str] | None) -> frozenset[str]:
    """Tags under which attempts of another session were logged, where some sessions have part in that."""
    return frozenset(
        one.tag
        for one in records
        if one.tag is not None
        and _works_for_another(one)
        and (sessions is None or one.session in sessions or one.tag in sessions)
    )


def lent_lines(records: Iterable[LogRecord]) -> Iterator[tuple[LogRecord, LogRecord]]:
    """Lines that only their tag gives to a session, and the same as the session's they truly are about.

    Such a line stands between the start and the end of an attempt that names one session and carries the tag
    of another. Where the tagged session compresses itself meanwhile, nothing is certain: it keeps the line.
    """
    open_: dict[str, LogRecord] = {}
    own: set[str] = set()
    for one in records:
        tag = one.tag
        if tag is None:
            continue
        if one.kind is Kind.STARTED:
            if _works_for_another(one):
                open_[tag] = one
            else:
                own.add(tag)
        elif one.kind in (Kind.DONE, Kind.TELEMETRY):
            if one.session == tag:
                own.discard(tag)
            else:
                open_.pop(tag, None)
        elif one.kind in _SAID and one.session == tag and tag not in own:
            start = open_.get(tag)
            if start is not None and one.at - start.at <= LONGEST:
                yield one, replace(one, session=start.session)


def _works_for_another(record: LogRecord) -> bool:
    return record.kind is Kind.STARTED and record.session not in (None, record.tag)


@dataclass(frozen=True, slots=True)
class Log:
    """The lines about some sessions, oldest first.

    Attributes:
        records: In time order; equal times keep the order of the files.
        files: Names that were read, oldest rotation first.
        problems: Files that could not be read, with the reason; and a clock that was set back.
        compactions: Where compactions of any session began and ended, oldest first: a line that names no
            session may belong to another's.
        starts: When Hermes was started, by what it logs first; local time as written.
    """

    records: tuple[LogRecord, ...] = ()
    files: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    compactions: tuple[LogRecord, ...] = ()
    starts: tuple[datetime, ...] = ()

    @property
    def empty(self) -> bool:
        """No line about these sessions survives."""
        return not self.records


def read_log(home: Path, sessions: Collection[str] | None, cache_directory: Path | None = None) -> Log:
    """Read what the log of a home says about some sessions.

    Lines without a session are kept too, as are those that state a window or a threshold for any session.
    Rotations are read oldest first and joined by time, so that files in the wrong order, or lines written
    twice, do no harm.

    Without sessions, about all. Indexes are kept between runs where there is a directory for them.
    """
    indexes, problems = [], []
    for path in log_files(home):
        try:
            indexes.append((path, index_file(path, cache_directory)))
        except OSError as error:
            problems.append(f"{path.name}: {error.strerror or error}")
    anywhere = (pattern.starts.encode() for pattern in patterns() if pattern.anywhere)
    wanted = [b""] if sessions is None else [*(one.encode() for one in sessions), *anywhere, *_ENDS]

    def joined(words: Collection[bytes]) -> Log:
        return _joined((home, *words), tuple(_records(*one, words) for one in indexes), sessions)

    log = joined(wanted)
    if tags := lent_tags(log.records, sessions):
        wider = joined([*wanted, *(tag.encode() for tag in sorted(tags))])
        moved = dict(lent_lines(sorted([*wider.records, *wider.compactions], key=lambda one: one.at)))
        kept = [one for one in log.records if one not in moved]
        own = [one for one in moved.values() if sessions is None or one.session in sessions]
        log = replace(log, records=tuple(sorted([*kept, *own], key=lambda one: one.at)))
    return replace(log, files=tuple(index.name for _, index in indexes), problems=tuple(problems))


_logs: OrderedDict[Hashable, tuple[tuple[tuple[LogRecord, ...], ...], Log]] = OrderedDict()
"""Of what was asked last, the lines of each file, and the log they make."""


def _joined(
    asked: Hashable, files: tuple[tuple[LogRecord, ...], ...], sessions: Collection[str] | None
) -> Log:
    """The lines of all files in time order; lines that are newer than all before are added to those."""
    before, log = _logs.pop(asked, ((), Log()))
    last = max((lines[-1].at for lines in before if lines), default=None)
    added = [line for old, lines in zip(before, files, strict=False) for line in lines[len(old) :]]
    grew = len(before) == len(files) and all(
        new[: len(old)] == old for old, new in zip(before, files, strict=True)
    )
    if not grew or last is None or any(line.at <= last for line in added):
        log, added = Log(), [line for lines in files for line in lines]
    found = sorted(added, key=lambda line: line.at)
    telling = [one for one in found if _tells_of(one, sessions)]
    log = Log(
        records=(*log.records, *_without_repeats(telling)),
        compactions=(*log.compactions, *compaction_ends(found)),
        starts=(*log.starts, *(one.at for one in found if one.kind is Kind.PROGRAM_STARTED)),
    )
    _logs[asked] = files, log
    while len(_logs) > 1 and (
        len(_logs) > _ASKED or sum(len(one.records) for _, one in _logs.values()) > _KEPT
    ):
        _logs.popitem(last=False)
    return log


def compaction_ends(records: Iterable[LogRecord]) -> tuple[LogRecord, ...]:
    """The lines that open and close compactions."""
    return tuple(one for one in records if one.kind in _ENDS_KINDS)


def _tells_of(record: LogRecord, sessions: Collection[str] | None) -> bool:
    """Not where a compaction of a session that was not asked about began or ended, nor that Hermes began."""
    if record.kind is Kind.PROGRAM_STARTED:
        return False
    if sessions is None or record.kind not in _ENDS_KINDS:
        return True
    return record.session in sessions or record.tag in sessions


def log_files(home: Path) -> tuple[Path, ...]:
    """The log files of a home, oldest rotation first, the agent's before the gateway's."""
    folder = home / "logs"
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return ()
    found = [match for name in names if (match := _NAMES.fullmatch(name))]
    found.sort(key=lambda match: (match[1], -int(match[2] or 0)))
    return tuple(folder / match[0] for match in found)


_known: OrderedDict[Hashable, tuple[int, int, tuple[LogRecord, ...]]] = OrderedDict()
"""Of a file and what was asked of it, how many bytes of its index were read, their sum, and what they say."""


def _records(path: Path, index: FileIndex, wanted: Collection[bytes]) -> tuple[LogRecord, ...]:
    key = (path, tuple(wanted))
    read, check, records = _known.get(key, (0, 0, ()))
    if read > len(index.rows) or crc32(memoryview(index.rows)[:read]) != check:
        read, check, records = 0, 0, ()
    parsed = (_parsed(hit, index.name) for hit in index.about(wanted, read))
    records = (*records, *(record for record in parsed if record is not None))
    _known.pop(key, None)
    _known[key] = (len(index.rows), crc32(memoryview(index.rows)[read:], check), records)
    while len(_known) > 1 and sum(1 + len(lines) for _, _, lines in [*_known.values()]) > _KEPT:
        _known.popitem(last=False)
    return records


def _parsed(hit: Hit, name: str) -> LogRecord | None:
    line, below = hit.line.decode("utf-8", "replace"), hit.continued.decode("utf-8", "replace")
    return parse_line(line, f"{name}:{hit.number}", below)


def _without_repeats(records: Iterable[LogRecord]) -> Iterator[LogRecord]:
    """Drop lines that say the same at the same moment, as the gateway's file and doubled files do."""
    seen: set[tuple[object, ...]] = set()
    moment: datetime | None = None
    for record in records:
        if record.at != moment:
            moment, seen = record.at, set()
        key = (record.kind, record.message, record.tag)
        if key not in seen:
            seen.add(key)
            yield record
