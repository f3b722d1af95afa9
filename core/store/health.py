"""Examines a database without changing it: sizes, layout, leases and damage."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from core.errors import DatabaseError
from core.model.transcript.storage import Lease, StoreHealth, TableSize
from core.store.database.closed_copy import log_of
from core.store.database.connect import BoundedConnection, Interrupted, reading
from core.store.database.open_database import FullText, Schema
from core.store.rows.sessions import SESSION_COLUMNS, read_leases, read_locks, session_from_row

T = TypeVar("T")

_COMPLAINTS = 5
_COUNTED = ("sessions", "messages", "session_model_usage", "system_prompts", "gateway_routing")


@dataclass(frozen=True, slots=True)
class _Tables:
    """Reads tables one by one; a damaged one does not prevent the others from being read.

    Attributes:
        unreadable: What is wrong, by table.
    """

    path: Path
    unreadable: dict[str, str] = field(default_factory=dict)

    def read(self, table: str, read: Callable[[], T], otherwise: T) -> T:
        """The content of a table; `otherwise` if it cannot be read."""
        try:
            with reading(self.path):
                return read()
        except Interrupted:
            raise
        except DatabaseError as error:
            self.unreadable.setdefault(table, error.what)
            return otherwise


def examine(
    connection: sqlite3.Connection, schema: Schema, path: Path, *, integrity: bool = False
) -> StoreHealth:
    """Report on a database; `integrity` also runs SQLite's own quick check, which reads the whole file."""
    found = path.stat()
    wal = _size(log_of(path))
    page = _pragma(connection, "page_size")
    mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
    mode = "wal" if mode == "memory" else mode  # only databases with a log are read from a copy
    each = _Tables(path)
    tables = tuple(_table_sizes(connection, schema, each))
    rows = {table.name: table.rows for table in tables}
    unread: tuple[Lease, ...] = ()
    return StoreHealth(
        path=path,
        size=found.st_size,
        wal_size=wal,
        journal_mode=mode,
        schema_version=schema.version,
        page_size=page,
        mode=found.st_mode & 0o777 if os.name == "posix" else None,
        free_bytes=_pragma(connection, "freelist_count") * page,
        sessions=rows.get("sessions", 0),
        messages=rows.get("messages", 0),
        full_text=_full_text(schema),
        tables=tables,
        leases=(
            *each.read("compression_locks", lambda: read_locks(connection, schema), unread),
            *each.read("session_turn_leases", lambda: read_leases(connection, schema), unread),
        ),
        integrity=_quick_check(connection) if integrity else None,
        foreign_key_errors=_foreign_keys(connection) if integrity else None,
        damage=each.read("sessions", lambda: dict(_damage(connection, schema, path)), {}),
        unreadable=each.unreadable,
        notes=tuple(_notes(path, isinstance(connection, BoundedConnection) and connection.makes_files)),
    )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _table_sizes(connection: sqlite3.Connection, schema: Schema, each: _Tables) -> Iterator[TableSize]:
    def count(name: str) -> int:
        # An index gives the number in any case: damage shows only when rows are read.
        connection.execute(f"SELECT * FROM {name} NOT INDEXED LIMIT 1").fetchone()  # noqa: S608 - own names
        return int(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0])  # noqa: S608 - own names

    for name in _COUNTED:
        if name in schema.columns:
            yield TableSize(name, each.read(name, partial(count, name), None))


def _full_text(schema: Schema) -> str:
    words = {FullText.NONE: "no", FullText.INLINE: "inline", FullText.EXTERNAL: "external content"}
    return f"{words[schema.full_text]} words, {words[schema.trigram]} trigrams"


def _quick_check(connection: sqlite3.Connection) -> str:
    rows = connection.execute(f"PRAGMA quick_check({_COMPLAINTS})").fetchall()
    return "; ".join(str(text) for (text,) in rows)


def _foreign_keys(connection: sqlite3.Connection) -> int:
    return len(connection.execute("PRAGMA foreign_key_check").fetchall())


def _damage(connection: sqlite3.Connection, schema: Schema, path: Path) -> Counter[str]:
    columns = schema.select("sessions", SESSION_COLUMNS)
    rows = connection.execute(f"SELECT {columns} FROM sessions").fetchall()  # noqa: S608 - schema names
    return Counter(what for row in rows for what in session_from_row(row, path).damage)


def _notes(path: Path, makes_files: bool) -> Iterator[str]:
    if makes_files:
        yield (
            f"reading it left an empty {path.name}-wal and a {path.name}-shm next to it, as every reader of "
            "such a large database does; Hermes removes them when it next exits"
        )
    if path.is_symlink():
        yield f"it is a link to {path.resolve()}"
