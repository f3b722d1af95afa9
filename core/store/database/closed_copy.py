"""Reads a small database with a write-ahead log from a copy in memory, if nobody has it open.

Even to read such a file, SQLite creates `-wal` and `-shm` beside it, which a reader may not remove: another
program may have just begun to use them. Reading a copy creates none, and works in a read-only folder too.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import struct
import threading
import time
from contextlib import closing
from itertools import count
from mmap import mmap
from pathlib import Path
from typing import NamedTuple, TypeAlias

MAX_COPIED = 32 * 2**20
"""The largest file that is copied, in bytes; reading that much takes some hundredths of a second."""
MAX_SHARED = 2 * MAX_COPIED
"""The most bytes of all copies together that are kept for later connections to the same file."""
_MAGIC = b"SQLite format 3\x00"
_VERSIONS = slice(18, 20)
"""The header bytes that say how a file is written and read: 2 with a write-ahead log, 1 without."""
_LOGGED, _PLAIN = b"\x02\x02", b"\x01\x01"

_SETTLED_NS = 1_000_000_000
"""Only after this time is a modification time reliable: two writes within one clock tick share it."""

_State: TypeAlias = tuple[int, int, int]
"""Modification time, size and inode of a file."""

_lock = threading.Lock()
_names = count()
_asked: dict[Path, _State] = {}
_LOG_HEAD = 32
"""Length of a write-ahead log's header, in bytes."""

_LOG_ORDERS = {b"\x37\x7f\x06\x82": "<II", b"\x37\x7f\x06\x83": ">II"}
"""The first bytes of the header, with the byte order of its checksums."""


class _Shared(NamedTuple):
    """A copy that several connections read.

    Attributes:
        state: The state of the file it was made from.
        uri: The URI to connect to.
        keeper: A connection that keeps the copy alive while nobody reads it.
    """

    state: _State
    uri: str
    keeper: sqlite3.Connection


_shared: dict[Path, _Shared] = {}


def shared_copy(path: Path) -> str | None:
    """The URI of a copy of a database that everyone in this process reads.

    None if the file is read in place or was just written, and the first time it is asked for: a single
    connection, as of a command, is served faster by a copy of its own.
    """
    state = _closed(path)
    if state is None or time.time_ns() - state[0] < _SETTLED_NS:
        return None
    with _lock:
        found = _shared.get(path)
        if found is None or found.state != state:
            found = _share(path, state) if _asked.get(path) == state else None
        _asked[path] = state
        return found and found.uri


def closed_copy(path: Path) -> mmap | None:
    """The content of a database with a write-ahead log but no side files, marked as needing no log.

    None where the file is too large, changes while it is read, has side files (it may be open, or its log may
    hold more), or can be read without creating any.
    """
    before = _closed(path)
    if before is None:
        return None
    try:
        content = mmap(-1, before[1])  # unlike allocated memory, it is returned to the system at once
        with path.open("rb") as stream:
            is_complete = stream.readinto(content) == before[1]
    except OSError:
        return None
    if not is_complete or _closed(path) != before:
        return None
    content[_VERSIONS] = _PLAIN
    return content


def leaves_files(path: Path) -> bool:
    """Whether reading this database creates side files that stay."""
    try:
        return path.stat().st_size > MAX_COPIED and _logged(path) and not _may_be_open(path)
    except OSError:
        return False


def log_of(path: Path) -> Path:
    """The file in which SQLite keeps what is committed but not yet moved into a database."""
    return path.with_name(f"{path.name}-wal")


def _share(path: Path, state: _State) -> _Shared | None:
    """Make a copy for everyone; the caller holds the lock."""
    content = closed_copy(path)
    if content is None or _closed(path) != state:
        return None
    uri = f"file:/hermes-inspector-{next(_names)}?vfs=memdb"
    keeper = None
    try:
        keeper = sqlite3.connect(uri, uri=True, check_same_thread=False)
        with closing(sqlite3.connect(":memory:", uri=True)) as own:
            own.deserialize(content)
            del content  # it is as large as the copy
            own.backup(keeper)
    except sqlite3.Error:  # damaged, or a SQLite without such copies: opening the file itself will tell
        if keeper is not None:
            keeper.close()
        return None
    _let_go(path)
    while _shared and sum(one.state[1] for one in _shared.values()) + state[1] > MAX_SHARED:
        _let_go(next(iter(_shared)))
    return _shared.setdefault(path, _Shared(state, f"{uri}&mode=ro", keeper))


def _let_go(path: Path) -> None:
    """Drop a copy; connections that read it keep it, but nobody else gets it."""
    if found := _shared.pop(path, None):
        found.keeper.close()


@atexit.register
def _let_all_go() -> None:
    for path in list(_shared):
        _let_go(path)


def _closed(path: Path) -> _State | None:
    """The state of a file that can be read from a copy; None for others."""
    try:
        found = path.stat()
        if found.st_size > MAX_COPIED or not _logged(path) or _may_be_open(path):
            return None
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _logged(path: Path) -> bool:
    with path.open("rb") as stream:
        head = stream.read(_VERSIONS.stop)
    return head.startswith(_MAGIC) and head[_VERSIONS] == _LOGGED


def _may_be_open(path: Path) -> bool:
    """Whether somebody may have a database open, or its log may hold more than the file."""
    shared = Path(f"{path}-shm")
    return (os.path.lexists(shared) and not shared.is_dir()) or is_log(log_of(path))


def is_log(path: Path) -> bool:
    """Whether a file is a write-ahead log with a valid header; SQLite ignores any other."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        head = stream.read(_LOG_HEAD)
    if len(head) < _LOG_HEAD or head[:4] not in _LOG_ORDERS:
        return False
    one = two = 0
    for even, odd in struct.iter_unpack(_LOG_ORDERS[head[:4]], head[:24]):
        one = (one + even + two) & 0xFFFFFFFF
        two = (two + odd + one) & 0xFFFFFFFF
    return struct.pack(">II", one, two) == head[24:]
