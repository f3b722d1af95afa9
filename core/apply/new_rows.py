"""What a compaction writes: the rows of the new transcript, and changed columns of sessions."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from core.apply.database.connection import RawText
from core.hermes.markers.markers import find_summary
from core.model.compaction.apply import ApplyMode, ColumnChange, NewRow
from core.model.transcript.message import Message, Wire, json_object
from core.model.transcript.session import Session
from core.store.database.open_database import TEXTS, Schema
from core.store.lineage.lineage import MARKERS
from core.store.rows.decode import JSON_PREFIX, loaded_text
from core.store.rows.message_decoding import REPLAY
from core.support.program_files import load_table

_KEYS = (*TEXTS, "tool_call_id", "tool_name", "finish_reason", "effect_disposition")
"""Keys of a message that are stored in the column of the same name."""
_JSON = frozenset(("tool_calls", *REPLAY))
_COMPARED = ("role", "content", "tool_call_id", "tool_name", "tool_calls")
_NUMBERED = re.compile(r"^(.*) #(\d+)$", re.DOTALL)
_ANCHOR = "_usage_anchor"


def new_rows(
    before: Sequence[Message], after: Sequence[Message], schema: Schema, restamped: bool
) -> tuple[NewRow, ...]:
    """The rows that make `after` the live transcript.

    A message that existed before is copied column by column, to keep what only the row has (times, ids,
    provider blobs); only what differs is replaced.
    """
    sources = {message.row.id: message.wire for message in before if message.row}
    return tuple(
        _new_row(position, message, sources, schema, restamped)
        for position, message in enumerate(stored(after))
    )


def stored(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that are stored in rows; Hermes stores the system prompt elsewhere."""
    return tuple(message for message in messages if message.role != "system")


def loaded_alike(left: Message, right: Message) -> bool:
    """Whether two messages are the same to the model."""
    return all(_plain(left.wire, key) == _plain(right.wire, key) for key in _COMPARED)


def call_count(rows: Sequence[NewRow], before: Sequence[Message]) -> int:
    """Tool calls in the new transcript, as Hermes counts them."""
    sources = {message.row.id: message for message in before if message.row}
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
        # Hermes fills these in again; a stale one would link the new text to the old one.
        values["display_identity"] = None
    if restamped:
        values |= {"timestamp": None, "display_identity": None}
    kept = {name: value for name, value in values.items() if name in known}
    return NewRow(position, source, summary, kept)


def _overrides(wire: Wire, original: Wire) -> Iterator[tuple[str, Any]]:
    for key in _KEYS:
        if wire.get(key) != original.get(key):
            yield key, _encoded(key, wire.get(key))
    if wire.get("content") != original.get("content") and wire.get("api_content") == original.get(
        "api_content"
    ):
        # What was sent for the old text must not be sent for the new one.
        yield "api_content", None


def _fresh(wire: Wire) -> Iterator[tuple[str, Any]]:
    yield "role", str(wire.get("role", "user"))
    for key in _KEYS:
        if wire.get(key) is not None or key == "content":
            yield key, _encoded(key, wire.get(key))
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
        return loaded_text(value.encode("utf-8", "replace").decode())
    return value or None


def _calls(row: NewRow, sources: Mapping[int, Message]) -> int:
    if "tool_calls" in row.values or row.source_row is None:
        return len(json.loads(row.values.get("tool_calls") or "[]"))
    return len(sources[row.source_row].tool_calls)


def session_changes(
    session: Session, mode: ApplyMode, schema: Schema, counts: tuple[int, int], now: float
) -> tuple[ColumnChange, ...]:
    """The changes to the session that is compacted; `counts` are its new messages and tool calls."""
    changes: dict[str, tuple[Any, Any]] = {}
    if mode is ApplyMode.IN_PLACE:
        config = without_keys(session.model_config, (_ANCHOR,))
        changes = {
            "message_count": (session.messages, counts[0]),
            "tool_call_count": (session.tool_calls, counts[1]),
            "model_config": (session.model_config, config),
        }
    elif mode is ApplyMode.CONTINUATION:
        ended = session.ended_at.timestamp() if session.ended_at else None
        changes = {"ended_at": (ended, now), "end_reason": (session.end_reason, "compression")}
    known = schema.columns["sessions"]
    return tuple(
        ColumnChange(name, new) for name, (old, new) in changes.items() if name in known and old != new
    )


def new_session(
    connection: sqlite3.Connection,
    session: Session,
    mode: ApplyMode,
    schema: Schema,
    counts: tuple[int, int],
    now: float,
) -> dict[str, Any]:
    """The columns in which the new session differs from its source; empty for a compaction in place."""
    if mode is ApplyMode.IN_PLACE:
        return {}
    linked = mode is ApplyMode.CONTINUATION or _can_branch(session, schema)
    config = without_keys(session.model_config, (_ANCHOR, *MARKERS))
    if mode is ApplyMode.FORK and linked:
        config = json.dumps({**(json_object(config) or {}), "_branched_from": session.id})
    values = {
        **load_table("core/apply/new_session.yaml"),
        "id": _new_id(connection, now),
        "parent_session_id": session.id if linked else None,
        "started_at": now,
        "title": next_title(connection, session.title),
        "model_config": config,
        "message_count": counts[0],
        "tool_call_count": counts[1],
    }
    known = schema.columns["sessions"]
    return {name: value for name, value in values.items() if name in known}


def next_title(connection: sqlite3.Connection, title: str | None) -> str | None:
    """The next free `title #N`, numbered as Hermes numbers continuations."""
    if title is None:
        return None
    numbered = _NUMBERED.match(title)
    base = numbered[1] if numbered else title
    query = "SELECT title FROM sessions WHERE substr(title, 1, length(?)) = ?"
    used_titles = [
        _text(found) for (found,) in connection.execute(query, (f"{base} #", f"{base} #")).fetchall()
    ]
    numbers = [int(match[2]) for one in used_titles if (match := _NUMBERED.match(one)) and match[1] == base]
    return f"{base} #{max([1, *numbers]) + 1}"


def without_keys(config: str | None, names: tuple[str, ...]) -> str | None:
    """`model_config` without some keys; byte for byte unchanged if it has none of them."""
    parsed = json_object(config)
    if not parsed or not parsed.keys() & set(names):
        return config
    return json.dumps({name: value for name, value in parsed.items() if name not in names})


def _can_branch(session: Session, schema: Schema) -> bool:
    """Whether this release would not take a marked child for the continuation."""
    if schema.tests_child_start and session.end_reason == "compression":
        return False
    return schema.keeps_rows


def _new_id(connection: sqlite3.Connection, now: float) -> str:
    while True:
        # Local time, as in the ids Hermes creates.
        made = f"{datetime.fromtimestamp(now):%Y%m%d_%H%M%S}_{uuid.uuid4().hex[:6]}"
        if connection.execute("SELECT 1 FROM sessions WHERE id = ?", (made,)).fetchone() is None:
            return made


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, RawText | bytes) else str(value)
