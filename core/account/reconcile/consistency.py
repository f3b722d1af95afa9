"""Row lint: places of a database that count the same thing differently."""

from __future__ import annotations

from collections.abc import Iterator
from sqlite3 import Connection

from core.model.accounting.usage import Discrepancy
from core.model.evidence import Evidence, Source
from core.store.database.connect import reading
from core.store.database.open_database import Schema
from core.store.store import Store

_COUNTERS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def row_lint(store: Store) -> tuple[Discrepancy, ...]:
    """Sessions whose totals, split by model and messages do not agree, the widest apart first.

    Usage of auxiliary tasks is in the split alone, and a row taken back stays in `message_count` until the
    session is rewritten (Hermes 0.16 and later): neither is a disagreement.

    Raises:
        DatabaseError: The database cannot be read.
    """
    with reading(store.path):
        split = list(_against_split(store.connection, store.schema))
        messages = list(_against_messages(store.connection, store.schema))
    return tuple(sorted([*split, *messages], key=lambda one: -abs(one.difference)))


def _against_split(connection: Connection, schema: Schema) -> Iterator[Discrepancy]:
    """Totals of sessions against what the main agent used by model."""
    if not (schema.has("session_model_usage", *_COUNTERS) and schema.has("sessions", *_COUNTERS)):
        return
    own = "WHERE u.task = '' " if schema.has("session_model_usage", "task") else ""
    totals = ", ".join(f"CAST(coalesce(s.{name}, 0) AS INTEGER)" for name in _COUNTERS)
    sums = ", ".join(f"CAST(total(u.{name}) AS INTEGER)" for name in _COUNTERS)
    rows = connection.execute(
        f"SELECT s.id, {totals}, {sums} FROM session_model_usage u "  # noqa: S608 - our own words
        f"JOIN sessions s ON s.id = u.session_id {own}GROUP BY s.id"
    )
    for session, *counts in rows.fetchall():
        both = zip(_COUNTERS, counts[: len(_COUNTERS)], counts[len(_COUNTERS) :], strict=True)
        for name, total, parts in both:
            if total != parts:
                sides = (f"sessions: {total:,}", f"session_model_usage: {parts:,}")
                what = name.removesuffix("_tokens").replace("_", " ")
                yield _discrepancy(str(session), what, sides, total - parts)


def _against_messages(connection: Connection, schema: Schema) -> Iterator[Discrepancy]:
    """`message_count` against live rows, counted in one pass over an index."""
    if not schema.has("sessions", "message_count"):
        return
    live = "total(active = 1)" if schema.keeps_rows else "count(*)"
    rows = connection.execute(
        f"SELECT s.id, CAST(s.message_count AS INTEGER), CAST(m.live AS INTEGER) FROM sessions s "  # noqa: S608
        f"JOIN (SELECT session_id, {live} AS live FROM messages GROUP BY session_id) m "
        "ON m.session_id = s.id WHERE CAST(s.message_count AS INTEGER) != CAST(m.live AS INTEGER)"
    )
    for session, counted, found in rows.fetchall():
        if found < counted <= found + _taken_back(connection, schema, session):
            continue
        sides = (f"sessions.message_count: {counted:,}", f"live rows: {found:,}")
        yield _discrepancy(str(session), "messages", sides, counted - found)


def _taken_back(connection: Connection, schema: Schema, session: object) -> int:
    """Rows hidden by a rewind, which lowers no counter."""
    if not schema.keeps_rows:
        return 0
    archived = "AND compacted IS NOT 1" if schema.archives else ""
    query = f"SELECT count(*) FROM messages WHERE session_id = ? AND active = 0 {archived}"  # noqa: S608
    (count,) = connection.execute(query, (session,)).fetchone()
    return int(count)


def _discrepancy(session: str, what: str, sides: tuple[str, str], difference: int) -> Discrepancy:
    evidence = Evidence(Source.DATABASE, f"rows of {session}", " against ".join(sides))
    return Discrepancy(session, what, *sides, difference, evidence)
