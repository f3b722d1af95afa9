"""The recorder's own SQLite file: tables, size limits, and the functions that write it.

It has sizes, hashes and counts; texts stay in Hermes' database. If the user wants them, texts missing there
are stored here with credentials masked.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FILE_NAME = "recording.db"
_MAX_BYTES = 64 << 20
_OLDEST = 30 * 86_400.0
_WAIT = 2.0
_TABLES = """
CREATE TABLE IF NOT EXISTS requests (
  id INTEGER PRIMARY KEY, at REAL, home TEXT, session TEXT, turn TEXT, request TEXT, task TEXT, model TEXT,
  provider TEXT, host TEXT, release TEXT, seconds REAL, finish TEXT, error TEXT,
  messages INTEGER, system TEXT, tools TEXT, base INTEGER, kept INTEGER, rows TEXT, parts TEXT,
  input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, reasoning INTEGER
);
CREATE INDEX IF NOT EXISTS requests_of ON requests (home, session, id);
CREATE TABLE IF NOT EXISTS shapes (hash TEXT PRIMARY KEY, kind TEXT, shape TEXT);
CREATE TABLE IF NOT EXISTS compactions (
  id INTEGER PRIMARY KEY, at REAL, home TEXT, session TEXT, before INTEGER, after INTEGER,
  before_tokens INTEGER, after_tokens INTEGER, score REAL, lost TEXT, seconds REAL
);
CREATE TABLE IF NOT EXISTS texts (
  name TEXT, home TEXT, session TEXT, role TEXT, at REAL, text TEXT, PRIMARY KEY (name, home)
);
CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, value INTEGER);
"""


@contextmanager
def opened(state: Path) -> Iterator[sqlite3.Connection]:
    """Open the file, readable by its owner only, for one transaction.

    Raises:
        OSError, sqlite3.Error: The file cannot be written.
    """
    path = state / FILE_NAME
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, timeout=_WAIT)
    try:
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(_TABLES)
        with connection:
            yield connection
        _bound(connection)
    finally:
        connection.close()


def add_requests(
    state: Path, rows: Sequence[Mapping[str, Any]], shapes: Mapping[str, tuple[str, Any]], dropped: int
) -> None:
    """Write recorded requests, shapes (kind and shape by hash) not yet known, and how many were dropped."""
    with opened(state) as connection:
        for name, (kind, shape) in shapes.items():
            connection.execute(
                "INSERT OR IGNORE INTO shapes VALUES (?, ?, ?)", (name, kind, json.dumps(shape))
            )
        for row in rows:
            _insert(connection, "requests", row)
        if dropped:
            connection.execute(
                "INSERT INTO counts VALUES ('dropped', ?) "
                "ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
                (dropped,),
            )


def add_compaction(state: Path, row: Mapping[str, Any]) -> None:
    """Write what one compaction kept and lost."""
    with opened(state) as connection:
        _insert(connection, "compactions", {**row, "lost": json.dumps(row["lost"])})


def change_texts(
    state: Path, home: str, texts: Sequence[tuple[str, str, str, str]], gone: Iterable[str]
) -> None:
    """Write masked texts of a home (name, session, role, text); delete those the database has by now."""
    with opened(state) as connection:
        connection.executemany(
            "DELETE FROM texts WHERE name = ? AND home = ?", [(name, home) for name in gone]
        )
        now = time.time()
        rows = [(name, home, session, role, now, text) for name, session, role, text in texts]
        connection.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?, ?, ?, ?, ?)", rows)


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    columns = ", ".join(row)
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))  # noqa: S608


def _bound(connection: sqlite3.Connection) -> None:
    """Delete old rows, and the oldest tenth if the file is too large."""
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    size = pages * connection.execute("PRAGMA page_size").fetchone()[0]
    first = connection.execute("SELECT MIN(at) FROM requests").fetchone()[0]
    limit = time.time() - _OLDEST
    if size <= _MAX_BYTES and (first is None or first >= limit):
        return
    with connection:
        connection.execute("DELETE FROM requests WHERE at < ?", (limit,))
        connection.execute("DELETE FROM compactions WHERE at < ?", (limit,))
        connection.execute("DELETE FROM texts WHERE at < ?", (limit,))
        if size > _MAX_BYTES:
            connection.execute(
                "DELETE FROM requests WHERE id <= (SELECT MIN(id) + (MAX(id) - MIN(id)) / 10 FROM requests)"
            )
            connection.execute(
                "DELETE FROM texts WHERE rowid IN "
                "(SELECT rowid FROM texts ORDER BY at LIMIT (SELECT (COUNT(*) + 9) / 10 FROM texts))"
            )
    connection.execute("PRAGMA incremental_vacuum")
