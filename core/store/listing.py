"""The lists of conversations and sessions: one light pass over all, full rows only for the page shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from core.errors import UsageError
from core.model.pages import ConversationPage, SessionEntry, SessionPage
from core.model.session import ConversationRow, Kind, Session
from core.model.tokens import Buckets, Cost
from core.store.families import every_family, families_of
from core.store.lineage import Lineage
from core.store.schema import Schema
from core.store.sessions import read_sessions, spoken_at

_NUMBERS: Mapping[str, str] = {
    "last_active": "max(coalesce(started_at, 0), coalesce(ended_at, 0), coalesce(last_activity_at, 0),"
    " coalesce(spoken_at + 0.0, 0))",
    "started": "started_at",
    "messages": "message_count",
    "tokens": "coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)"
    " + coalesce(output_tokens, 0)",
    "input": "input_tokens",
    "output": "output_tokens",
    "cost": "coalesce(nullif(actual_cost_usd, 0), estimated_cost_usd)",
    "calls": "api_call_count",
}
_TEXTS: Mapping[str, str] = {"title": "title", "model": "model", "source": "source"}
SORTS = (*_NUMBERS, *_TEXTS)
"""What a list can be ordered by. Numbers run downwards, texts upwards."""

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


@dataclass(frozen=True, slots=True)
class Query:
    """What a list should hold.

    Attributes:
        since: Only what was active at or after this time.
        source: Only sessions from here.
        sort: One of `SORTS`.
        text: Only where this stands in the id, title, model, source or folder; case does not matter.
        kinds: Only conversations whose root is of these kinds; None for all.
    """

    limit: int | None = None
    offset: int = 0
    since: datetime | None = None
    source: str | None = None
    sort: str = "last_active"
    text: str | None = None
    kinds: frozenset[Kind] | None = None

    def page(self, items: Sequence[Any]) -> Sequence[Any]:
        """The part of the ordered items that was asked for."""
        end = None if self.limit is None else self.offset + self.limit
        return items[self.offset : end]


@dataclass(frozen=True, slots=True)
class _Facts:
    """What ordering and filtering need of every session."""

    order: Mapping[str, Any]
    matching: frozenset[str] | None


def list_conversations(
    connection: sqlite3.Connection, schema: Schema, path: Path, query: Query
) -> ConversationPage:
    """One row a conversation, the page asked for."""
    lineage = every_family(connection, schema)
    facts = _facts(connection, schema, query)
    threads = [thread for thread in _threads(lineage) if _wanted(thread, lineage, facts, query)]
    _sort(threads, query.sort, lambda thread: (facts.order.get(one) for one in thread))
    page = query.page(threads)
    sessions = read_sessions(connection, schema, path, [one for thread in page for one in thread])
    rows = tuple(_row([sessions[one] for one in thread if one in sessions], lineage) for thread in page)
    return ConversationPage(rows, len(threads))


def newest_conversations(
    connection: sqlite3.Connection, schema: Schema, path: Path, limit: int, kinds: frozenset[Kind] | None
) -> tuple[ConversationRow, ...]:
    """The conversations of the `limit` sessions active last: a first screenful, whatever the file's size."""
    ids, _ = _page_of_ids(connection, schema, Query(limit=limit))
    lineage = families_of(connection, schema, ids)
    threads: dict[tuple[str, ...], None] = {}
    for one in ids:
        whole = lineage.path(lineage.path(one)[0])
        # A continuation nobody resumes into stands on its own, as in the full list.
        threads[whole if one in whole else (one,)] = None
    wanted = [thread for thread in threads if kinds is None or lineage.kind(thread[0]) in kinds]
    sessions = read_sessions(connection, schema, path, [one for thread in wanted for one in thread])
    return tuple(_row([sessions[one] for one in thread], lineage) for thread in wanted)


def list_sessions(connection: sqlite3.Connection, schema: Schema, path: Path, query: Query) -> SessionPage:
    """One row a session, with its place in its conversation."""
    page, total = _page_of_ids(connection, schema, query)
    few = len(page) <= _FEW
    lineage = families_of(connection, schema, page) if few else every_family(connection, schema)
    sessions = read_sessions(connection, schema, path, page)
    rows = tuple(_entry(sessions[one], lineage) for one in page if one in sessions)
    return SessionPage(rows, total)


