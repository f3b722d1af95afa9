"""Remembering what a log file held, so that the next look reads only its tail."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from core.hermes.log.scan import Hit, scan

_VERSION = b"hermes-inspector log index 1"
_SEPARATOR = b"\x1f"
_NEWLINE = b"\x1e"
_HEAD = 256


@dataclass(frozen=True, slots=True)
class FileIndex:
    """The lines of one log file that matter.

    Attributes:
        name: File name, for locating a quotation.
        hits: In file order.
    """

    name: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class _Saved:
    size: int
    mtime_ns: int
    head: bytes
    offset: int
    lines: int
    hits: tuple[Hit, ...]


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
    with path.open("rb") as stream:
        stat = os.fstat(stream.fileno())
        head = sha256(stream.read(min(_HEAD, stat.st_size))).hexdigest()[:16].encode()
        saved = _load(_slot(cache, stat), head, stat.st_size) if cache else None
        if saved and (saved.size, saved.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
            return FileIndex(path.name, saved.hits)
        found = scan(stream, saved.offset if saved else 0, saved.lines if saved else 0)
    hits = (*saved.hits, *found.hits) if saved else tuple(found.hits)
    if cache is not None and stat.st_size >= _HEAD:
        fresh = _Saved(stat.st_size, stat.st_mtime_ns, head, found.offset, found.lines, hits)
        _save(_slot(cache, stat), fresh)
    return FileIndex(path.name, hits)


def _slot(cache: Path, stat: os.stat_result) -> Path:
    return cache / f"{stat.st_dev:x}-{stat.st_ino:x}.log-index"


def _load(slot: Path, head: bytes, size: int) -> _Saved | None:
    """The saved index when it is of this file; anything odd about it counts as none."""
    try:
        first, _, body = slot.read_bytes().partition(b"\n")
        version, *fields = first.split(_SEPARATOR)
        saved_size, mtime_ns, saved_head, offset, lines, count = fields
        if version != _VERSION or saved_head != head or int(offset) > size:
            return None
        hits = tuple(_unpack(body))
        if len(hits) != int(count):
            return None
        return _Saved(int(saved_size), int(mtime_ns), head, int(offset), int(lines), hits)
    except (OSError, ValueError):
        return None


def _unpack(body: bytes) -> Iterator[Hit]:
    for row in body.split(b"\n")[:-1]:
        number, line, continued = row.split(_SEPARATOR, 2)
        yield Hit(int(number), line, continued.replace(_NEWLINE, b"\n"))


def _save(slot: Path, saved: _Saved) -> None:
    """Write beside and rename, so a reader never sees half an index; a cache that fails is no fault."""
    fields = (saved.size, saved.mtime_ns, saved.head.decode(), saved.offset, saved.lines, len(saved.hits))
    first = _SEPARATOR.join([_VERSION, *(str(field).encode() for field in fields)])
    with suppress(OSError):
        slot.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=slot.parent, prefix=".index-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(first + b"\n")
                stream.writelines(map(_pack, saved.hits))
            os.replace(name, slot)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)


def _pack(hit: Hit) -> bytes:
    # The separators are control characters no log line holds; were one there, it is dropped.
    line = hit.line.replace(_SEPARATOR, b"").replace(_NEWLINE, b"")
    below = hit.continued.replace(_SEPARATOR, b"").replace(_NEWLINE, b"").replace(b"\n", _NEWLINE)
    return b"%d\x1f%b\x1f%b\n" % (hit.number, line, below)
