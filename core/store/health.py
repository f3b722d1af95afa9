"""Looking a database over: sizes, layout, leases and damage, without changing a byte of it."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from core.model.storage import StoreHealth, TableSize
from core.store.connect import log_of
from core.store.live import read_leases, read_locks
from core.store.schema import FullText, Schema
from core.store.sessions import SESSION_COLUMNS, session_from_row

_COMPLAINTS = 5
_COUNTED = ("sessions", "messages", "session_model_usage", "system_prompts", "gateway_routing")


def examine(
    connection: sqlite3.Connection, schema: Schema, path: Path, *, integrity: bool = False
) -> StoreHealth:
    """Report on a database.

    Args:
        connection: A read-only connection to it.
        schema: Its schema.
        path: Its file.
        integrity: Also run SQLite's own quick check, which reads the whole file.
    """
    found = path.stat()
    wal = _size(log_of(path))
    page = _pragma(connection, "page_size")
    mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
    tables = tuple(_table_sizes(connection, schema))
    rows = {table.name: table.rows for table in tables}
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
        leases=read_locks(connection, schema) + read_leases(connection, schema),
        integrity=_quick_check(connection) if integrity else None,
        foreign_key_errors=_foreign_keys(connection) if integrity else None,
        damage=dict(_damage(connection, schema, path)),
        notes=tuple(_notes(path, mode, wal)),
    )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _table_sizes(connection: sqlite3.Connection, schema: Schema) -> Iterator[TableSize]:
    for name in _COUNTED:
        if name in schema.columns:
            (rows,) = connection.execute(f"SELECT count(*) FROM {name}").fetchone()  # noqa: S608 - own names
            yield TableSize(name, rows)


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


def _notes(path: Path, mode: str, wal: int | None) -> Iterator[str]:
    if mode == "wal" and wal is None:
        yield "reading it makes an empty state.db-wal and a state.db-shm beside it, as every reader does"
    if path.is_symlink():
        yield f"it is a link to {path.resolve()}"
