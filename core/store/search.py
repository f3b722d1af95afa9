"""Searching message texts: through Hermes' own full-text tables, else by a scan with a time limit."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from core.model.transcript.storage import SearchHit, SearchResult
from core.redact.message import redact_stored
from core.store.database.schema import FullText, Schema
from core.store.rows.decode import Cells
from core.store.rows.message_decoding import row_state
from core.store.rows.messages import hidden_copies, newest_row

Learn: TypeAlias = Callable[[Mapping[str, str]], None]
"""Given what is to be shown of some sessions, finds out which of its words are credentials."""

SCAN_SECONDS = 2.0
_SCAN_ROWS = 2_000
_BEFORE, _EXCERPT = 60, 240
_AROUND = 16_000
"""Characters on either side of a match that are read and masked before the excerpt is cut."""
_NEAR = 1_000
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
    """Find messages that hold all words of a text, newest first.

    Args:
        connection: Where to search.
        schema: Says which full-text tables there are.
        text: What the user typed; any text is allowed, "double quotes" keep words together.
        limit: Most hits wanted.
        session: Only in this session.
        learn: Told what will be shown of each session before credentials are masked in it.
    """
    terms = terms_of(text)
    if not terms:
        return SearchResult((), False, "scan")
    table = _table_for(schema, terms)
    if table is not None:
        try:
            return _indexed(connection, schema, table, terms, limit, session, learn)
        except sqlite3.DatabaseError as error:
            # A broken or foreign index says nothing about the messages themselves.
            if "interrupted" in str(error):
                raise
    return _scan(connection, schema, terms, limit, session, learn)


def terms_of(text: str) -> list[str]:
    """Words and "quoted phrases" of a query."""
    found = re.findall(r'"([^"]+)"|([^\s"]+)', text.replace("\x00", " "))
    return [phrase or word for phrase, word in found]


def _table_for(schema: Schema, terms: Sequence[str]) -> str | None:
    if any(_UNSPACED.search(term) for term in terms):
        usable = schema.trigram is not FullText.NONE and all(len(term) >= _TRIGRAM for term in terms)
        return "messages_fts_trigram" if usable else None
    words = all(re.search(r"\w", term) for term in terms)
    return "messages_fts" if schema.full_text is not FullText.NONE and words else None


def _indexed(
    connection: sqlite3.Connection,
    schema: Schema,
    table: str,
    terms: Sequence[str],
    limit: int,
    session: str | None,
    learn: Learn,
) -> SearchResult:
    match = " AND ".join('"' + term.replace('"', '""') + '"' for term in terms)
    only = " AND m.session_id = ?" if session is not None else ""
    query = (
        f"SELECT {_hit_columns(schema)} FROM {table} f JOIN messages m ON m.id = f.rowid "  # noqa: S608 - own names
        f"WHERE {table} MATCH ?{only} ORDER BY f.rowid DESC LIMIT ?"
    )
    scope = [session] if session is not None else []
    rows = connection.execute(query, (*_hit_values(terms), match, *scope, limit + 1)).fetchall()
    trigram = table.endswith("trigram")
    partial = len(rows) > limit or trigram or _rebuilding(connection, schema)
    how = "trigram index" if trigram else "full-text index"
    return SearchResult(_hits(connection, schema, rows[:limit], terms[0], learn), partial, how)


def _scan(
    connection: sqlite3.Connection,
    schema: Schema,
    terms: Sequence[str],
    limit: int,
    session: str | None,
    learn: Learn,
) -> SearchResult:
    """Newest rows first, until there are enough hits or the time is up."""
    calls = "coalesce(m.tool_calls, '')" if schema.has("messages", "tool_calls") else "''"
    holds = " AND ".join(f"(instr(lower(m.content), ?) > 0 OR instr(lower({calls}), ?) > 0)" for _ in terms)
    only = " AND m.session_id = ?" if session is not None else ""
    query = (
        f"SELECT {_hit_columns(schema)} FROM messages m "  # noqa: S608 - own names
        f"WHERE m.id > ? AND m.id <= ?{only} AND {holds} ORDER BY m.id DESC"
    )
    scope = [session] if session is not None else []
    wanted = [term.lower() for term in terms for _ in range(2)]
    top = newest_row(connection)
    rows: list[sqlite3.Row] = []
    stop = time.monotonic() + SCAN_SECONDS
    while top > 0 and len(rows) <= limit and time.monotonic() < stop:
        values = (*_hit_values(terms), top - _SCAN_ROWS, top, *scope, *wanted)
        rows += connection.execute(query, values).fetchall()
        top = newest_row(connection, top - _SCAN_ROWS)  # ids may have gaps of any size
    hits = _hits(connection, schema, rows[:limit], terms[0], learn)
    return SearchResult(hits, top > 0 or len(rows) > limit, "scan")


def _hit_columns(schema: Schema) -> str:
    calls = "m.tool_calls" if schema.has("messages", "tool_calls") else "NULL"
    return (
        f"{schema.select('messages', _COLUMNS, 'm')}, "
        f"substr(m.content, max(1, instr(lower(m.content), ?) - {_AROUND}), {2 * _AROUND}) AS near, "
        f"substr({calls}, max(1, instr(lower({calls}), ?) - {_AROUND}), {2 * _AROUND}) AS near_calls"
    )


def _hit_values(terms: Sequence[str]) -> tuple[str, str]:
    return (terms[0].lower(), terms[0].lower())


def _hits(
    connection: sqlite3.Connection, schema: Schema, rows: Sequence[sqlite3.Row], term: str, learn: Learn
) -> tuple[SearchHit, ...]:
    copied = hidden_copies(connection, schema, rows)
    shown: dict[str, str] = {}
    for row in rows:
        session = str(row["session_id"])
        shown[session] = f"{shown.get(session, '')}\n{_near(row, term)}"
    learn(shown)
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
    """What stands around a match, somewhat more than an excerpt holds."""
    texts = filter(None, (Cells(row).text("near"), Cells(row).text("near_calls")))
    places = ((text, max(0, text.lower().find(term.lower()))) for text in texts)
    return "\n".join(text[max(0, at - _NEAR) : at + _NEAR] for text, at in places)


def _excerpt(content: str, calls: str, term: str) -> str:
    """The words around a match, on one line: masked first, because half a credential is not recognised."""
    said = redact_stored(content.replace("\x00json:", ""))
    at = said.lower().find(term.lower())
    if (at < 0 or not said) and calls:
        called = redact_stored(calls)
        found = called.lower().find(term.lower())
        said, at = (called, found) if found >= 0 or not said else (said, at)
    return " ".join(said[max(0, at - _BEFORE) : max(0, at - _BEFORE) + _EXCERPT].split())


def _rebuilding(connection: sqlite3.Connection, schema: Schema) -> bool:
    """Hermes is still filling the index (0.22)."""
    if not schema.has("state_meta", "key", "value"):
        return False
    rows = connection.execute(
        "SELECT key, CAST(value AS INTEGER) FROM state_meta WHERE key LIKE 'fts_rebuild_%'"
    ).fetchall()
    marks = {str(key): int(value) for key, value in rows}
    return marks.get("fts_rebuild_high_water", -1) > marks.get("fts_rebuild_progress", -1)
