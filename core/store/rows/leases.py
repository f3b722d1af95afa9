"""What a running Hermes leaves for others to see: locks, turn leases, gateway routing."""

from __future__ import annotations

import re
import sqlite3

from core.model.transcript.storage import Lease, Routing
from core.store.database.schema import Schema
from core.store.rows.decode import Cells

_PID = re.compile(r"\bpid[=:](\d+)")


def read_locks(connection: sqlite3.Connection, schema: Schema) -> tuple[Lease, ...]:
    """Compression locks, expired ones included (0.16 and later)."""
    return _leases(connection, schema, "compression_locks", "session_id", "compression")


def read_leases(connection: sqlite3.Connection, schema: Schema) -> tuple[Lease, ...]:
    """Turns that are running, or were when Hermes died (0.22)."""
    return _leases(connection, schema, "session_turn_leases", "conversation_id", "turn")


def read_routing(connection: sqlite3.Connection, schema: Schema) -> tuple[Routing, ...]:
    """Gateway chats and their last prompt sizes (0.18 and later)."""
    if not schema.has("gateway_routing", "session_key", "entry_json"):
        return ()
    columns = schema.select("gateway_routing", ("scope", "session_key", "entry_json", "updated_at"))
    rows = connection.execute(f"SELECT {columns} FROM gateway_routing").fetchall()  # noqa: S608 - schema names
    return tuple(map(_routing, rows))


def _leases(
    connection: sqlite3.Connection, schema: Schema, table: str, key: str, kind: str
) -> tuple[Lease, ...]:
    if not schema.has(table, key, "holder", "acquired_at", "expires_at"):
        return ()
    query = f"SELECT {key} AS key, holder, acquired_at, expires_at FROM {table}"  # noqa: S608 - own names
    return tuple(_lease(row, kind) for row in connection.execute(query).fetchall())


def _lease(row: sqlite3.Row, kind: str) -> Lease:
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
    cells = Cells(row)
    entry = cells.json("entry_json", {})
    entry = entry if isinstance(entry, dict) else {}
    session, prompt = entry.get("session_id"), entry.get("last_prompt_tokens")
    return Routing(
        key=str(row["session_key"]),
        scope=cells.text("scope") or "",
        session_id=str(session) if session else None,
        last_prompt_tokens=prompt if isinstance(prompt, int) and prompt >= 0 else None,
        updated_at=cells.time("updated_at"),
    )
