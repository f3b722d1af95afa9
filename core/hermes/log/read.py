"""The log of a home: of each file the lines that matter, and only its tail read again."""

from __future__ import annotations

import errno
import os
import re
from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from zlib import crc32

from core.hermes.log.parse import parse_line, patterns
from core.hermes.log.record import Kind, LogRecord
from core.hermes.log.scan import Hit, scan
from core.support.file_cache import keep

_VERSION = b"hermes-inspector log index 5"
_SEPARATOR = b"\x1f"
_NEWLINE = b"\x1e"
_CONTROL = b"\x1d\x1e\x1f"
_UNBOUND = b"\x1d"
"""Marks a row whose line names no session."""
_STAMP, _TAG = len("2026-01-01 00:00:00,000"), len("2026-01-01 00:00:00,000 CRITICAL [")
_HEAD = 256
_LATER = 64 * 1024
"""Bytes a file grows by before its index is written again: that takes longer than to read so much anew."""
_KEPT = 16_384
"""Lines kept as they were read: while Hermes writes, all but the newest are asked for once a second, and
reading 6,000 of them anew takes 0.1 s."""


@dataclass(frozen=True, slots=True)
class FileIndex:
    """The lines of one log file that matter, packed one a row.

    Attributes:
        name: File name, for locating a quotation.
        rows: Packed hits in file order, each ended by a newline.
    """

    name: str
    rows: bytes

    def about(self, words: Collection[bytes], begin: int = 0) -> Iterator[Hit]:
        """The lines that hold one of some words or name no session at all, in file order.

        Only these are unpacked: a log of many sessions holds thousands of others. The empty word is in all.

        Args:
            words: What they may hold.
            begin: Bytes of `rows` passed over.
        """
        if b"" in words:
            yield from map(_unpack, self.rows[begin:].split(b"\n")[:-1])
            return
        starts: set[int] = set()
        for word in (_UNBOUND, *words):
            found = self.rows.find(word, begin)
            while found >= 0:
                starts.add(self.rows.rfind(b"\n", 0, found) + 1)
                found = self.rows.find(word, self.rows.find(b"\n", found))
        for start in sorted(starts):
            yield _unpack(self.rows[start : self.rows.find(b"\n", start)])


@dataclass(frozen=True, slots=True)
class _Saved:
    """What was kept of a log file."""

    size: int
    mtime_ns: int
    head: bytes
    offset: int
    lines: int
    rows: bytes


