"""Sparing the full-text tables work that would leave them as they are.

Up to Hermes 0.19 every update of a message takes it out of the full-text tables and puts it in again,
although archiving a row changes no text. For some thousand rows that keeps everybody else waiting long.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

_HEAD = re.compile(r"\bUPDATE\b(?:\s+OF\b[^;]*?)?\s+ON\s+\"?messages\"?(?:\s|$)", re.IGNORECASE)
_STEP = re.compile(r"\s*(?:DELETE\s+FROM|INSERT\s+INTO)\s+messages_fts\w*\b", re.IGNORECASE)
_MARKS = re.compile(r"\b(?:active|compacted)\b", re.IGNORECASE)


@contextmanager
def texts_untouched(connection: sqlite3.Connection) -> Iterator[None]:
    """Within, setting `active` and `compacted` of messages indexes no text again.

    A trigger of this connection alone comes before the database's own and ends the row's triggers there. It
    is used only where all it could end are those that index texts; should SQLite run it later than them, the
    rows are indexed again, which is slow and not wrong.
    """
    if not _only_index(connection):
        yield
        return
    connection.execute(
        "CREATE TEMP TRIGGER texts_untouched AFTER UPDATE OF active, compacted ON main.messages "
        "BEGIN SELECT RAISE(IGNORE); END"
    )
    try:
        yield
    finally:
        connection.execute("DROP TRIGGER temp.texts_untouched")


def _only_index(connection: sqlite3.Connection) -> bool:
    """Whether there are triggers that follow an update of a message, and all of them only index its text."""
    query = (
        "SELECT CAST(sql AS BLOB) FROM main.sqlite_master WHERE type = 'trigger' AND tbl_name = 'messages'"
    )
    found = (sql.decode(errors="replace") for (sql,) in connection.execute(query).fetchall())
    parts = [re.split(r"\bBEGIN\b", sql, maxsplit=1, flags=re.IGNORECASE) for sql in found]
    following = [(head, body) for head, body in parts if _HEAD.search(head)]
    return bool(following) and all(_indexes(head, body) for head, body in following)


def _indexes(head: str, body: str) -> bool:
    steps = re.sub(r"\bEND\s*;?\s*$", "", body, flags=re.IGNORECASE).split(";")
    asks = _MARKS.search(head + body)
    return asks is None and all(_STEP.match(step) for step in steps if step.strip())
