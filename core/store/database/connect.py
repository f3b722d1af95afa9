"""Opens a session database for reading only, and limits the length of every query.

Every connection is `mode=ro` and `query_only`. It is never `immutable`, which would miss what a running
Hermes still has in its write-ahead log, and never falls back to a writable one.

A small database that nobody has open is read from a copy in memory (`closed_copy`).
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from core.errors import DatabaseError, InspectorError, NotFoundError
from core.store.database.closed_copy import closed_copy, leaves_files, shared_copy
from core.support.program_files import load_table

STEPS_BETWEEN_CHECKS = 100_000
"""Steps of SQLite's virtual machine between two checks of a query: less than a millisecond."""
_MIN_STEPS, _MAX_STEPS = 40_000_000, 20_000_000_000
_STEPS_PER_BYTE = 400
"""A hundred times what a query over a whole database was measured to take."""

MAX_VALUE_BYTES = 100 * 2**20
"""The longest value in bytes, more than any request can hold; SQLite neither reads nor makes longer ones."""

_RUINED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_TABLE = "core/store/database/complaints.yaml"

_LOWERED = "lowered"
"""Name of our own function in SQL."""

_overrun = threading.local()
BUSY_SECONDS = 2.0
_CHUNK = 500
Item = TypeVar("Item")
_COMPLAINTS = (sqlite3.Error, UnicodeDecodeError)
"""Complaints to explain: one about a damaged schema quotes its bytes, which Python may fail to decode."""


class BoundedConnection(sqlite3.Connection):
    """Counts the steps of each query; `bound` sets how many it may take.

    Attributes:
        makes_files: Reading created side files beside the database.
        file: Identifies the database, even if it is read from a copy in memory.
    """

    makes_files = False
    file: tuple[object, ...] | None = None
    _steps = 0

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Begin a query, and its count."""
        self._steps = 0
        return super().execute(sql, parameters)

    def bound(self, size: int, cancelled: Callable[[], bool] | None = None) -> None:
        """End queries that are cancelled, or take more steps than a file of this size can need."""
        most = min(_MIN_STEPS + _STEPS_PER_BYTE * size, _MAX_STEPS)

        def check() -> int:
            self._steps += STEPS_BETWEEN_CHECKS
            if self._steps > most:
                _overrun.passed = True
                return 1
            return int(cancelled is not None and cancelled())

        self.set_progress_handler(check, STEPS_BETWEEN_CHECKS)


def take_overrun() -> bool:
    """Whether the query just stopped in this thread had exceeded its limit; resets the answer."""
    passed: bool = getattr(_overrun, "passed", False)
    _overrun.passed = False
    return passed


Cancelled = Callable[[], bool]


class Interrupted(DatabaseError):  # noqa: N818 - asked for, not a fault
    """The caller asked for the query to stop."""


@contextmanager
def noting(errors: list[InspectorError]) -> Iterator[None]:
    """Note the error of a database, so that the others are still read; passes on that the caller stopped."""
    try:
        yield
    except Interrupted:
        raise
    except InspectorError as error:
        errors.append(error)


class BrokenText(str):
    """Text whose stored bytes are not UTF-8; the bad bytes are replacement characters."""

    __slots__ = ()


def open_readonly(path: Path, *, cancelled: Cancelled | None = None) -> sqlite3.Connection:
    """Open an existing database for reading only.

    `cancelled` is asked every few milliseconds; once it returns true, a query ends with `Interrupted`. A
    query that takes more steps than a file of this size can need always ends with an error. Another process's
    lock is waited for.

    Raises:
        NotFoundError: There is no such file.
        DatabaseError: The file cannot be read as a database.
    """
    found = _check_file(path)
    with reading(path):
        makes_files = leaves_files(path)
        connection = _connection(path)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
            connection.text_factory = _to_text
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except _COMPLAINTS:
            connection.close()
            raise
        connection.create_function(_LOWERED, 1, _lowered, deterministic=True)
        connection.makes_files = makes_files
        connection.file = path, found.st_dev, found.st_ino
        connection.bound(found.st_size, cancelled)
        return connection


def _connection(path: Path) -> BoundedConnection:
    shared = shared_copy(path)
    content = None if shared else closed_copy(path)
    place = shared or (_uri(path) if content is None else ":memory:")
    timeout = BUSY_SECONDS if place == _uri(path) else 0.0
    connection = sqlite3.connect(
        place, uri=True, timeout=timeout, isolation_level=None, factory=BoundedConnection
    )
    assert isinstance(connection, BoundedConnection)
    if content is not None:
        connection.deserialize(content)
    return connection


def chunks(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Slices small enough to be bound as parameters of one statement."""
    for start in range(0, len(items), _CHUNK):
        yield items[start : start + _CHUNK]


