"""Rows of `sessions` as values, and what a running Hermes stores for others: locks, leases, routing.

Never reads `system_prompt`, which can be larger than everything else.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.model.accounting.amounts import Buckets, Cost
from core.model.transcript.session import Guards, Session
from core.store.database.connect import rows_in
from core.store.database.open_database import LABELS, Schema, was_cut
from core.store.rows.decode import Cells, moment

if TYPE_CHECKING:
    from core.model.transcript.storage import Lease, Routing

SPENT_COLUMNS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    *("estimated_cost_usd", "actual_cost_usd", "cost_status", "cost_source"),
)
"""Columns for tokens and cost, with the same names in sessions and in their usage by route."""

SESSION_COLUMNS = (
    "id",
    "source",
    "title",
    "model",
    "model_config",
    "billing_provider",
    "billing_base_url",
    "billing_mode",
    "parent_session_id",
    "started_at",
    "ended_at",
    "last_activity_at",
    "end_reason",
    "message_count",
    "tool_call_count",
    "api_call_count",
    *SPENT_COLUMNS,
    "cwd",
    "profile_name",
    "system_prompt_hash",
    "tool_names",
    "compression_failure_cooldown_until",
    "compression_failure_error",
    "compression_fallback_streak",
    "compression_ineffective_count",
    "compression_recovery_deadline",
)
_ROUTE = ("billing_provider", "billing_base_url")
_USD = "coalesce(nullif(actual_cost_usd, 0), estimated_cost_usd)"
_SIDE_TASKS = "FROM session_model_usage WHERE session_id = sessions.id AND coalesce(task, '') <> ''"
_HASH_LENGTH = 64

_PID = re.compile(r"\bpid[=:](\d{1,18})\b", re.ASCII)


def read_sessions(
    connection: sqlite3.Connection, schema: Schema, path: Path, ids: Iterable[str]
) -> dict[str, Session]:
    """The sessions with these ids, by id; ids that do not exist are left out."""
    columns = (
        f"{schema.select('sessions', SESSION_COLUMNS)}, {computed(schema)}, {_unpriced(schema)} AS unpriced"
    )
    found: dict[str, Session] = {}
    query = f"SELECT {columns} FROM sessions WHERE"  # noqa: S608 - names from the schema
    for row in rows_in(connection, query, "id", list(ids)):
        session = session_from_row(row, path)
        if spoken := moment(row["spoken_at"]):  # only of few: most have ended
            session = replace(session, last_active=newest(session.last_active, spoken))
        if unpriced := Cells(row).text("unpriced"):
            routes = (one.partition("\n") for one in unpriced.split(","))
            session = replace(session, unpriced=tuple((provider, url) for provider, _, url in routes))
        found[session.id] = session
    if failed := [one for one in found.values() if one.guards.failure_error]:
        found.update(_settled(connection, path, failed))
    return found


def _settled(
    connection: sqlite3.Connection, path: Path, failed: Sequence[Session]
) -> Iterator[tuple[str, Session]]:
    """Sessions without the error of a summary, where this program has compacted them since its pause."""
    from core.store.database.own_changes import compacted_at  # few summaries fail

    ours = compacted_at(connection, path)
    for session in failed:
        at, until = ours.get(session.id), session.guards.cooldown_until
        if at is not None and (until is None or until <= at):
            yield session.id, replace(session, guards=replace(session.guards, failure_error=None))


def models_of(connection: sqlite3.Connection, schema: Schema, ids: Sequence[str]) -> dict[str, str]:
    """The models of sessions: names with digits, like credentials, that titles may contain without harm."""
    if not schema.has("sessions", "model"):
        return {}
    return dict(map(tuple, rows_in(connection, "SELECT id, model FROM sessions WHERE", "id", ids)))


def computed(schema: Schema) -> str:
    """SQL for values that no column of a session holds: its latest message, the cost of auxiliary calls."""
    return f"{spoken_at(schema)} AS spoken_at, {auxiliary_usd(schema)} AS auxiliary_usd"


def auxiliary_usd(schema: Schema) -> str:
    """SQL for the cost of a session's calls outside the main loop (0.19 and later); else NULL."""
    if not schema.has("session_model_usage", "session_id", "task", "actual_cost_usd", "estimated_cost_usd"):
        return "NULL"
    return f"(SELECT round(sum({_USD}), 9) {_SIDE_TASKS})"


def _unpriced(schema: Schema) -> str:
    """SQL for the routes of a session's side tasks that no cost is recorded for; else NULL."""
    if not schema.has("session_model_usage", "session_id", "task", *_ROUTE, *SPENT_COLUMNS):
        return "NULL"
    named = " || char(10) || ".join(f"coalesce({part}, '')" for part in _ROUTE)
    used = " + ".join(f"coalesce({counter}, 0)" for counter in SPENT_COLUMNS if counter.endswith("_tokens"))
    free = f"coalesce({_USD}, 0) = 0 AND cost_status IS NOT 'included' AND {used} > 0"
    return f"(SELECT group_concat(DISTINCT {named}) {_SIDE_TASKS} AND {free})"


def spoken_at(schema: Schema) -> str:
    """SQL for the time of a session's newest message, if its row has only its start; else NULL.

    That is an open session before 0.22, which has `last_activity_at`. One step into the index of messages by
    session and time finds it; without that index each session would need a scan, so it stays unknown.
    """
    if "idx_messages_session" not in schema.indexes or not schema.has("messages", "timestamp"):
        return "NULL"
    silent = [one for one in ("ended_at", "last_activity_at") if schema.has("sessions", one)]
    test = " AND ".join(f"sessions.{one} IS NULL" for one in silent) or "1"
    newest_row = "SELECT max(timestamp) FROM messages WHERE session_id = sessions.id"
    return f"CASE WHEN {test} THEN ({newest_row}) END"


