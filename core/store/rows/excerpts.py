"""The beginnings of stored values: what a line shows, without reading or parsing the rest."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable

from core.hermes.markers.markers import find_summary
from core.model.transcript.pages import NAME_CHARS
from core.redact.quick_check import masked_start
from core.store.database.open_database import Schema
from core.store.rows.decode import JSON_PREFIX

_NAME = re.compile(r'"function"\s*:\s*\{\s*"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_TEXT = re.compile(r'"text"\s*:\s*"((?:[^"\\]|\\.)*)')
_JSON_SLACK = 4
"""An encoded list needs more stored characters for one shown character than plain text does."""

_READ_ON = 1_000
"""Characters read beyond those shown: a credential that is cut in half is not recognised."""


def start_of_content(chars: int) -> str:
    """SQL for enough bytes of a message's content to show `chars` characters of it."""
    # `substr` of text stops at a NUL, which is how encoded lists begin: cut bytes.
    most = (chars + _READ_ON) * _JSON_SLACK + len(JSON_PREFIX)
    return f"CAST(substr(CAST(content AS BLOB), 1, {most}) AS BLOB)"


def shown_start(start: bytes, chars: int) -> str:
    """The first characters of a content, masked before they are cut; `start` is what SQL read of it."""
    text = start.decode(errors="ignore")
    encoded = text.startswith(JSON_PREFIX)
    return masked_start(_encoded_text(text[len(JSON_PREFIX) :]) if encoded else text, chars)


def call_names(calls: str) -> list[str]:
    """Names of the tools called, also from JSON that was cut short."""
    return [_unquote(found[1]) for found in _NAME.finditer(calls)]


def _encoded_text(json_text: str) -> str:
    """The text parts of an encoded list, also when it was cut short."""
    return "\n".join(_unquote(found[1]) for found in _TEXT.finditer(json_text))


def _unquote(inside: str) -> str:
    try:
        return str(json.loads(f'"{inside}"'))
    except ValueError:
        return inside


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
