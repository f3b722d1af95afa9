"""Reads the few columns that determine lineage: for one family, or for the whole database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from core.store.database.connect import rows_in
from core.store.database.open_database import HAS_ID, Schema
from core.store.lineage.lineage import Lineage, Link, markers_of

MAX_FAMILY = 5_000
"""With this many sessions, no more descendants are read."""
_COLUMNS = ("id", "parent_session_id", "started_at", "ended_at", "end_reason", "source", "session_key")


def family_of(connection: sqlite3.Connection, schema: Schema, session_id: str) -> Lineage | None:
    """The ancestors and descendants of one session; None when there is no such session."""
    found = families_of(connection, schema, [session_id])
    return found if found.links else None


def families_of(connection: sqlite3.Connection, schema: Schema, session_ids: Sequence[str]) -> Lineage:
    """The ancestors and descendants of some sessions, in a handful of queries."""
    links: dict[str, Link] = {}
    frontier_ids: Sequence[str] = session_ids
    while frontier_ids:
        links.update({link.id: link for link in _fetch(connection, schema, "id", frontier_ids)})
        above = (links[one].parent_id for one in frontier_ids if one in links)
        frontier_ids = list(dict.fromkeys(parent for parent in above if parent and parent not in links))
    frontier = list(links)
    while frontier and len(links) < MAX_FAMILY:
        children = _fetch(connection, schema, "parent_session_id", frontier)
        frontier = [link.id for link in children if link.id not in links]
        links.update({link.id: link for link in children})
    return lineage_over(connection, schema, links.values())


def every_family(connection: sqlite3.Connection, schema: Schema) -> Lineage:
    """All sessions of the database, in one pass over `sessions`."""
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: this is read for every session there is
    cursor.execute(f"SELECT {_light(schema)} FROM sessions WHERE {HAS_ID}")  # noqa: S608 - names from the schema
    return lineage_over(connection, schema, map(_link, cursor.fetchall()))


def lineage_over(connection: sqlite3.Connection, schema: Schema, links: Iterable[Link]) -> Lineage:
    """Bind the lineage rules to a database: which rules it follows, and how rare questions are answered."""

    def last_message(session_id: str) -> float | None:
        query = "SELECT max(timestamp) FROM messages WHERE session_id = ?"
        (value,) = connection.execute(query, (session_id,)).fetchone()
        return _number(value)

    def has_messages(session_id: str) -> bool:
        query = "SELECT 1 FROM messages WHERE session_id = ? LIMIT 1"
        return connection.execute(query, (session_id,)).fetchone() is not None

    return Lineage(
        links={link.id: link for link in links},
        tests_start=schema.tests_child_start,
        last_message=last_message if schema.has("messages", "timestamp") else lambda _: None,
        has_messages=has_messages,
        descends=schema.archives,
    )


def _light(schema: Schema) -> str:
    columns = schema.select("sessions", _COLUMNS)
    titled = "title IS NOT NULL" if schema.has("sessions", "title") else "0"
    columns = f"{columns}, {titled} AS titled"
    if not schema.has("sessions", "model_config", "parent_session_id"):
        return f"{columns}, NULL AS model_config"
    # Only a child's markers matter, and reading them for every session would double the time.
    return f"{columns}, CASE WHEN parent_session_id IS NOT NULL THEN model_config END AS model_config"


def _fetch(connection: sqlite3.Connection, schema: Schema, column: str, values: Sequence[str]) -> list[Link]:
    if not schema.has("sessions", column):
        return []
    query = f"SELECT {_light(schema)} FROM sessions WHERE"  # noqa: S608 - names from the schema
    return list(map(_link, rows_in(connection, query, column, values)))


def _link(row: Sequence[Any]) -> Link:
    identity, parent, started, ended, reason, source, key, titled, config = row
    return Link(
        str(identity),
        None if parent is None else str(parent),
        _number(started),
        _number(ended),
        None if reason is None else str(reason),
        None if source is None else str(source),
        None if key is None else str(key),
        markers_of(config),
        bool(titled),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
