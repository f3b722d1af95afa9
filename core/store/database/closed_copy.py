"""A small database with a write-ahead log that nobody has open, read from memory.

SQLite makes `-wal` and `-shm` beside such a file even to read it, and a reader may not remove them: another
program may just have begun to use them. A copy leaves none behind, and works in a closed folder too.
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

MOST_COPIED = 32 * 2**20
"""Bytes of the largest file that is copied; reading that much takes some hundredths of a second."""
MOST_SHARED = 2 * MOST_COPIED
"""Bytes of all copies together that stay for whoever opens the same file again."""
_MAGIC = b"SQLite format 3\x00"
_VERSIONS = slice(18, 20)
"""Where the header says how a file is written and read: 2 is with a write-ahead log, 1 without."""
_LOGGED, _PLAIN = b"\x02\x02", b"\x01\x01"

_SETTLED_NS = 1_000_000_000
"""Age from which the time of a file tells what it holds: two writes in one tick of a clock have the same."""

_State: TypeAlias = tuple[int, int, int]
"""Time of change, size and place of a file."""

_lock = threading.Lock()
_names = count()
_asked: dict[Path, _State] = {}
_LOG_HEAD = 32
"""Bytes of the header of a write-ahead log."""

_LOG_ORDERS = {b"\x37\x7f\x06\x82": "<II", b"\x37\x7f\x06\x83": ">II"}
"""What it begins with, and in which order of bytes its sums are made."""


class _Shared(NamedTuple):
    """A copy that several connections read.

    Attributes:
        state: Of the file it was made from.
        uri: What to connect to.
        keeper: Holds it while nobody reads.
    """

    state: _State
    uri: str
    keeper: sqlite3.Connection


_shared: dict[Path, _Shared] = {}


def shared_copy(path: Path) -> str | None:
    """What to connect to for a copy that everyone in this process reads.

    Args:
        path: The database.

    Returns:
        A URI; None for what is read in place or was just written, and the first time a file is asked for:
        whoever opens it once, as a command does, is served sooner by a copy of its own.
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
    """The content of a database with a write-ahead log, when nothing lies beside it.

    Args:
        path: The database.

    Returns:
        The content, as one that needs no log; None where the file is too large, changes while it is read, has
        side files (so that somebody may have it open, or its log holds more), or can be read without them.
    """
    before = _closed(path)
    if before is None:
        return None
    try:
        content = mmap(-1, before[1])  # given back to the system at once, as what is allocated may not be
        with path.open("rb") as stream:
            whole = stream.readinto(content) == before[1]
    except OSError:
        return None
    if not whole or _closed(path) != before:
        return None
    content[_VERSIONS] = _PLAIN
    return content


def leaves_files(path: Path) -> bool:
    """Whether reading this database makes files beside it that stay."""
    try:
        return path.stat().st_size > MOST_COPIED and _logged(path) and not _beside(path)
    except OSError:
        return False


def log_of(path: Path) -> Path:
    """Where SQLite keeps what was committed and not yet moved into a database."""
    return path.with_name(f"{path.name}-wal")


def _share(path: Path, state: _State) -> _Shared | None:
    """Make a copy for everyone; called with the lock held."""
    content = closed_copy(path)
    if content is None or _closed(path) != state:
        return None
    uri = f"file:/hermes-inspector-{next(_names)}?vfs=memdb"
    keeper = None
    try:
        keeper = sqlite3.connect(uri, uri=True, check_same_thread=False)
        with closing(sqlite3.connect(":memory:", uri=True)) as own:
            own.deserialize(content)
            del content  # as large as the copy
            own.backup(keeper)
    except sqlite3.Error:  # damaged, or a SQLite without such copies: whoever opens it alone is told
        if keeper is not None:
            keeper.close()
        return None
    _let_go(path)
    while _shared and sum(one.state[1] for one in _shared.values()) + state[1] > MOST_SHARED:
        _let_go(next(iter(_shared)))
    return _shared.setdefault(path, _Shared(state, f"{uri}&mode=ro", keeper))


def _let_go(path: Path) -> None:
    """Who reads a copy still has it; nobody else gets it."""
    if found := _shared.pop(path, None):
        found.keeper.close()


@atexit.register
def _let_all_go() -> None:
    for path in list(_shared):
        _let_go(path)


def _closed(path: Path) -> _State | None:
    """The state of a file that can be read from a copy."""
    try:
        found = path.stat()
        if found.st_size > MOST_COPIED or not _logged(path) or _beside(path):
            return None
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _logged(path: Path) -> bool:
    with path.open("rb") as stream:
        head = stream.read(_VERSIONS.stop)
    return head.startswith(_MAGIC) and head[_VERSIONS] == _LOGGED


def _beside(path: Path) -> bool:
    """Whether somebody may have a database open, or its log may hold more than the file."""
    shared = Path(f"{path}-shm")
    return (os.path.lexists(shared) and not shared.is_dir()) or is_log(log_of(path))


def is_log(path: Path) -> bool:
    """Whether a file is a write-ahead log; SQLite reads nothing of one whose header does not add up."""
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
