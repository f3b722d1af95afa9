"""The list of sessions: ordered and filtered by the database, full rows only for the page shown."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from core.model.transcript.pages import ListQuery, SessionEntry, SessionPage
from core.model.transcript.session import Session
from core.store.conversations.sort_order import LAST_ACTIVE, order_by
from core.store.database.schema import HAS_ID, Schema
from core.store.lineage.families import every_family, families_of
from core.store.lineage.lineage import Lineage
from core.store.rows.sessions import computed, read_sessions

_VIEWED = (
    "id",
    "title",
    "model",
    "source",
    "cwd",
    "started_at",
    "ended_at",
    "last_activity_at",
    "message_count",
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
    "actual_cost_usd",
    "estimated_cost_usd",
    "api_call_count",
)
_FEW = 500
"""Up to so many sessions only their own families are fetched, above it all families in one pass."""

_SEARCHED = ("id", "title", "model", "source", "cwd")


def list_sessions(
    connection: sqlite3.Connection, schema: Schema, path: Path, query: ListQuery
) -> SessionPage:
    """One row a session, with its place in its conversation."""
    page, total = page_of_ids(connection, schema, query)
    few = len(page) <= _FEW
    lineage = families_of(connection, schema, page) if few else every_family(connection, schema)
    sessions = read_sessions(connection, schema, path, page)
    rows = tuple(_entry(sessions[one], lineage) for one in page if one in sessions)
    return SessionPage(rows, total)


def page_of_ids(connection: sqlite3.Connection, schema: Schema, query: ListQuery) -> tuple[list[str], int]:
    """The sessions of a page in their order, and how many there are without the limit."""
    tests, values = tests_of(schema, query)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    source = f"FROM {sessions_view(schema)}{where}"
    limit = -1 if query.limit is None else query.limit
    found = connection.execute(
        f"SELECT id {source} ORDER BY {order_by(query.sort)} LIMIT ? OFFSET ?",
        (*values, limit, query.offset),
    ).fetchall()
    (total,) = connection.execute(f"SELECT count(*) {source}", values).fetchone()
    return [str(one) for (one,) in found], int(total)


def sessions_view(schema: Schema) -> str:
    """The rows of `sessions` with every column these lists mention, missing ones as NULL."""
    columns = f"{schema.select('sessions', _VIEWED)}, {computed(schema)}"
    return f"(SELECT {columns} FROM sessions WHERE {HAS_ID})"  # noqa: S608 - names from the schema


def tests_of(schema: Schema, query: ListQuery) -> tuple[list[str], list[Any]]:
    """SQL a session of `sessions_view` must pass to be listed, and the values it asks for."""
    tests: list[str] = []
    values: list[Any] = []
    if query.since is not None:
        tests.append(f"{LAST_ACTIVE} >= ?")
        values.append(query.since.timestamp())
    if query.source is not None:
        tests.append("source = ?")
        values.append(query.source)
    if query.text:
        found = " OR ".join(f"instr(lower(coalesce({name}, '')), ?) > 0" for name in _SEARCHED)
        tests.append(f"({found})")
        values += [query.text.lower()] * len(_SEARCHED)
    return tests, values


def _entry(session: Session, lineage: Lineage) -> SessionEntry:
    thread = lineage.path(session.id)
    return SessionEntry(
        session=session,
        kind=lineage.kind(session.id),
        root=thread[0],
        tip=thread[-1],
        position=thread.index(session.id),
        sessions=len(thread),
    )
