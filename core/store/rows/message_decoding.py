"""Decodes a stored row into the message that Hermes would load from it.

Key order matters: Hermes estimates tokens from the Python repr of the dict. The order is the same in every
release; newer ones add keys, and a key is left out when its column is missing or empty.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Hashable, Iterator
from sys import intern
from typing import Any

from core.model.transcript.message import Message, Row, RowState
from core.store.database.open_database import Schema
from core.store.rows.decode import Cells, loaded_text

MESSAGE_COLUMNS = (
    "id",
    "session_id",
    "role",
    "content",
    "message_uid",
    "tool_call_uids",
    "tool_call_uid",
    "absorbed_message_uids",
    "api_content",
    "display_kind",
    "display_metadata",
    "timestamp",
    "tool_call_id",
    "tool_name",
    "effect_disposition",
    "tool_calls",
    "platform_message_id",
    "observed",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "_compressed_summary",
    "active",
    "compacted",
)
NOTE_ROLE = "session_meta"
"""The role of a row in which a gateway notes a session's settings; it is never loaded or sent."""
_IDENTITY = {
    "message_uid": "message_uid",
    "tool_call_uids": "_tool_call_uids",
    "tool_call_uid": "_tool_call_uid",
    "absorbed_message_uids": "_absorbed_message_uids",
}
"""The key for each column, in the order in which they are loaded."""
_MARKER = re.compile(r"\[[A-Za-z_][\w.-]*\]", re.ASCII)
REPLAY = ("reasoning_details", "codex_reasoning_items", "codex_message_items")
"""Keys of an answer that are stored as JSON, to be sent back to the provider as they came."""


def message_from_row(row: sqlite3.Row, schema: Schema, state: RowState) -> Message:
    """Decode one row; `state` is what only a caller who sees the rows around it can tell."""
    cells = Cells(row)
    wire = _wire(cells, schema)
    stored = Row(
        id=row["id"],
        session_id=intern(str(row["session_id"])),
        timestamp=cells.time("timestamp"),
        state=state,
        damage=tuple(dict.fromkeys(cells.damage)),
    )
    return Message(wire, stored)


def repeated_by(row: sqlite3.Row, schema: Schema) -> Hashable | None:
    """What a later copy of a row shares with it: its uid (0.22), earlier its calls, text or time.

    A gateway stamps loaded messages anew when it copies them; only requests keep their time.
    """
    if not _without_uids(schema):
        return row["message_uid"] or None
    if called := row["tool_call_id"] or tuple(call_ids(row["tool_calls"])):
        return row["role"], called
    return row["role"], row["content" if row["role"] == "assistant" else "timestamp"]


def repeat_columns(schema: Schema) -> tuple[str, ...]:
    """The columns that `repeated_by` reads."""
    return ("timestamp", "tool_call_id", "tool_calls", "content") if _without_uids(schema) else ()


def _without_uids(schema: Schema) -> bool:
    return schema.marks_summaries and not schema.has_uids


def call_ids(calls: Any) -> Iterator[str]:
    """The ids of a row's calls; the text itself if it cannot be parsed."""
    if not isinstance(calls, str) or not calls:
        return
    try:
        parsed = json.loads(calls)
    except (ValueError, RecursionError):
        yield calls
        return
    for call in parsed if isinstance(parsed, list) else []:
        if isinstance(call, dict):
            yield str(call.get("call_id") or call.get("id") or "")


def row_state(row: sqlite3.Row, copied_later: bool) -> RowState:
    """What became of a row, by its marks and whether a newer row repeats it (0.20.6 on)."""
    if row["active"] or row["active"] is None:
        return RowState.LIVE
    if row["compacted"]:
        return RowState.ARCHIVED
    return RowState.SUPERSEDED if copied_later else RowState.REWOUND


def _wire(cells: Cells, schema: Schema) -> dict[str, Any]:
    role = intern(str(cells.text("role") or "?"))
    content = cells.content()
    if role in ("user", "assistant") and isinstance(content, str):
        content = loaded_text(content)
    wire: dict[str, Any] = {"role": role, "content": content}
    if schema.has_uids:
        wire["_db_persisted"] = True
        _add_identity(wire, cells)
    _add_text(wire, cells, "api_content", "display_kind")
    if cells["display_metadata"]:
        wire["display_metadata"] = cells.json("display_metadata", None)
    if schema.loads_time and cells["timestamp"]:
        wire["timestamp"] = cells.scalar("timestamp")
    _add_text(wire, cells, "tool_call_id", "tool_name", "effect_disposition")
    if cells["tool_calls"]:
        _add_calls(wire, cells, drops_marker=schema.has_uids)
    if cells["platform_message_id"]:
        wire["message_id"] = cells.scalar("platform_message_id")
    if cells["observed"]:
        wire["observed"] = True
    if role == "assistant":
        _add_assistant(wire, cells)
    return wire


def _add_calls(wire: dict[str, Any], cells: Cells, *, drops_marker: bool) -> None:
    """Add the calls; 0.22 does not send a tool's bare name again that was once stored as an answer."""
    wire["tool_calls"] = cells.json("tool_calls", [])
    content = wire["content"]
    has_text = drops_marker and wire["role"] == "assistant" and isinstance(content, str)
    if has_text and _MARKER.fullmatch(content):
        wire["content"] = ""


def _add_identity(wire: dict[str, Any], cells: Cells) -> None:
    for name, key in _IDENTITY.items():
        if cells[name]:
            value = cells.json(name, None) if name.endswith("uids") else cells.text(name)
            if value:
                wire[key] = value


def _add_text(wire: dict[str, Any], cells: Cells, *names: str) -> None:
    for name in names:
        if cells[name]:
            wire[name] = cells.text(name)


def _add_assistant(wire: dict[str, Any], cells: Cells) -> None:
    _add_text(wire, cells, "finish_reason", "reasoning")
    if cells["reasoning_content"] is not None:
        # Empty thinking is still sent back, as some providers require the key.
        wire["reasoning_content"] = cells.text("reasoning_content")
    for name in REPLAY:
        if cells[name]:
            wire[name] = cells.json(name, None)
