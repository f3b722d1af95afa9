"""A database that nobody has open, read from a copy in memory.

SQLite makes `-wal` and `-shm` beside a database with a write-ahead log even to read it, and a reader may
not remove them: another program may just have begun to use them. Hermes leaves none behind when it ends, and
neither do we where the file is small enough to be copied. Such a one can be read in a closed folder too.
"""

from __future__ import annotations

import os
from pathlib import Path

MOST = 32 * 2**20
"""Bytes of the largest file that is copied; reading that much takes some hundredths of a second."""
_MAGIC = b"SQLite format 3\x00"
_VERSIONS = slice(18, 20)
"""Where the header says how a file is written and read: 2 is with a write-ahead log, 1 without."""
_LOGGED, _PLAIN = b"\x02\x02", b"\x01\x01"


def closed_copy(path: Path) -> bytes | None:
    """The content of a database with a write-ahead log, when nothing lies beside it.

    Args:
        path: The database.

    Returns:
        The content, as one that needs no log; None where the file is too large, changes while it is read, has
        side files (so that somebody may have it open, or its log holds more), or can be read without them.
    """
    try:
        before = path.stat()
        if before.st_size > MOST or not _logged(path) or _beside(path):
            return None
        content = bytearray(path.read_bytes())
        after = path.stat()
    except OSError:
        return None
    same = (before.st_mtime_ns, before.st_size, before.st_ino)
    if _beside(path) or (after.st_mtime_ns, after.st_size, after.st_ino) != same:
        return None
    content[_VERSIONS] = _PLAIN
    return bytes(content)


def leaves_files(path: Path) -> bool:
    """Whether reading this database makes files beside it that stay."""
    try:
        return path.stat().st_size > MOST and _logged(path) and not _beside(path)
    except OSError:
        return False


def _logged(path: Path) -> bool:
    with path.open("rb") as stream:
        head = stream.read(_VERSIONS.stop)
    return head.startswith(_MAGIC) and head[_VERSIONS] == _LOGGED


def _beside(path: Path) -> bool:
    return any(os.path.lexists(f"{path}{suffix}") for suffix in ("-wal", "-shm"))
