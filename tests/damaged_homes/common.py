"""What the kinds of damage share: statements without a rule, texts and values nobody expects."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

DEEP = "[" * 30_000 + "]" * 30_000
DIGITS = "7" * 6_000
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
VALUES = (
    *(-1e308, 1e308, float("inf"), -1, 2**63 - 1, -(2**63), 1e18, 0.1),
    *("NaN", "-1e308", "", "yesterday", DIGITS, "é" * 300, "\x1b[2J\x00end", None),
    *(b"\xff\x00", b"\xed\xa0\x80", b""),
)


@contextmanager
def opened(home: Path) -> Iterator[sqlite3.Connection]:
    """The database of a home, in which anything may be written."""
    with closing(sqlite3.connect(home / "state.db")) as db, db:
        db.execute("PRAGMA foreign_keys = OFF")
        yield db


def run(home: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    """Write to the database of a home."""
    with opened(home) as db:
        for text, values in statements:
            db.execute(text, values)


def rewritten_schema(home: Path, old: str, new: str, table: str) -> None:
    """Change the words a table was made with, as no statement would."""
    with opened(home) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = ?", (old, new, table))
