"""What an untitled conversation is known by: the first words its user said."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from core.hermes.markers.markers import find_summary
from core.model.transcript.pages import NAME_CHARS
from core.store.database.schema import Schema
from core.store.rows.excerpts import shown_start, start_of_content

_LOOKED_AT = 3
"""User messages looked at for one that is no summary, with which a continuation begins."""


def read_first_words(
    connection: sqlite3.Connection, schema: Schema, session_ids: Iterable[str], chars: int = NAME_CHARS
) -> dict[str, str]:
    """The first `chars` characters each of these users said, on one line; sessions without any are left out.

    Costs a step into an index and one row a session, whatever the session's length.
    """
    order = "timestamp, id" if schema.has("messages", "timestamp") else "id"
    query = (
        f"SELECT {start_of_content(chars)} AS start FROM messages "  # noqa: S608 - names of this room
        f"WHERE session_id = ? AND role = 'user' ORDER BY {order} LIMIT {_LOOKED_AT}"
    )
    found: dict[str, str] = {}
    for one in session_ids:
        starts = (row["start"] for row in connection.execute(query, (one,)).fetchall())
        texts = (shown_start(start or b"", chars) for start in starts)
        words = next(
            (" ".join(text.split()) for text in texts if text.strip() and not find_summary(text)), ""
        )
        if words:
            found[one] = words
    return found
