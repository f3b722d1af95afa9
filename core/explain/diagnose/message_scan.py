"""One pass over messages that finds the conversations worth a full examination.

It looks for compactions, duplicated live rows, tool rows that do not match their calls, and credentials.
It may report a conversation needlessly: the examination then finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any

from core.hermes.markers.markers import PREFILTERS
from core.store.conversations.credentials import holding
from core.store.rows.messages import joined_raw, raw_texts
from core.store.store import Store

_ASKED = ("session_id", "role", "tool_call_id", "timestamp", "active", "compacted")
_SESSION, _ROLE, _CALL, _TIME, _ACTIVE, _COMPACTED, _CONTENT, _CALLS = range(8)
_SUMMARIES = tuple(marker.encode() for marker in PREFILTERS)
_ID = re.compile(rb'"id"\s*:\s*"([^"]*)"')
_BATCH = 500
_MAX_ROWS = 10_000

Pending = MutableMapping[str, list[str]]
"""Calls without a result so far, by session."""


def quick_check(
    store: Store, start: int, end: int, pending: Pending, reached: Callable[[int], None] = lambda row: None
) -> set[str]:
    """Sessions worth a full examination, by the messages in a range of ids, read without making Hermes wait.

    `pending` are calls left open by earlier ranges; updated once the whole range was read. An exception that
    `reached` raises ends the pass.
    """
    rows = store.query(_query(store, "id BETWEEN ? AND ?"), (start, end))
    return _checked(rows, pending, lambda place: reached(start + place))


def quick_check_of(store: Store, sessions: Sequence[str]) -> set[str]:
    """The same for a few sessions, by the first `_MAX_ROWS` of their messages."""
    where = f"session_id IN ({', '.join('?' * len(sessions))})"
    return _checked(store.query(f"{_query(store, where)} LIMIT {_MAX_ROWS}", sessions), {})


def _checked(
    rows: Sequence[Any], pending: Pending, reached: Callable[[int], None] = lambda place: None
) -> set[str]:
    live = [row for row in rows if row[_ACTIVE] != 0]
    found = {row[_SESSION] for row in rows if row[_COMPACTED] == 1}
    for place in range(0, len(rows), _BATCH):
        reached(place)
        found.update(_sessions_to_examine(rows[place : place + _BATCH]))
    found.update(_doubled(live))
    found.update(_unfit(live, pending))
    return {str(session) for session in found}


def _query(store: Store, where: str) -> str:
    has = store.schema.columns.get("messages", frozenset())
    asked = ", ".join(name if name in has else "NULL" for name in _ASKED)
    return f"SELECT {asked}, {raw_texts(store.schema)} FROM messages WHERE {where} ORDER BY id"  # noqa: S608 - own names


def _doubled(rows: Sequence[Any]) -> Iterator[str]:
    seen: set[tuple[object, ...]] = set()
    for row in rows:
        key = (row[_SESSION], row[_ROLE], row[_TIME], row[_CALL], row[_CONTENT])
        if key in seen:
            yield row[_SESSION]
        seen.add(key)


def _unfit(rows: Sequence[Any], pending: Pending) -> Iterator[str]:
    """Sessions with results that answer no call, or with calls that were followed by something else."""
    for row in rows:
        session, role = row[_SESSION], row[_ROLE]
        calls = pending.get(session)
        if role == "tool":
            if calls and row[_CALL] in calls:
                calls.remove(row[_CALL])
            else:
                yield session
        elif calls:
            yield session
        if role == "assistant" and row[_CALLS]:
            pending[session] = [call.decode("utf-8", "replace") for call in _ID.findall(row[_CALLS])]
        elif calls is not None and (role != "tool" or not calls):
            pending.pop(session, None)


def _sessions_to_examine(rows: Sequence[Any]) -> Iterator[str]:
    """Sessions whose messages hold a summary or a credential."""
    texts = [joined_raw(row[_CONTENT:]) for row in rows]
    with_secrets = set(holding(list(dict.fromkeys(texts))))
    for row, text in zip(rows, texts, strict=True):
        content = row[_CONTENT]
        if content and b"[CONTEXT " in content and any(marker in content for marker in _SUMMARIES):
            yield row[_SESSION]
        if text in with_secrets:
            yield row[_SESSION]
