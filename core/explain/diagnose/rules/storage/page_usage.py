"""What the bytes of a database are made of, and what a complaint of SQLite's check is about."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Mapping

from core.store.database.connect import reading
from core.store.store import Store

_PARTS = {
    "messages_fts_trigram": "trigram index",
    "messages_fts": "full-text index",
    "messages": "messages",
    "sessions": "sessions and system prompts",
    "system_prompts": "sessions and system prompts",
}
"""Tables by the start of their name, the longer one first."""
_TREE = re.compile(r"\bTree (\d+) page")
_NAMED = re.compile(r"\bindex (?!for\b)(?:main\.)?(\w+)|\b[Tt]able (?:main\.)?(\w+)")


def bytes_by_part(store: Store) -> Mapping[str, int]:
    """Bytes of pages by what they hold, most first; empty where this SQLite cannot tell (no `dbstat`).

    Reads a few bytes of every page, and every message for images.
    """
    query = """SELECT coalesce(m.tbl_name, s.name), s.pgsize FROM dbstat AS s
        LEFT JOIN sqlite_master AS m ON m.name = s.name WHERE s.aggregate = TRUE"""
    found: Counter[str] = Counter()
    with reading(store.path):
        try:
            tables = store.connection.execute(query).fetchall()
        except sqlite3.OperationalError:
            return found
        for name, size in tables:
            found[_part(str(name))] += int(size)
        found["images in messages"] = min(_images(store), found["messages"])
    found["messages"] -= found["images in messages"]
    return dict(found.most_common())


def damaged(store: Store, told: str) -> frozenset[str]:
    """The tables and indexes that complaints of `PRAGMA quick_check` are about; empty where none is named."""
    with reading(store.path):
        rows = store.connection.execute("SELECT rootpage, name FROM sqlite_master").fetchall()
    roots = {int(root): str(name) for root, name in rows if root}
    trees = {roots[int(root)] for root in _TREE.findall(told) if int(root) in roots}
    return frozenset({*trees, *(name for groups in _NAMED.findall(told) for name in groups if name)})


def is_index(store: Store, name: str) -> bool:
    """Whether something can be built anew from the tables: an index, or a part of the full-text index."""
    with reading(store.path):
        query = "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?"
        found = store.connection.execute(query, (name,)).fetchone()
    return found is not None or name.startswith("messages_fts")


def _part(table: str) -> str:
    return next((part for start, part in _PARTS.items() if table.startswith(start)), "other tables")


def _images(store: Store) -> int:
    """Bytes of the messages that hold images; `LENGTH` of a text would stop at its first NUL."""
    query = """SELECT coalesce(sum(length(CAST(content AS BLOB))), 0) FROM messages
        WHERE instr(content, 'data:image/') > 0"""
    (size,) = store.connection.execute(query).fetchone()
    return int(size)
