"""An index of a log file's relevant lines: found in one pass and kept with their line numbers."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from core.support.program_files import keep, load_table

_VERSION = b"hermes-inspector log index 9"
_SEPARATOR = b"\x1f"
_NEWLINE = b"\x1e"
_CONTROL = b"\x1d\x1e\x1f"
_UNBOUND = b"\x1d"
"""Marks a row whose line names no session."""
_STAMP, _TAG = len("2026-01-01 00:00:00,000"), len("2026-01-01 00:00:00,000 CRITICAL [")
_ENDS = 256
"""Bytes at a file's start, and before the offset read so far, that identify it."""
_LATER = 64 * 1024
"""Bytes a file must grow before its index is rewritten, which takes longer than rereading fewer."""
_CHUNK, _MIN_READ = 16 * 1024 * 1024, 64 * 1024
_CONTINUED = 12
_NAMES = re.compile(r"(agent|gateway)\.log(?:\.(\d+))?")
_MARK = re.compile(rb"context compression (star|done)")
_MARK_LENGTH = len("context compression done")
"""How the lines that begin and end an attempt differ from all others."""
_BLOCK = 1024 * 1024
_MAX_LINE = 20_000


@cache
def needles() -> tuple[bytes, ...]:
    """Every line worth parsing contains one of these."""
    return tuple(map(str.encode, load_table("core/hermes/log/needles.yaml")))


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


def may_be_open(home: Path) -> bool:
    """Whether the bytes of the log begin more attempts than they end: reading its lines takes far longer.

    If the lines are in memory, they are the better answer.
    """
    files = [path for path in log_files(home) if path.is_file()]  # reading a pipe would block
    if files and all(map(is_read, files)):
        return True
    open_ = 0
    for path in files:
        with suppress(OSError), path.open("rb") as stream:
            rest = b""
            while block := stream.read(_BLOCK):
                for mark in _MARK.findall(rest + block):
                    open_ = open_ + 1 if mark == b"star" else max(0, open_ - 1)
                rest = (rest + block)[1 - _MARK_LENGTH :]
    return open_ > 0


class Hit(NamedTuple):
    """A line worth parsing.

    Attributes:
        number: Its 1-based line number in the file.
        line: Its bytes without the newline.
        continued: The continuation lines after it, which have no head of their own; at most a dozen.
    """

    number: int
    line: bytes
    continued: bytes = b""


class Scan(NamedTuple):
    """The result of one pass.

    Attributes:
        offset: Bytes read, up to the last newline; a line still being written is left for the next pass.
        lines: Newlines before `offset`.
    """

    hits: list[Hit]
    offset: int
    lines: int


def scan(stream: BinaryIO, offset: int = 0, lines: int = 0) -> Scan:
    """Read complete lines from an offset to the end.

    `offset` and `lines` are where an earlier pass stopped.
    """
    hits: list[Hit] = []
    size = stream.seek(0, os.SEEK_END)
    stream.seek(offset)
    rest = b""
    # Buffers fit what is left to read: allocating and freeing full-size chunks fragments the heap.
    while block := stream.read(min(_CHUNK, max(size - stream.tell(), _MIN_READ))):
        chunk = rest + block
        end = chunk.rfind(b"\n") + 1
        rest = chunk[end:]
        if len(rest) > 4 * _CHUNK:  # a file without newlines is not a log
            break
        hits.extend(_hits(chunk[:end], lines))
        lines += chunk.count(b"\n", 0, end)
        offset += end
    return Scan(hits, offset, lines)


def _hits(chunk: bytes, lines: int) -> Iterator[Hit]:
    counted, number = 0, lines + 1
    for start in line_starts(chunk, needles()):
        number += chunk.count(b"\n", counted, start)
        counted = start
        end = chunk.find(b"\n", start)
        yield Hit(number, chunk[start : min(end, start + _MAX_LINE)].rstrip(b"\r"), _below(chunk, end + 1))


def line_starts(text: bytes, words: Iterable[bytes], begin: int = 0) -> list[int]:
    """The offsets of the lines that contain one of the words, in order."""
    starts = set()
    for word in words:
        found = text.find(word, begin)
        while found >= 0:
            starts.add(text.rfind(b"\n", 0, found) + 1)
            found = text.find(word, text.find(b"\n", found))
    return sorted(starts)


def _below(chunk: bytes, start: int) -> bytes:
    """The continuation lines that follow: a traceback, or the rest of a text with newlines."""
    end = start
    for _ in range(_CONTINUED):
        head = chunk[end : end + 11]
        if not head or (head[:4].isdigit() and head[4:5] == b"-" and head[10:] == b" "):
            break
        end = chunk.find(b"\n", end) + 1
    return chunk[start : min(end, start + _MAX_LINE)].rstrip(b"\r\n")


