"""What sessions spent by route and task, and what they sent besides messages: system prompt and tools."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.model.transcript.session import Session
from core.store.database.open_database import Schema
from core.store.rows.decode import Cells
from core.store.rows.sessions import SPENT_COLUMNS, buckets, chunks, cost

if TYPE_CHECKING:
    from core.model.transcript.storage import ToolPin, UsageRow

_USAGE_COLUMNS = (
    "session_id",
    "model",
    "billing_provider",
    "billing_base_url",
    "task",
    "api_call_count",
    *SPENT_COLUMNS,
    "first_seen",
    "last_seen",
)


def read_usage(
    connection: sqlite3.Connection, schema: Schema, session_ids: Sequence[str]
) -> tuple[UsageRow, ...]:
    """Usage by route and task (0.19 and later); empty where Hermes kept none."""
    if not schema.has("session_model_usage", "session_id"):
        return ()
    columns = schema.select("session_model_usage", _USAGE_COLUMNS)
    found: list[UsageRow] = []
    for chunk in chunks(session_ids):
        marks = ", ".join("?" * len(chunk))
        query = f"SELECT {columns} FROM session_model_usage WHERE session_id IN ({marks})"  # noqa: S608
        found += map(_usage, connection.execute(query, chunk).fetchall())
    return tuple(sorted(found, key=lambda row: (row.session_id, row.task, row.model)))


def read_system_prompt(connection: sqlite3.Connection, schema: Schema, session: Session) -> str | None:
    """The system prompt of a session, from the shared table (0.22) or its own row."""
    shared = _shared_text(connection, schema, session.system_prompt_hash)
    if shared is not None or not schema.has("sessions", "system_prompt"):
        return shared
    row = connection.execute("SELECT system_prompt FROM sessions WHERE id = ?", (session.id,)).fetchone()
    return Cells(row).text("system_prompt") if row else None


def read_tools(connection: sqlite3.Connection, schema: Schema, session: Session) -> ToolPin | None:
    """The tool schemas a session last sent (0.22); None where they are not kept or cannot be read."""
    text = _shared_text(connection, schema, session.tools_hash)
    try:
        pin = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(pin, dict):
        return None
    from core.model.transcript.storage import ToolPin

    tools = pin.get("tools")
    version = pin.get("version")
    return ToolPin(
        version=None if version is None else str(version),
        tools=tuple(tools) if isinstance(tools, list) else (),
    )


def _shared_text(connection: sqlite3.Connection, schema: Schema, key: str | None) -> str | None:
    if key is None or not schema.has("system_prompts", "hash", "prompt"):
        return None
    row = connection.execute("SELECT prompt FROM system_prompts WHERE hash = ?", (key,)).fetchone()
    return Cells(row).text("prompt") if row else None


def _usage(row: sqlite3.Row) -> UsageRow:
    from core.model.transcript.storage import UsageRow

    cells = Cells(row)
    return UsageRow(
        session_id=str(row["session_id"]),
        model=cells.text("model") or "",
        provider=cells.text("billing_provider") or "",
        base_url=cells.text("billing_base_url") or "",
        task=cells.text("task") or "",
        calls=cells.integer("api_call_count"),
        tokens=buckets(cells),
        estimated_cost=cost(cells, "estimated_cost_usd"),
        actual_cost=cost(cells, "actual_cost_usd"),
        first_seen=cells.time("first_seen"),
        last_seen=cells.time("last_seen"),
    )
