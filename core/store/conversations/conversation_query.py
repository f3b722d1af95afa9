"""The queries for lists of sessions, and of conversations as chains of sessions."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

from core.model.accounting.amounts import Buckets, Cost
from core.model.transcript.session import (
    ConversationPage,
    ConversationRow,
    Kind,
    ListQuery,
    Session,
    SessionEntry,
    SessionPage,
)
from core.store.conversations.sort_order import LAST_ACTIVE, columns_of, order_by, sort_threads
from core.store.database.connect import lowered
from core.store.database.open_database import HAS_ID, Schema
from core.store.lineage.families import MAX_FAMILY, every_family, families_of
from core.store.lineage.lineage import Lineage
from core.store.rows.sessions import computed, read_sessions
from core.store.rows.usage import unbooked_calls

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
_MAX_OWN_FAMILIES = 500
"""For up to this many sessions only their own families are read; for more, all families in one pass."""

_SEARCHED = ("id", "title", "model", "source", "cwd")


def list_sessions(
    connection: sqlite3.Connection, schema: Schema, path: Path, query: ListQuery
) -> SessionPage:
    """One row for each session, with its place in its conversation."""
    page, total = page_of_ids(connection, schema, query)
    few = len(page) <= _MAX_OWN_FAMILIES
    lineage = families_of(connection, schema, page) if few else every_family(connection, schema)
    sessions = read_sessions(connection, schema, path, page)
    short = unbooked_calls(connection, schema, path, page, listed=True)
    rows = tuple(_entry(sessions[one], lineage, short) for one in page if one in sessions)
    return SessionPage(rows, total)


def page_of_ids(connection: sqlite3.Connection, schema: Schema, query: ListQuery) -> tuple[list[str], int]:
    """The sessions of a page in order, and how many there are without the limit."""
    tests, values = tests_of(query)
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
    """The rows of `sessions` with every column these lists use; missing columns are NULL."""
    columns = f"{schema.select('sessions', _VIEWED)}, {computed(schema)}"
    return f"(SELECT {columns} FROM sessions WHERE {HAS_ID})"  # noqa: S608 - names from the schema


def tests_of(query: ListQuery) -> tuple[list[str], list[Any]]:
    """The SQL conditions for a session of `sessions_view` to be listed, and their values."""
    tests: list[str] = []
    values: list[Any] = []
    if query.since is not None:
        tests.append(f"{LAST_ACTIVE} >= ?")
        values.append(query.since.timestamp())
    if query.source is not None:
        tests.append("source = ?")
        values.append(query.source)
    if query.text:
        searched = " || char(10) || ".join(f"coalesce({name}, '')" for name in _SEARCHED)
        tests.append(f"instr({lowered(f'({searched})')}, ?) > 0")
        values.append(query.text.lower())
    return tests, values


def _entry(session: Session, lineage: Lineage, short: Collection[str]) -> SessionEntry:
    thread = lineage.path(session.id)
    return SessionEntry(
        session=session,
        kind=lineage.kind(session.id),
        root=thread[0],
        tip=thread[-1],
        position=thread.index(session.id),
        sessions=len(thread),
        lower_bound=is_lower_bound(session, short),
    )


class _Facts(NamedTuple):
    """What ordering and filtering need to know of every session."""

    order: Mapping[str, Any]
    matching: frozenset[str] | None


def list_conversations(
    connection: sqlite3.Connection, schema: Schema, path: Path, query: ListQuery
) -> ConversationPage:
    """One row for each conversation of the requested page."""
    lineage = every_family(connection, schema)
    threads = _ordered(connection, schema, lineage, query)
    rows = _rows(connection, schema, path, _page(query, threads), lineage)
    return ConversationPage(rows, len(threads))


def _page(query: ListQuery, threads: Sequence[tuple[str, ...]]) -> Sequence[tuple[str, ...]]:
    """The requested part of the ordered conversations."""
    end = None if query.limit is None else query.offset + query.limit
    return threads[query.offset : end]


def conversation_ids(
    connection: sqlite3.Connection, schema: Schema, query: ListQuery
) -> Sequence[tuple[str, ...]]:
    """The session ids of each conversation, first to last, without reading anything else."""
    lineage = every_family(connection, schema)
    return _page(query, _ordered(connection, schema, lineage, query))


def newest_tip(connection: sqlite3.Connection, schema: Schema) -> str | None:
    """The newest session of the conversation that lists show first; None in an empty database.

    If one session alone was active last, its family is enough; else the whole list is made.
    """
    query = f"SELECT id, {LAST_ACTIVE} AS at FROM {sessions_view(schema)} ORDER BY at DESC LIMIT 2"  # noqa: S608
    newest = [(str(one), at) for one, at in connection.execute(query).fetchall()]
    if len({at for _, at in newest}) == len(newest) > 0:
        one = newest[0][0]
        lineage = families_of(connection, schema, [one])
        if one in lineage.links and len(lineage.links) < MAX_FAMILY:
            thread = lineage.path(lineage.path(one)[0])
            if one in thread and lineage.kind(thread[0]) is not Kind.CONTINUATION:
                return thread[-1]
    threads = conversation_ids(connection, schema, ListQuery(limit=1))
    return threads[0][-1] if threads else None


def newest_conversations(
    connection: sqlite3.Connection, schema: Schema, path: Path, limit: int, kinds: Collection[Kind] | None
) -> tuple[ConversationRow, ...]:
    """The conversations of the `limit` sessions active last: quick for a file of any size."""
    ids, _ = page_of_ids(connection, schema, ListQuery(limit=limit))
    return conversations_of(connection, schema, path, ids, kinds)


def conversations_of(
    connection: sqlite3.Connection,
    schema: Schema,
    path: Path,
    ids: Sequence[str],
    kinds: Collection[Kind] | None = None,
) -> tuple[ConversationRow, ...]:
    """The conversations of some sessions, each once, in the order of the ids; unknown ids are left out."""
    lineage = families_of(connection, schema, ids)
    threads: dict[tuple[str, ...], None] = {}
    for one in (known for known in ids if known in lineage.links):
        members = lineage.path(lineage.path(one)[0])
        # A continuation that resume does not reach is a conversation by itself, as in the full list.
        threads[members if one in members else (one,)] = None
    chosen = [thread for thread in threads if kinds is None or lineage.kind(thread[0]) in kinds]
    return _rows(connection, schema, path, chosen, lineage)


def _rows(
    connection: sqlite3.Connection,
    schema: Schema,
    path: Path,
    threads: Sequence[tuple[str, ...]],
    lineage: Lineage,
) -> tuple[ConversationRow, ...]:
    """The threads with their sessions; a thread whose sessions were deleted meanwhile is left out."""
    ids = [one for thread in threads for one in thread]
    sessions = read_sessions(connection, schema, path, ids)
    short = unbooked_calls(connection, schema, path, ids, listed=True)
    found = ([sessions[one] for one in thread if one in sessions] for thread in threads)
    return tuple(_row(rows, lineage, short) for rows in found if rows)


def _ordered(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, query: ListQuery
) -> list[tuple[str, ...]]:
    """The conversations that match, in the requested order."""
    facts = _facts(connection, schema, query)
    threads = [thread for thread in _threads(lineage) if _wanted(thread, lineage, facts, query)]
    sort_threads(
        threads, query.sort, lambda thread: [facts.order[one] for one in thread if one in facts.order]
    )
    return threads


def _threads(lineage: Lineage) -> list[tuple[str, ...]]:
    """All conversations as session ids, root first; every session is in exactly one."""
    used: set[str] = set()
    threads = []
    for one in lineage.links:
        if lineage.kind(one) is not Kind.CONTINUATION:
            thread = lineage.path(one) if one in lineage.children else (one,)
            threads.append(thread)
            used.update(thread)
    for one in lineage.links:
        # Continuations that resume does not reach (the losers of a fork) and circles stand alone.
        if one not in used:
            rest = tuple(step for step in lineage.path(one) if step not in used)
            threads.append(rest)
            used.update(rest)
    return threads


def _facts(connection: sqlite3.Connection, schema: Schema, query: ListQuery) -> _Facts:
    expression = columns_of(query.sort)
    tests, values = tests_of(query)
    cursor = connection.cursor()
    cursor.row_factory = None
    rows = cursor.execute(f"SELECT id, {expression} FROM {sessions_view(schema)}").fetchall()  # noqa: S608
    order = {one: values for one, *values in rows}
    if not tests:
        return _Facts(order, None)
    found = connection.execute(
        f"SELECT id FROM {sessions_view(schema)} WHERE {' AND '.join(tests)}",  # noqa: S608 - expressions of this module
        values,
    ).fetchall()
    return _Facts(order, frozenset(str(one) for (one,) in found))


def _wanted(thread: Sequence[str], lineage: Lineage, facts: _Facts, query: ListQuery) -> bool:
    if query.kinds is not None and lineage.kind(thread[0]) not in query.kinds:
        return False
    return facts.matching is None or any(one in facts.matching for one in thread)


def _row(sessions: Sequence[Session], lineage: Lineage, short: Collection[str]) -> ConversationRow:
    below = [lineage.kind(child.id) for session in sessions for child in lineage.children.get(session.id, ())]
    return ConversationRow(
        sessions=tuple(sessions),
        kind=lineage.kind(sessions[0].id),
        tokens=reduce(add, (session.tokens for session in sessions), Buckets()),
        cost=_total([session.cost for session in sessions]),
        delegates=below.count(Kind.DELEGATE),
        branches=below.count(Kind.BRANCH),
        lower_bound=any(is_lower_bound(session, short) for session in sessions),
    )


def _total(costs: Sequence[Cost]) -> Cost:
    known = [cost.usd for cost in costs if cost.usd is not None]
    return Cost(
        usd=sum(known, Decimal(0)) if known else None,
        status=_common(cost.status for cost in costs),
        source=_common(cost.source for cost in costs),
    )


def _common(values: Iterable[str | None]) -> str | None:
    known = {value for value in values if value}
    return known.pop() if len(known) == 1 else ("mixed" if known else None)


def is_lower_bound(session: Session, short: Collection[str]) -> bool:
    """Whether there are messages but no recorded tokens at all, or calls that Hermes did not book."""
    if session.id in short:
        return True
    tokens = session.tokens
    recorded = (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output)
    return bool(session.messages) and not any(recorded)
