"""From the messages of a preview to the rows that hold them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.hermes.markers.markers import find_summary
from core.model.compaction.apply import NewRow
from core.model.transcript.message import Message, Wire
from core.store.database.open_database import Schema
from core.store.rows.decode import JSON_PREFIX, spoken

_COLUMN_OF = {
    "content": "content",
    "tool_call_id": "tool_call_id",
    "tool_name": "tool_name",
    "tool_calls": "tool_calls",
    "finish_reason": "finish_reason",
    "reasoning": "reasoning",
    "reasoning_content": "reasoning_content",
    "reasoning_details": "reasoning_details",
    "codex_reasoning_items": "codex_reasoning_items",
    "codex_message_items": "codex_message_items",
    "api_content": "api_content",
    "effect_disposition": "effect_disposition",
}
_JSON = frozenset(("tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items"))
_COMPARED = ("role", "content", "tool_call_id", "tool_name", "tool_calls")


def new_rows(
    before: Sequence[Message], after: Sequence[Message], schema: Schema, restamped: bool
) -> tuple[NewRow, ...]:
    """The rows that make `after` the live transcript.

    A message that was there before is copied column by column, so that what only the row knows (times, ids,
    provider blobs) goes along; only what differs is replaced.
    """
    sources = {message.row.id: message.wire for message in before if message.row}
    return tuple(
        _new_row(position, message, sources, schema, restamped)
        for position, message in enumerate(stored(after))
    )


def stored(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that lie in rows: Hermes keeps the system prompt elsewhere."""
    return tuple(message for message in messages if message.role != "system")


def loaded_alike(left: Message, right: Message) -> bool:
    """Whether two messages are the same to the model."""
    return all(_plain(left.wire, key) == _plain(right.wire, key) for key in _COMPARED)


def call_count(rows: Sequence[NewRow], sources: Mapping[int, Message]) -> int:
    """Tool calls in the new transcript, as Hermes counts them."""
    return sum(_calls(row, sources) for row in rows)


def _new_row(
    position: int, message: Message, sources: Mapping[int, Wire], schema: Schema, restamped: bool
) -> NewRow:
    source = message.row.id if message.row and message.row.id in sources else None
    summary = message.role in ("user", "assistant") and find_summary(message.text) is not None
    known = schema.columns["messages"]
    values = dict(_overrides(message.wire, sources[source]) if source is not None else _fresh(message.wire))
    if summary and (source is None or "content" in values):
        values["_compressed_summary"] = 1
    if source is not None and values:
        # Hermes fills these in again; a stale one would tie the new text to the old.
        values["display_identity"] = None
    if restamped:
        values |= {"timestamp": None, "display_identity": None}
    kept = {name: value for name, value in values.items() if name in known}
    return NewRow(position, source, summary, kept)


def _overrides(wire: Wire, original: Wire) -> Iterator[tuple[str, Any]]:
    for key, column in _COLUMN_OF.items():
        if wire.get(key) != original.get(key):
            yield column, _encoded(key, wire.get(key))
    if wire.get("content") != original.get("content") and wire.get("api_content") == original.get(
        "api_content"
    ):
        # What was sent for the old text must not be sent for the new one.
        yield "api_content", None


def _fresh(wire: Wire) -> Iterator[tuple[str, Any]]:
    yield "role", str(wire.get("role", "user"))
    for key, column in _COLUMN_OF.items():
        if wire.get(key) is not None or key == "content":
            yield column, _encoded(key, wire.get(key))
    yield "timestamp", None
    yield "message_uid", str(wire.get("message_uid") or uuid.uuid4().hex)


def _encoded(key: str, value: Any) -> Any:
    if value is None:
        return None
    if key in _JSON:
        return json.dumps(value) if value else None
    if key == "content" and (isinstance(value, list | tuple | Mapping) or str(value).startswith(JSON_PREFIX)):
        return JSON_PREFIX + json.dumps(value)
    return str(value).encode("utf-8", "replace").decode()


def _plain(wire: Wire, key: str) -> Any:
    value = wire.get(key)
    if key == "content" and isinstance(value, str) and wire.get("role") in ("user", "assistant"):
        return spoken(value.encode("utf-8", "replace").decode())
    return value or None


def _calls(row: NewRow, sources: Mapping[int, Message]) -> int:
    if "tool_calls" in row.values or row.source_row is None:
        return len(json.loads(row.values.get("tool_calls") or "[]"))
    return len(sources[row.source_row].tool_calls)
