"""Rows of `sessions` as values. Never reads `system_prompt`, which can be larger than all the rest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from core.model.session import Guards, Session
from core.model.tokens import Buckets, Cost
from core.store.decode import Decoder
from core.store.schema import Schema

SPENT_COLUMNS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "estimated_cost_usd",
    "actual_cost_usd",
    "cost_status",
    "cost_source",
)
"""What was spent, as sessions and their split by route name it."""

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
    "rewind_count",
    "archived",
    "system_prompt_hash",
    "tool_names",
    "compression_failure_cooldown_until",
    "compression_failure_error",
    "compression_fallback_streak",
    "compression_ineffective_count",
    "compression_recovery_deadline",
    "compression_overload_streak",
)
_CHUNK = 500
_HASH_LENGTH = 64

Item = TypeVar("Item")


def read_sessions(
    connection: sqlite3.Connection, schema: Schema, path: Path, ids: Iterable[str]
) -> dict[str, Session]:
    """The sessions with these ids, by id; ids that do not exist are left out."""
    columns = f"{schema.select('sessions', SESSION_COLUMNS)}, {spoken_at(schema)} AS spoken_at"
    found: dict[str, Session] = {}
    for chunk in chunks(list(ids)):
        marks = ", ".join("?" * len(chunk))
        query = f"SELECT {columns} FROM sessions WHERE id IN ({marks})"  # noqa: S608 - names from the schema
        for row in connection.execute(query, chunk).fetchall():
            session = session_from_row(row, path)
            spoken = Decoder().time(row["spoken_at"], "timestamp")
            found[session.id] = replace(session, last_active=newest(session.last_active, spoken))
    return found


def spoken_at(schema: Schema) -> str:
    """SQL for when a session was last written to whose row says no more than its start; else NULL.

    That is an open one before 0.22, which has `last_activity_at`. One step into the index of messages by
    session and time answers it; without that index each session would cost a scan, so it stays unknown.
    """
    if "idx_messages_session" not in schema.indexes or not schema.has("messages", "timestamp"):
        return "NULL"
    silent = [one for one in ("ended_at", "last_activity_at") if schema.has("sessions", one)]
    test = " AND ".join(f"sessions.{one} IS NULL" for one in silent) or "1"
    newest_row = "SELECT max(timestamp) FROM messages WHERE session_id = sessions.id"
    return f"CASE WHEN {test} THEN ({newest_row}) END"


def session_from_row(row: sqlite3.Row, path: Path) -> Session:
    """Decode one row of `SESSION_COLUMNS`."""
    decoder = Decoder()
    text, integer, time = decoder.text, decoder.integer, decoder.time
    started = time(row["started_at"], "started_at")
    ended = time(row["ended_at"], "ended_at")
    active = time(row["last_activity_at"], "last_activity_at")
    tools = text(row["tool_names"], "tool_names")
    if row["model_config"] is not None:
        decoder.json(row["model_config"], "model_config", None)
    if row["id"] is None:
        decoder.damage.append("id is missing")
    return Session(
        id=text(row["id"], "id") or "",
        database=path,
        source=text(row["source"], "source"),
        title=text(row["title"], "title"),
        model=text(row["model"], "model"),
        model_config=text(row["model_config"], "model_config"),
        provider=text(row["billing_provider"], "billing_provider"),
        base_url=text(row["billing_base_url"], "billing_base_url"),
        billing_mode=text(row["billing_mode"], "billing_mode"),
        parent_id=text(row["parent_session_id"], "parent_session_id"),
        started_at=started,
        ended_at=ended,
        last_active=newest(started, ended, active),
        end_reason=text(row["end_reason"], "end_reason"),
        messages=integer(row["message_count"], "message_count"),
        tool_calls=integer(row["tool_call_count"], "tool_call_count"),
        api_calls=integer(row["api_call_count"], "api_call_count"),
        tokens=buckets(row, decoder),
        estimated_cost=_cost(row, "estimated_cost_usd", decoder),
        actual_cost=_cost(row, "actual_cost_usd", decoder),
        cwd=text(row["cwd"], "cwd"),
        profile=text(row["profile_name"], "profile_name"),
        rewind_count=integer(row["rewind_count"], "rewind_count"),
        archived=decoder.flag(row["archived"], "archived"),
        guards=_guards(row, decoder),
        system_prompt_hash=text(row["system_prompt_hash"], "system_prompt_hash"),
        tools_hash=tools if tools and len(tools) == _HASH_LENGTH else None,
        damage=tuple(dict.fromkeys(decoder.damage)),
    )


def buckets(row: sqlite3.Row, decoder: Decoder) -> Buckets:
    """The token counters of a session or usage row."""
    return Buckets(
        input=decoder.integer(row["input_tokens"], "input_tokens"),
        cache_read=decoder.integer(row["cache_read_tokens"], "cache_read_tokens"),
        cache_write=decoder.integer(row["cache_write_tokens"], "cache_write_tokens"),
        output=decoder.integer(row["output_tokens"], "output_tokens"),
        reasoning=decoder.integer(row["reasoning_tokens"], "reasoning_tokens"),
    )


def newest(*times: datetime | None) -> datetime | None:
    """The latest of the known times."""
    return max((time for time in times if time is not None), default=None)


def chunks(items: Sequence[Item], size: int = _CHUNK) -> Iterator[Sequence[Item]]:
    """Slices small enough to be bound as parameters of one statement."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _cost(row: sqlite3.Row, column: str, decoder: Decoder) -> Cost:
    usd = decoder.money(row[column], column)
    return Cost(
        usd=usd,
        status=decoder.text(row["cost_status"], "cost_status"),
        source=decoder.text(row["cost_source"], "cost_source"),
    )


def _guards(row: sqlite3.Row, decoder: Decoder) -> Guards:
    deadline = row["compression_recovery_deadline"]
    return Guards(
        cooldown_until=decoder.time(row["compression_failure_cooldown_until"], "cooldown"),
        failure_error=decoder.text(row["compression_failure_error"], "failure error"),
        fallback_streak=decoder.integer(row["compression_fallback_streak"], "fallback streak"),
        ineffective_count=decoder.integer(row["compression_ineffective_count"], "ineffective count"),
        # 0 is how Hermes writes "no deadline".
        recovery_deadline=decoder.time(deadline or None, "recovery deadline"),
        overload_streak=decoder.integer(row["compression_overload_streak"], "overload streak"),
    )
