"""Who else uses a database: processes that write to it (on Linux), and Hermes' own compression lock.

We take the lock as Hermes does, so that neither side disturbs the other.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.apply.database.connection import columns_of, transaction
from core.errors import DatabaseError

_PROC = Path("/proc")
_AGENT = "inspector"
SECONDS = 300.0
"""How long Hermes considers a lock valid without a refresh."""


def having_open(path: Path) -> frozenset[int] | None:
    """Ids of other processes that have the file open for writing; None if the system does not tell."""
    if not (_PROC / "self" / "fd").is_dir():
        return None
    target = path.resolve()
    running = {int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()}
    return frozenset(pid for pid in running - {os.getpid()} if _writes(pid, target))


def alive(pid: int) -> bool:
    """Whether a process with this id runs on this machine."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _writes(pid: int, target: Path) -> bool:
    folder = _PROC / str(pid) / "fd"
    try:
        for name in os.listdir(folder):
            if os.readlink(folder / name) == str(target) and _writable(pid, name):
                return True
    except OSError:
        # It ended meanwhile, or belongs to another user.
        return False
    return False


def _writable(pid: int, descriptor: str) -> bool:
    info = (_PROC / str(pid) / "fdinfo" / descriptor).read_text()
    flags = next((line.split()[1] for line in info.splitlines() if line.startswith("flags:")), "0")
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY


@contextmanager
def compression_lock(connection: sqlite3.Connection, session_id: str) -> Iterator[str | None]:
    """Hold the lock of a session; yields None if the release has no locks (before 0.16).

    If another program writes just as it would be released, it stays and expires.

    Raises:
        DatabaseError: Another holder has it.
    """
    if not columns_of(connection, "compression_locks"):
        yield None
        return
    # In the format that Hermes writes and reads.
    holder = f"pid={os.getpid()}:tid={threading.get_ident()}:agent={_AGENT}:nonce={uuid.uuid4().hex[:8]}"
    acquire(connection, session_id, holder)
    try:
        yield holder
    finally:
        with suppress(sqlite3.OperationalError), transaction(connection):
            connection.execute(
                "DELETE FROM compression_locks WHERE session_id = ? AND holder = ?", (session_id, holder)
            )


def acquire(connection: sqlite3.Connection, session_id: str, holder: str) -> None:
    """Take the lock, replacing an expired one."""
    now = time.time()
    with transaction(connection):
        connection.execute(
            "DELETE FROM compression_locks WHERE session_id = ? AND expires_at < ?", (session_id, now)
        )
        found = _holder(connection, session_id)
        if found is not None and left_behind(found):
            connection.execute("DELETE FROM compression_locks WHERE session_id = ?", (session_id,))
        connection.execute(
            "INSERT OR IGNORE INTO compression_locks (session_id, holder, acquired_at, expires_at)"
            " VALUES (?, ?, ?, ?)",
            (session_id, holder, now, now + SECONDS),
        )
        _check(connection, session_id, holder)


def refresh(connection: sqlite3.Connection, session_id: str, holder: str | None) -> None:
    """Within a transaction, renew the lock, or fail because it was lost."""
    if holder is None:
        return
    _check(connection, session_id, holder)
    connection.execute(
        "UPDATE compression_locks SET expires_at = ? WHERE session_id = ? AND holder = ?",
        (time.time() + SECONDS, session_id, holder),
    )


def left_behind(holder: str) -> bool:
    """Whether a lock is one of ours whose process has died on this machine."""
    own = re.fullmatch(rf"pid=(\d+):tid=\d+:agent={_AGENT}:nonce=\w+", holder)
    return own is not None and not alive(int(own[1]))


def _holder(connection: sqlite3.Connection, session_id: str) -> str | None:
    query = "SELECT CAST(holder AS BLOB) FROM compression_locks WHERE session_id = ?"
    row = connection.execute(query, (session_id,)).fetchone()
    return bytes(row[0]).decode(errors="replace") if row else None


def _check(connection: sqlite3.Connection, session_id: str, holder: str) -> None:
    found = _holder(connection, session_id)
    if found != holder:
        raise DatabaseError(
            f"somebody else is compressing this session ({found or 'the lock was taken away'})",
            where=session_id,
            remedy="Wait until it is done and look again",
        )
