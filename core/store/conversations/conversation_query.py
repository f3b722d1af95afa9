"""The list of conversations: one light pass over all sessions, full rows only for the page shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from core.model.accounting.tokens import Buckets, Cost
from core.model.transcript.pages import ConversationPage, ConversationRow, ListQuery
from core.model.transcript.session import Kind, Session
from core.store.conversations.session_query import page_of_ids, sessions_view, tests_of
from core.store.conversations.sort_order import columns_of, sort_threads
from core.store.database.schema import Schema
from core.store.lineage.families import every_family, families_of
from core.store.lineage.lineage import Lineage
from core.store.rows.sessions import read_sessions


@dataclass(frozen=True, slots=True)
class _Facts:
    """What ordering and filtering need of every session."""

    order: Mapping[str, Any]
    matching: frozenset[str] | None


def list_conversations(
    connection: sqlite3.Connection, schema: Schema, path: Path, query: ListQuery
) -> ConversationPage:
    """One row a conversation, the page asked for."""
    lineage = every_family(connection, schema)
    threads = _ordered(connection, schema, lineage, query)
    rows = _rows(connection, schema, path, query.page(threads), lineage)
    return ConversationPage(rows, len(threads))


def conversation_ids(connection: sqlite3.Connection, schema: Schema, query: ListQuery) -> list[str]:
    """The first session of each conversation, and nothing of any of them."""
    lineage = every_family(connection, schema)
    return [thread[0] for thread in query.page(_ordered(connection, schema, lineage, query))]


def newest_conversations(
    connection: sqlite3.Connection, schema: Schema, path: Path, limit: int, kinds: Collection[Kind] | None
) -> tuple[ConversationRow, ...]:
    """The conversations of the `limit` sessions active last: a first screenful, whatever the file's size."""
    ids, _ = page_of_ids(connection, schema, ListQuery(limit=limit))
    return conversations_of(connection, schema, path, ids, kinds)


def conversations_of(
    connection: sqlite3.Connection,
    schema: Schema,
    path: Path,
    ids: Sequence[str],
    kinds: Collection[Kind] | None = None,
) -> tuple[ConversationRow, ...]:
    """The conversations some sessions are in, each once, in the order of the ids known."""
    lineage = families_of(connection, schema, ids)
    threads: dict[tuple[str, ...], None] = {}
    for one in (known for known in ids if known in lineage.links):
        whole = lineage.path(lineage.path(one)[0])
        # A continuation nobody resumes into stands on its own, as in the full list.
        threads[whole if one in whole else (one,)] = None
    wanted = [thread for thread in threads if kinds is None or lineage.kind(thread[0]) in kinds]
    return _rows(connection, schema, path, wanted, lineage)


def _rows(
    connection: sqlite3.Connection,
    schema: Schema,
    path: Path,
    threads: Sequence[tuple[str, ...]],
    lineage: Lineage,
) -> tuple[ConversationRow, ...]:
    """The threads with their sessions read; one whose sessions have gone meanwhile is left out."""
    sessions = read_sessions(connection, schema, path, [one for thread in threads for one in thread])
    found = ([sessions[one] for one in thread if one in sessions] for thread in threads)
    return tuple(_row(rows, lineage) for rows in found if rows)


def _ordered(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, query: ListQuery
) -> list[tuple[str, ...]]:
    """The conversations that are wanted, in the order asked for."""
    facts = _facts(connection, schema, query)
    threads = [thread for thread in _threads(lineage) if _wanted(thread, lineage, facts, query)]
    sort_threads(
        threads, query.sort, lambda thread: [facts.order[one] for one in thread if one in facts.order]
    )
    return threads


def _threads(lineage: Lineage) -> list[tuple[str, ...]]:
    """All conversations as session ids, root first; every session lies in exactly one."""
    taken: set[str] = set()
    threads = []
    for one in lineage.links:
        if lineage.kind(one) is not Kind.CONTINUATION:
            thread = lineage.path(one) if one in lineage.children else (one,)
            threads.append(thread)
            taken.update(thread)
    for one in lineage.links:
        # Continuations nobody resumes into (the losers of a fork) and circles stand on their own.
        if one not in taken:
            rest = tuple(step for step in lineage.path(one) if step not in taken)
            threads.append(rest)
            taken.update(rest)
    return threads


def _facts(connection: sqlite3.Connection, schema: Schema, query: ListQuery) -> _Facts:
    expression = columns_of(query.sort)
    tests, values = tests_of(schema, query)
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


def _wanted(thread: Iterable[str], lineage: Lineage, facts: _Facts, query: ListQuery) -> bool:
    thread = tuple(thread)
    if query.kinds is not None and lineage.kind(thread[0]) not in query.kinds:
        return False
    return facts.matching is None or any(one in facts.matching for one in thread)


def _row(sessions: Sequence[Session], lineage: Lineage) -> ConversationRow:
    below = [lineage.kind(child.id) for one in sessions for child in lineage.children.get(one.id, ())]
    return ConversationRow(
        sessions=tuple(sessions),
        kind=lineage.kind(sessions[0].id),
        tokens=reduce(add, (one.tokens for one in sessions), Buckets()),
        cost=_total([one.cost for one in sessions]),
        delegates=below.count(Kind.DELEGATE),
        branches=below.count(Kind.BRANCH),
        lower_bound=any(_uncounted(one) for one in sessions),
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


def _uncounted(session: Session) -> bool:
    """There are messages, but the session recorded no tokens at all."""
    tokens = session.tokens
    recorded = (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output)
    return bool(session.messages) and not any(recorded)