def index_file(path: Path, cache: Path | None) -> FileIndex:
    """The lines of one file that matter, from the cache as far as it still holds.

    The cache knows a file by device and inode, so a rotation that renames it loses nothing. A file that
    shrank, or whose beginning changed, is read anew.

    Args:
        path: The log.
        cache: Directory for the index; None reads without one.

    Raises:
        OSError: The log cannot be read.
    """
    if not path.is_file():  # a pipe would be waited for
        raise OSError(errno.EINVAL, "not a regular file")
    with path.open("rb") as stream:
        stat = os.fstat(stream.fileno())
        head = sha256(stream.read(min(_HEAD, stat.st_size))).hexdigest()[:16].encode()
        saved = _load(_copy_path(cache, stat), head, stat.st_size) if cache else None
        if saved and (saved.size, saved.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
            return FileIndex(path.name, saved.rows)
        found = scan(stream, saved.offset if saved else 0, saved.lines if saved else 0)
    rows = (saved.rows if saved else b"") + b"".join(map(_pack, found.hits))
    if cache is not None and stat.st_size >= _HEAD and (not saved or found.offset >= saved.offset + _LATER):
        fresh = _Saved(stat.st_size, stat.st_mtime_ns, head, found.offset, found.lines, rows)
        _save(_copy_path(cache, stat), fresh)
    return FileIndex(path.name, rows)


def _copy_path(cache: Path, stat: os.stat_result) -> Path:
    return cache / f"{stat.st_dev:x}-{stat.st_ino:x}.log-index"


def _load(copy_path: Path, head: bytes, size: int) -> _Saved | None:
    """The saved index when it is of this file; anything odd about it counts as none."""
    try:
        first, _, body = copy_path.read_bytes().partition(b"\n")
        version, *fields = first.split(_SEPARATOR)
        saved_size, mtime_ns, saved_head, offset, lines, count = fields
        if version != _VERSION or saved_head != head or int(offset) > size:
            return None
        if len(body) != int(count):
            return None
        return _Saved(int(saved_size), int(mtime_ns), head, int(offset), int(lines), body)
    except (OSError, ValueError):
        return None


def _unpack(row: bytes) -> Hit:
    number, _, line, continued = row.split(_SEPARATOR, 3)
    return Hit(int(number), line, continued.replace(_NEWLINE, b"\n"))


def _save(copy_path: Path, saved: _Saved) -> None:
    fields = (saved.size, saved.mtime_ns, saved.head.decode(), saved.offset, saved.lines, len(saved.rows))
    first = _SEPARATOR.join([_VERSION, *(str(field).encode() for field in fields)])
    keep(copy_path, first + b"\n" + saved.rows)


def _pack(hit: Hit) -> bytes:
    # Control characters separate the fields; a log line that holds any loses them.
    line = hit.line.translate(None, _CONTROL)
    below = hit.continued.translate(None, _CONTROL).replace(b"\n", _NEWLINE)
    bound = b"session" in line or b" [" in line[_STAMP:_TAG]
    return _SEPARATOR.join([b"%d" % hit.number, b"" if bound else _UNBOUND, line, below]) + b"\n"


_ENDS = (
    b"context compression started: ",
    b"context compression done: ",
    b"Compression made no progress (session=",
    b"Gateway hygiene compression for session ",
)
"""How the lines begin between which a compaction runs."""
_ENDS_KINDS = (Kind.STARTED, Kind.DONE, Kind.NO_PROGRESS, Kind.HYGIENE_KEPT)
_NAMES = re.compile(r"(agent|gateway)\.log(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Log:
    """The lines about some sessions, oldest first.

    Attributes:
        records: In time order; equal times keep the order of the files.
        files: Names that were read, oldest rotation first.
        problems: Files that could not be read, with the reason.
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

    Args:
        home: The HERMES_HOME.
        sessions: Ids of the sessions asked about; None for all.
        cache_directory: Where indexes are kept between runs; None for nowhere.
    """
    indexes, problems = [], []
    for path in log_files(home):
        try:
            indexes.append((path, index_file(path, cache_directory)))
        except OSError as error:
            problems.append(f"{path.name}: {error.strerror or error}")
    wanted = (
        [b""] if sessions is None else [*(session.encode() for session in sessions), *_anywhere(), *_ENDS]
    )
    found = sorted((line for one in indexes for line in _records(*one, wanted)), key=lambda line: line.at)
    records = [one for one in found if _tells_of(one, sessions)]
    return Log(
        records=tuple(_without_repeats(records)),
        files=tuple(index.name for _, index in indexes),
        problems=tuple(problems),
        compactions=compaction_ends(found),
        starts=tuple(one.at for one in found if one.kind is Kind.PROGRAM_STARTED),
    )


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
    if read > len(index.rows) or crc32(index.rows[:read]) != check:
        read, check, records = 0, 0, ()
    parsed = (_parsed(hit, index.name) for hit in index.about(wanted, read))
    records = (*records, *(record for record in parsed if record is not None))
    _known.pop(key, None)
    _known[key] = (len(index.rows), crc32(index.rows[read:], check), records)
    while len(_known) > 1 and sum(1 + len(lines) for _, _, lines in [*_known.values()]) > _KEPT:
        _known.popitem(last=False)
    return records


def _parsed(hit: Hit, name: str) -> LogRecord | None:
    line, below = hit.line.decode("utf-8", "replace"), hit.continued.decode("utf-8", "replace")
    return parse_line(line, f"{name}:{hit.number}", below)


def _anywhere() -> Iterator[bytes]:
    """Beginnings of lines whose numbers hold for every session."""
    return (pattern.starts.encode() for pattern in patterns() if pattern.anywhere)


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