def rows_in(
    connection: sqlite3.Connection,
    query: str,
    key: str,
    values: Sequence[object],
    before: Sequence[object] = (),
) -> Iterator[sqlite3.Row]:
    """The rows of a query without end (`... WHERE`, `... AND`) in which a column has one of some values.

    `before` are the parameters that the query itself takes.
    """
    for chunk in chunks(values):
        marks = ", ".join("?" * len(chunk))
        yield from connection.execute(f"{query} {key} IN ({marks})", (*before, *chunk)).fetchall()


def lowered(value: str) -> str:
    """SQL for a text in lower case; SQLite's own `lower` knows only the letters of English."""
    return f"{_LOWERED}(CAST({value} AS BLOB))"


def _lowered(text: bytes | None) -> str | None:
    return None if text is None else text.decode(errors="replace").lower()


@contextmanager
def reading(path: Path, *, ruined: str = "") -> Iterator[None]:
    """Turn any SQLite error inside the block into one line about `path`.

    `ruined`: what helps if the file itself is damaged and is none of Hermes'.
    """
    try:
        yield
    except _COMPLAINTS as error:
        told = _explain(path, error)
        if ruined and getattr(error, "sqlite_errorcode", 0) in _RUINED:
            told.remedy = ruined
        raise told from error


def _uri(path: Path) -> str:
    # `as_uri` quotes what a URI would otherwise read as its own: spaces, ?, # and %.
    return f"{path.absolute().as_uri()}?mode=ro"


def _to_text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return BrokenText(raw.decode(errors="replace"))


def _check_file(path: Path) -> os.stat_result:
    """Check the file, to say plainly what SQLite would call "unable to open database file"."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(
            "no such database", where=str(path), remedy="Name one with --db FILE or --home DIR"
        ) from None
    except (OSError, ValueError) as error:
        raise DatabaseError(f"cannot be looked at ({error})", where=str(path)) from error
    if path.is_dir():
        raise DatabaseError(
            "is a directory, not a database", where=str(path), remedy="Use --home for a folder"
        )
    if not path.is_file():
        raise DatabaseError("is not a regular file", where=str(path))
    if not os.access(path, os.R_OK):
        raise DatabaseError(
            "may not be read by you", where=str(path), remedy="Check the owner and mode of the file"
        )
    if found.st_size == 0:
        raise DatabaseError("is empty (0 bytes)", where=str(path), remedy="Hermes has not written to it yet")
    return found


def _explain(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> DatabaseError:
    text = "malformed" if isinstance(error, UnicodeDecodeError) else str(error)
    if take_overrun():
        return DatabaseError(
            "holds more rows than a file of its size can",
            where=str(path),
            remedy="It is damaged: restore a backup, or ask `hermes doctor`; nothing was changed here",
        )
    if text == "interrupted":
        return Interrupted("the query was stopped", where=str(path))
    what, remedy = _meaning(path, text)
    return DatabaseError(what, where=str(path), remedy=remedy)


def _meaning(path: Path, text: str) -> tuple[str, str]:
    """What a complaint about a database means, and what helps."""
    known = ((one["holds"], one["what"], one["helps"]) for one in load_table(_TABLE))
    for fragments, what, remedy in (*_in_the_way(path), *known):
        if any(fragment in text.lower() for fragment in fragments):
            return what, remedy
    return f"SQLite says: {' '.join(text.split())}", ""


def _in_the_way(path: Path) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """What the same complaints mean if a file beside the database causes them."""
    journal, log = (path.with_name(f"{path.name}-{end}") for end in ("journal", "wal"))
    if journal.is_file():
        what = "cannot be read: a write was interrupted, and only a program that may write can roll it back"
        remedy = f"Open it once with Hermes, or copy it with {journal.name} and open the copy with sqlite3"
        yield ("readonly", "unable to open"), what, remedy
    elif os.path.lexists(log) and not log.is_file():
        what = f"cannot be opened: {log.name} next to it is not a file"
        yield ("unable to open",), what, f"Move {log.name} away if no Hermes is running"