def session_from_row(row: sqlite3.Row, path: Path) -> Session:
    """Decode one row of `SESSION_COLUMNS`."""
    cells = Cells(row)
    text, integer = cells.text, cells.integer
    started, ended = cells.time("started_at"), cells.time("ended_at")
    return Session(
        id=text("id") or "",
        database=path,
        source=text("source"),
        title=text("title"),
        model=text("model"),
        model_config=text("model_config"),
        provider=text("billing_provider"),
        base_url=text("billing_base_url"),
        billing_mode=text("billing_mode"),
        parent_id=text("parent_session_id"),
        started_at=started,
        ended_at=ended,
        last_active=newest(started, ended, cells.time("last_activity_at")),
        end_reason=text("end_reason"),
        messages=integer("message_count"),
        tool_calls=integer("tool_call_count"),
        api_calls=integer("api_call_count"),
        tokens=buckets(cells),
        estimated_cost=cost(cells, "estimated_cost_usd"),
        actual_cost=cost(cells, "actual_cost_usd"),
        auxiliary_usd=cells.money("auxiliary_usd") if "auxiliary_usd" in row.keys() else None,  # noqa: SIM118
        cwd=text("cwd"),
        guards=_guards(cells),
        system_prompt_hash=text("system_prompt_hash"),
        tools_hash=_tools_hash(cells),
        damage=_damage(cells),
    )


def buckets(cells: Cells) -> Buckets:
    """The token counters of a session or usage row."""
    return Buckets(
        input=cells.integer("input_tokens"),
        cache_read=cells.integer("cache_read_tokens"),
        cache_write=cells.integer("cache_write_tokens"),
        output=cells.integer("output_tokens"),
        reasoning=cells.integer("reasoning_tokens"),
    )


def cost(cells: Cells, column: str) -> Cost:
    """One of the costs of a session or usage row."""
    return Cost(cells.money(column), cells.text("cost_status"), cells.text("cost_source"))


def newest(*times: datetime | None) -> datetime | None:
    """The latest of the known times."""
    return max((time for time in times if time is not None), default=None)


def _guards(cells: Cells) -> Guards:
    deadline = "compression_recovery_deadline"
    return Guards(
        cooldown_until=cells.time("compression_failure_cooldown_until"),
        failure_error=cells.text("compression_failure_error"),
        fallback_streak=cells.integer("compression_fallback_streak"),
        ineffective_count=cells.integer("compression_ineffective_count"),
        recovery_deadline=cells.time(deadline) if cells[deadline] else None,  # 0 means none
    )


def _tools_hash(cells: Cells) -> str | None:
    """The hash of the tool schemas (0.22), from a column that may still hold the older list of names."""
    kept = cells.text("tool_names")
    return kept if kept and len(kept) == _HASH_LENGTH else None


def _damage(cells: Cells) -> tuple[str, ...]:
    """What is wrong with the row, once its other cells have been read."""
    if cells["id"] is None:
        cells.damage.append("id is missing")
    if cells["model_config"] is not None:
        cells.json("model_config", None)
    cells.damage.extend(f"{name} is not a name: too long" for name in sorted(LABELS) if was_cut(cells[name]))
    return tuple(dict.fromkeys(cells.damage))


def read_locks(connection: sqlite3.Connection, schema: Schema) -> tuple[Lease, ...]:
    """Compression locks, including expired ones (0.16 and later)."""
    return _leases(connection, schema, "compression_locks", "session_id", "compression")


def read_leases(connection: sqlite3.Connection, schema: Schema) -> tuple[Lease, ...]:
    """Turns that are running, or were running when Hermes died (0.22)."""
    return _leases(connection, schema, "session_turn_leases", "conversation_id", "turn")


def read_routing(connection: sqlite3.Connection, schema: Schema) -> tuple[Routing, ...]:
    """Gateway chats and their last prompt sizes (0.18 and later)."""
    if not schema.has("gateway_routing", "session_key", "entry_json"):
        return ()
    columns = schema.select("gateway_routing", ("session_key", "entry_json", "updated_at"))
    query = f"SELECT {columns} FROM gateway_routing ORDER BY updated_at DESC"  # noqa: S608 - schema names
    rows = connection.execute(query).fetchall()
    return tuple(map(_routing, rows))


def _leases(
    connection: sqlite3.Connection, schema: Schema, table: str, key: str, kind: str
) -> tuple[Lease, ...]:
    if not schema.has(table, key, "holder", "acquired_at", "expires_at"):
        return ()
    query = f"SELECT {key} AS key, holder, acquired_at, expires_at FROM {table}"  # noqa: S608 - own names
    return tuple(_lease(row, kind) for row in connection.execute(query).fetchall())


def _lease(row: sqlite3.Row, kind: str) -> Lease:
    from core.model.transcript.storage import Lease

    cells = Cells(row)
    holder = cells.text("holder") or ""
    pid = _PID.search(holder)
    return Lease(
        kind=kind,
        key=str(row["key"]),
        holder=holder,
        pid=int(pid[1]) if pid else None,
        acquired_at=cells.time("acquired_at"),
        expires_at=cells.time("expires_at"),
    )


def _routing(row: sqlite3.Row) -> Routing:
    from core.model.transcript.storage import Routing

    cells = Cells(row)
    entry = cells.json("entry_json", {})
    entry = entry if isinstance(entry, dict) else {}
    session, prompt = entry.get("session_id"), entry.get("last_prompt_tokens")
    return Routing(
        key=str(row["session_key"]),
        session_id=str(session) if session else None,
        last_prompt_tokens=prompt if isinstance(prompt, int) and prompt >= 0 else None,
    )