@dataclass(frozen=True, slots=True)
class FileIndex:
    """The relevant lines of one log file, packed one per row.

    Attributes:
        name: File name, for citing a line.
        rows: Packed hits in file order, each ended by a newline.
    """

    name: str
    rows: bytes

    def about(self, words: Collection[bytes], begin: int = 0) -> Iterator[Hit]:
        """The lines that contain one of the words or name no session, in file order.

        Only these are unpacked: a log of many sessions has thousands of others. The empty word matches all.

        The first `begin` bytes of `rows` are skipped.
        """
        if b"" in words:
            yield from map(_unpack, self.rows[begin:].split(b"\n")[:-1])
            return
        for start in line_starts(self.rows, (_UNBOUND, *words), begin):
            yield _unpack(self.rows[start : self.rows.find(b"\n", start)])


@dataclass(frozen=True, slots=True)
class _Saved:
    """The saved index of a log file."""

    size: int
    mtime_ns: int
    ends: bytes
    offset: int
    lines: int
    rows: bytes


def index_file(path: Path, cache: Path | None) -> FileIndex:
    """The relevant lines of one file, from the cache as far as it is still valid.

    The cache identifies a file by device and inode, so a rotation that renames it loses nothing. A file that
    shrank, or whose bytes changed where reading began or stopped, is read anew.

    Without a cache directory the whole file is read.

    Raises:
        OSError: The log cannot be read.
    """
    if not path.is_file():  # reading a pipe would block
        raise OSError(errno.EINVAL, "not a regular file")
    state = _state(path)
    known = _read.get(path)  # several threads ask: one look, so that nothing can change between two
    if known is None or known[0] != state:
        known = _read[path] = state, _index(path, cache)
    return known[1]


def is_read(path: Path) -> bool:
    """Whether the lines of a file, as it is now, are in memory."""
    known = _read.get(path)
    try:
        return known is not None and known[0] == _state(path)
    except OSError:
        return False


_State: TypeAlias = tuple[int, int, int]
_read: dict[Path, tuple[_State, FileIndex]] = {}
"""The newest index of each file: one command asks for a log up to seven times."""


def _state(path: Path) -> _State:
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _index(path: Path, cache: Path | None) -> FileIndex:
    with path.open("rb") as stream:
        stat = os.fstat(stream.fileno())
        saved = _load(_copy_path(cache, stat), stat.st_size) if cache else None
        if saved and saved.ends != _ends(stream, saved.offset):
            saved = None
        if saved and (saved.size, saved.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
            return FileIndex(path.name, saved.rows)
        found = scan(stream, saved.offset if saved else 0, saved.lines if saved else 0)
        ends = _ends(stream, found.offset)
    rows = (saved.rows if saved else b"") + b"".join(map(_pack, found.hits))
    if cache is not None and stat.st_size >= _ENDS and (not saved or found.offset >= saved.offset + _LATER):
        fresh = _Saved(stat.st_size, stat.st_mtime_ns, ends, found.offset, found.lines, rows)
        _save(_copy_path(cache, stat), fresh)
    return FileIndex(path.name, rows)


def _copy_path(cache: Path, stat: os.stat_result) -> Path:
    return cache / f"{stat.st_dev:x}-{stat.st_ino:x}.log-index"


def _ends(stream: BinaryIO, offset: int) -> bytes:
    stream.seek(0)
    begin = stream.read(min(_ENDS, offset))
    stream.seek(max(offset - _ENDS, 0))
    from hashlib import sha256  # a list without open attempts needs none

    return sha256(begin + stream.read(min(_ENDS, offset))).hexdigest()[:16].encode()


def _load(copy_path: Path, size: int) -> _Saved | None:
    """The saved index if it can be of this file; None if anything about it is odd."""
    try:
        first, _, body = copy_path.read_bytes().partition(b"\n")
        version, *fields = first.split(_SEPARATOR)
        saved_size, mtime_ns, ends, offset, lines, count = fields
        if version != _VERSION or not 0 <= int(offset) <= size:
            return None
        if len(body) != int(count):
            return None
        return _Saved(int(saved_size), int(mtime_ns), ends, int(offset), int(lines), body)
    except (OSError, ValueError):
        return None


def _unpack(row: bytes) -> Hit:
    number, _, line, continued = row.split(_SEPARATOR, 3)
    return Hit(int(number), line, continued.replace(_NEWLINE, b"\n"))


def _save(copy_path: Path, saved: _Saved) -> None:
    fields = (saved.size, saved.mtime_ns, saved.ends.decode(), saved.offset, saved.lines, len(saved.rows))
    first = _SEPARATOR.join([_VERSION, *(str(field).encode() for field in fields)])
    keep(copy_path, first + b"\n" + saved.rows)


def _pack(hit: Hit) -> bytes:
    # Control characters separate the fields, so any in a log line are dropped.
    line = hit.line.translate(None, _CONTROL)
    below = hit.continued.translate(None, _CONTROL).replace(b"\n", _NEWLINE)
    bound = b"session" in line or b" [" in line[_STAMP:_TAG]
    return _SEPARATOR.join([b"%d" % hit.number, b"" if bound else _UNBOUND, line, below]) + b"\n"
