"""Searches message texts: with Hermes' own full-text tables, else by a scan with a time limit."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.model.transcript.storage import SearchHit, SearchResult
from core.redact.message import redact_stored
from core.store.database.connect import lowered
from core.store.database.open_database import FullText, Schema
from core.store.rows.decode import JSON_PREFIX, Cells, encoded_text
from core.store.rows.message_decoding import row_state
from core.store.rows.messages import hidden_copies, newest_row
from core.support.json_escapes import without_escapes

Learn: TypeAlias = Callable[[Mapping[str, str]], None]
"""Called with what will be shown of each session; learns which of its words are credentials."""

SCANNED = "scan"
"""The method where no full-text table could be used."""
SCAN_SECONDS = 2.0
_SCAN_ROWS = 2_000
_BEFORE, _EXCERPT = 24, 240
_AROUND = 16_000
"""Characters on either side of a match that are read and masked before the excerpt is cut."""
_SURROUNDING_CHARS = 1_000
"""Characters on either side of a match whose words are looked up among the conversation's credentials."""
_TRIGRAM = 3
_COLUMNS = ("id", "session_id", "role", "timestamp", "active", "compacted", "message_uid")
# Scripts written without spaces: the word index holds a whole run of them as one word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def search(
    connection: sqlite3.Connection,
    schema: Schema,
    text: str,
    *,
    limit: int,
    session: str | None,
    learn: Learn = lambda shown: None,
) -> SearchResult:
    """Find messages that hold all words of a text, newest first; "double quotes" keep words together.

    `learn` is told what will be shown of each session before credentials are masked in it.
    """
    terms = terms_of(text)
    if not terms:
        return SearchResult((), False, SCANNED)
    query = _Query(connection, schema, terms, limit, session, learn)
    table = _table_for(schema, terms)
    if table is not None:
        try:
            return _indexed(query, table)
        except sqlite3.DatabaseError as error:
            # A broken or foreign index says nothing about the messages themselves.
            if "interrupted" in str(error):
                raise
    return _scan(query)


def newest_said(
    connection: sqlite3.Connection, schema: Schema, *, limit: int, learn: Learn = lambda shown: None
) -> tuple[SearchHit, ...]:
    """The newest messages of users, newest first."""
    sql = (
        f"SELECT {schema.select('messages', _COLUMNS, 'm')}, "  # noqa: S608 - own names
        f"substr(CAST(m.content AS BLOB), 1, {_AROUND}) AS near, NULL AS near_calls "
        "FROM messages m WHERE m.role = 'user' ORDER BY m.id DESC LIMIT ?"
    )
    found = connection.execute(sql, (limit,)).fetchall()
    return _hits(_Query(connection, schema, ("",), limit, None, learn), found)


@dataclass(frozen=True, slots=True)
class _Query:
    """What is searched for, and where."""

    connection: sqlite3.Connection
    schema: Schema
    terms: Sequence[str]
    limit: int
    session: str | None
    learn: Learn

    @property
    def only(self) -> tuple[str, tuple[str, ...]]:
        """The condition that limits the search to one session, and its value."""
        return ("", ()) if self.session is None else (" AND m.session_id = ?", (self.session,))

    @property
    def places(self) -> tuple[str, str]:
        """The values for the columns of a hit: the term to find in text and calls."""
        return self.terms[0].lower(), self.terms[0].lower()


def terms_of(text: str) -> list[str]:
    """Words and "quoted phrases" of a query."""
    found = re.findall(r'"([^"]+)"|([^\s"]+)', text.replace("\x00", " "))
    return [phrase or word for phrase, word in found]


def to_try(text: str) -> str:
    """What to try if a query found nothing."""
    if len(terms_of(text)) > 1:
        return "Try fewer words: all must occur in one message."
    return "Try another form of the word, or a file name or error that came with it."


def _table_for(schema: Schema, terms: Sequence[str]) -> str | None:
    if any(_UNSPACED.search(term) for term in terms):
        usable = schema.trigram is not FullText.NONE and all(len(term) >= _TRIGRAM for term in terms)
        return "messages_fts_trigram" if usable else None
    words = all(re.search(r"\w", term) for term in terms)
    return "messages_fts" if schema.full_text is not FullText.NONE and words else None


def _indexed(query: _Query, table: str) -> SearchResult:
    match = " AND ".join('"' + term.replace('"', '""') + '"' for term in query.terms)
    only, session = query.only
    sql = (
        f"SELECT {_hit_columns(query.schema)} FROM {table} f "  # noqa: S608 - own names
        f"JOIN messages m ON m.id = f.rowid WHERE {table} MATCH ?{only} ORDER BY f.rowid DESC LIMIT ?"
    )
    values = (*query.places, match, *session, query.limit + 1)
    rows = query.connection.execute(sql, values).fetchall()
    trigram = table.endswith("trigram")
    partial = len(rows) > query.limit or trigram or _rebuilding(query.connection, query.schema)
    return SearchResult(_hits(query, rows), partial, "trigram index" if trigram else "full-text index")