def _page_of_ids(connection: sqlite3.Connection, schema: Schema, query: Query) -> tuple[list[str], int]:
    """The sessions of a page in their order, and how many there are without the limit."""
    tests, values = _tests(schema, query)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    source = f"FROM {_view(schema)}{where}"
    limit = -1 if query.limit is None else query.limit
    found = connection.execute(
        f"SELECT id {source} ORDER BY {_order(query.sort)} LIMIT ? OFFSET ?",
        (*values, limit, query.offset),
    ).fetchall()
    (total,) = connection.execute(f"SELECT count(*) {source}", values).fetchone()
    return [str(one) for (one,) in found], int(total)


def _order(sort: str) -> str:
    """ORDER BY terms: numbers downwards with unknown ones last, texts upwards."""
    if sort in _TEXTS:
        text = _TEXTS[sort]
        return f"coalesce({text}, '') = '', lower({text})"
    # A damaged row may hold text where a number belongs; SQLite would put it before every number.
    number = _expression(sort)
    return f"CASE WHEN typeof({number}) IN ('integer', 'real') THEN {number} END DESC"


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


def _facts(connection: sqlite3.Connection, schema: Schema, query: Query) -> _Facts:
    expression = _expression(query.sort)
    tests, values = _tests(schema, query)
    cursor = connection.cursor()
    cursor.row_factory = None
    order = dict(cursor.execute(f"SELECT id, {expression} FROM {_view(schema)}").fetchall())  # noqa: S608
    if not tests:
        return _Facts(order, None)
    found = connection.execute(
        f"SELECT id FROM {_view(schema)} WHERE {' AND '.join(tests)}",  # noqa: S608 - expressions of this module
        values,
    ).fetchall()
    return _Facts(order, frozenset(str(one) for (one,) in found))


def _expression(sort: str) -> str:
    expression = _NUMBERS.get(sort) or _TEXTS.get(sort)
    if expression is None:
        raise UsageError(f"cannot sort by {sort!r}", remedy=f"Choose one of {', '.join(SORTS)}")
    return expression


def _view(schema: Schema) -> str:
    """The sessions table with every column these lists mention, missing ones as NULL."""
    columns = f"{schema.select('sessions', _VIEWED)}, {spoken_at(schema)} AS spoken_at"
    return f"(SELECT {columns} FROM sessions)"  # noqa: S608 - names from the schema


def _tests(schema: Schema, query: Query) -> tuple[list[str], list[Any]]:
    tests: list[str] = []
    values: list[Any] = []
    if query.since is not None:
        tests.append(f"{_NUMBERS['last_active']} >= ?")
        values.append(query.since.timestamp())
    if query.source is not None:
        tests.append("source = ?")
        values.append(query.source)
    if query.text:
        found = " OR ".join(f"instr(lower(coalesce({name}, '')), ?) > 0" for name in _SEARCHED)
        tests.append(f"({found})")
        values += [query.text.lower()] * len(_SEARCHED)
    return tests, values


def _wanted(thread: Iterable[str], lineage: Lineage, facts: _Facts, query: Query) -> bool:
    thread = tuple(thread)
    if query.kinds is not None and lineage.kind(thread[0]) not in query.kinds:
        return False
    return facts.matching is None or any(one in facts.matching for one in thread)


def _sort(items: list[Any], sort: str, values: Callable[[Any], Iterable[Any]]) -> None:
    """Order in place: numbers downwards with unknown ones last, texts upwards."""
    if sort in _TEXTS:
        items.sort(key=lambda item: _first_text(values(item)))
        return
    together = max if sort in ("last_active", "started") else sum

    def number(item: Any) -> float:
        known = [value for value in values(item) if type(value) in (int, float)]
        return together(known) if known else float("-inf")

    items.sort(key=number, reverse=True)


def _first_text(values: Iterable[Any]) -> tuple[bool, str]:
    text = next((str(value) for value in values if value), "")
    return (not text, text.lower())


def _row(sessions: Sequence[Session], lineage: Lineage) -> ConversationRow:
    below = [lineage.kind(child.id) for one in sessions for child in lineage.children.get(one.id, ())]
    return ConversationRow(
        sessions=tuple(sessions),
        kind=lineage.kind(sessions[0].id),
        tokens=reduce(add, (one.tokens for one in sessions), Buckets()),
        cost=_total([one.recorded_cost for one in sessions]),
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
