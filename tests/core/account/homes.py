"""Small session databases for accounting tests, written row by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from core.store.store import Store
from sample_sessions.data import text

NOON = 1_781_000_000.0
"""A moment in June 2026."""


class Book:
    """A database of schema 22 that fills as a test says; without `session_model_usage` when `old`."""

    def __init__(self, path: Path, *, old: bool = False) -> None:
        self.path = path
        with closing(sqlite3.connect(path)) as db:
            db.executescript(text("schema/22.sql"))
            db.execute("INSERT INTO schema_version VALUES (22)")
            if old:
                db.execute("DROP TABLE session_model_usage")
            db.commit()

    def session(self, name: str, **values: Any) -> Book:
        """A session; tokens default to none, times to noon."""
        return self._insert(
            "sessions", {"id": name, "source": "cli", "started_at": NOON, "message_count": 2} | values
        )

    def usage(self, session: str, model: str, task: str = "", **values: Any) -> Book:
        """A row of the split by model."""
        return self._insert(
            "session_model_usage", {"session_id": session, "model": model, "task": task} | values
        )

    def message(self, session: str, role: str, content: str | None = "text", **values: Any) -> Book:
        """A message."""
        row = {"session_id": session, "role": role, "content": content, "timestamp": NOON}
        return self._insert("messages", row | values)

    def _insert(self, table: str, values: Mapping[str, Any]) -> Book:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        with closing(sqlite3.connect(self.path)) as db:
            db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))
            db.commit()
        return self


def tokens(
    input_: int = 0, read: int = 0, write: int = 0, output: int = 0, calls: int = 1, **more: Any
) -> dict[str, Any]:
    """The counters two tables share."""
    return {
        "input_tokens": input_,
        "cache_read_tokens": read,
        "cache_write_tokens": write,
        "output_tokens": output,
        "api_call_count": calls,
    } | more


def store(opened: ExitStack, book: Book) -> Store:
    """The database, open until the test ends."""
    return opened.enter_context(Store(book.path))