def _scan(query: _Query) -> SearchResult:
    """Scan from the newest row until there are enough hits or the time is up."""
    calls = "coalesce(m.tool_calls, '')" if query.schema.has("messages", "tool_calls") else "''"
    holds = f"(instr({lowered('m.content')}, ?) > 0 OR instr({lowered(calls)}, ?) > 0)"
    only, session = query.only
    sql = (
        f"SELECT {_hit_columns(query.schema)} FROM messages m WHERE m.id > ? AND m.id <= ?{only} "  # noqa: S608 - own names
        f"AND {' AND '.join([holds] * len(query.terms))} ORDER BY m.id DESC"
    )
    arguments = [term.lower() for term in query.terms for _ in range(2)]
    top = newest_row(query.connection)
    rows: list[sqlite3.Row] = []
    stop = time.monotonic() + SCAN_SECONDS
    while top > 0 and len(rows) <= query.limit and time.monotonic() < stop:
        values = (*query.places, top - _SCAN_ROWS, top, *session, *arguments)
        rows += query.connection.execute(sql, values).fetchall()
        top = newest_row(query.connection, top - _SCAN_ROWS)  # ids may have gaps of any size
    return SearchResult(_hits(query, rows), top > 0 or len(rows) > query.limit, SCANNED)


def _hit_columns(schema: Schema) -> str:
    calls = "m.tool_calls" if schema.has("messages", "tool_calls") else "NULL"
    return (
        f"{schema.select('messages', _COLUMNS, 'm')}, "
        # as text, substr would stop at the NUL that multimodal content begins with
        f"substr(CAST(m.content AS BLOB), max(1, instr(CAST({lowered('m.content')} AS BLOB), "
        f"CAST(? AS BLOB)) - {_AROUND}), {2 * _AROUND}) AS near, "
        f"substr({calls}, max(1, instr({lowered(calls)}, ?) - {_AROUND}), {2 * _AROUND}) AS near_calls"
    )


def _hits(query: _Query, found: Sequence[sqlite3.Row]) -> tuple[SearchHit, ...]:
    rows, term = found[: query.limit], query.terms[0]
    copied = hidden_copies(query.connection, query.schema, rows)
    shown: dict[str, str] = {}
    for row in rows:
        session = str(row["session_id"])
        shown[session] = f"{shown.get(session, '')}\n{_near(row, term)}"
    query.learn(shown)
    return tuple(_hit(row, row["id"] in copied, term) for row in rows)


def _hit(row: sqlite3.Row, copied: bool, term: str) -> SearchHit:
    cells = Cells(row)
    return SearchHit(
        row_id=row["id"],
        session_id=str(row["session_id"]),
        role=str(row["role"]),
        excerpt=_excerpt(cells.text("near") or "", cells.text("near_calls") or "", term),
        timestamp=cells.time("timestamp"),
        state=row_state(row, copied),
    )


def _near(row: sqlite3.Row, term: str) -> str:
    """The text around a match, somewhat more than an excerpt holds."""
    texts = filter(None, (Cells(row).text("near"), Cells(row).text("near_calls")))
    places = ((text, max(0, text.lower().find(term.lower()))) for text in texts)
    return "\n".join(text[max(0, at - _SURROUNDING_CHARS) : at + _SURROUNDING_CHARS] for text, at in places)


def _excerpt(content: str, calls: str, term: str) -> str:
    """The words around a match, on one line; masked first, as half a credential is not recognised."""
    text = _readable(redact_stored(content.replace(JSON_PREFIX, "")))
    at = text.lower().find(term.lower())
    if (at < 0 or not text) and calls:
        called = without_escapes(without_escapes(redact_stored(calls)))  # arguments are JSON within JSON
        found = called.lower().find(term.lower())
        text, at = (called, found) if found >= 0 or not text else (text, at)
    start = max(0, at - _BEFORE)
    words = text[start : start + _EXCERPT]
    if start:  # not from within a word
        words = f"…{words[:_BEFORE].partition(' ')[2] or words[:_BEFORE]}{words[_BEFORE:]}"
    return " ".join(words.split())


def _readable(text: str) -> str:
    """A text as people read it: of parts their text, of a tool result in JSON no escapes."""
    if not text.startswith(('{"', "[{")):
        return text
    try:
        return "\n".join([part["text"] for part in json.loads(text) if part["type"] == "text"])
    except (ValueError, TypeError, KeyError, RecursionError):  # no parts, or cut
        parts = encoded_text(text) if text.startswith("[{") else ""
        return parts or without_escapes(text)


def _rebuilding(connection: sqlite3.Connection, schema: Schema) -> bool:
    """Whether Hermes is still filling the index (0.22)."""
    if not schema.has("state_meta", "key", "value"):
        return False
    rows = connection.execute(
        "SELECT key, CAST(value AS INTEGER) FROM state_meta WHERE key LIKE 'fts_rebuild_%'"
    ).fetchall()
    marks = {str(key): int(value or 0) for key, value in rows}
    return marks.get("fts_rebuild_high_water", -1) > marks.get("fts_rebuild_progress", -1)
