"""What sessions spent by route and task."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.store.database.open_database import Schema
from core.store.rows.decode import Cells
from core.store.rows.sessions import SPENT_COLUMNS, buckets, chunks, cost

if TYPE_CHECKING:
    from core.model.transcript.storage import UsageRow

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
