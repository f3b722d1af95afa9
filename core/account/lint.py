"""Row lint: places of a database that count the same thing differently."""

from __future__ import annotations

from collections.abc import Iterator

from core.model.evidence import Evidence, Source
from core.model.session import Session
from core.model.usage import Discrepancy
from core.store.connect import reading
from core.store.store import Store


def row_lint(store: Store, *, most: int = 100) -> tuple[Discrepancy, ...]:
    """Sessions whose totals, split by model and messages do not agree.

    Args:
        store: The database.
        most: How many to return, worst first.
    """
    sessions = {row.session.id: row.session for row in store.sessions().rows}
    found = [*_against_split(store, sessions), *_against_messages(store, sessions)]
    return tuple(sorted(found, key=lambda one: -abs(one.difference))[:most])


def _against_split(store: Store, sessions: dict[str, Session]) -> Iterator[Discrepancy]:
    sums: dict[str, dict[str, int]] = {}
    for row in store.model_usage(list(sessions)):
        if not row.task:
            own = sums.setdefault(row.session_id, {})
            for name in ("input", "cache_read", "cache_write", "output"):
                own[name] = own.get(name, 0) + (getattr(row.tokens, name) or 0)
    for session_id, own in sums.items():
        for name, split in own.items():
            total = getattr(sessions[session_id].tokens, name) or 0
            if total != split:
                yield Discrepancy(
                    session_id,
                    name.replace("_", " "),
                    f"sessions: {total:,}",
                    f"session_model_usage: {split:,}",
                    total - split,
                    _at("session_model_usage", session_id, f"{total:,} against {split:,}"),
                )


def _against_messages(store: Store, sessions: dict[str, Session]) -> Iterator[Discrepancy]:
    """Live rows against `message_count`; counted by the database, one pass over an index."""
    active = "sum(active = 1)" if store.schema.keeps_rows else "count(*)"
    query = f"SELECT session_id, {active} FROM messages GROUP BY session_id"  # noqa: S608 - our own words
    with reading(store.path):
        rows = store.connection.execute(query).fetchall()
    for session_id, live in rows:
        known = sessions.get(str(session_id))
        if known is None or known.messages is None or live is None or known.messages == live:
            continue
        yield Discrepancy(
            known.id,
            "messages",
            f"sessions.message_count: {known.messages:,}",
            f"live rows: {live:,}",
            known.messages - live,
            _at("sessions", known.id, f"message_count {known.messages}, {live} live rows"),
        )


def _at(where: str, session: str, text: str) -> Evidence:
    return Evidence(Source.DATABASE, f"{where} {session}", text)
