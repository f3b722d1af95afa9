"""The columns of `sessions` a compaction changes, and the session it may make."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.apply.database.exact_values import RawText
from core.model.compaction.apply import ApplyMode, ColumnChange
from core.model.transcript.message import json_object
from core.model.transcript.session import Session
from core.store.database.open_database import Schema
from core.store.lineage.lineage import MARKERS

_NUMBERED = re.compile(r"^(.*) #(\d+)$", re.DOTALL)
_ANCHOR = "_usage_anchor"
# A new session has used nothing, ended nothing and failed at nothing yet.
_BLANK: Mapping[str, Any] = {
    "ended_at": None,
    "end_reason": None,
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_read_tokens": 0,
    "cache_write_tokens": 0,
    "reasoning_tokens": 0,
    "api_call_count": 0,
    "estimated_cost_usd": None,
    "actual_cost_usd": None,
    "cost_status": None,
    "cost_source": None,
    "pricing_version": None,
    "handoff_state": None,
    "handoff_platform": None,
    "handoff_error": None,
    "compression_failure_cooldown_until": None,
    "compression_failure_error": None,
    "compression_fallback_streak": 0,
    "compression_ineffective_count": 0,
    "compression_recovery_deadline": None,
    "compression_overload_streak": 0,
    "last_activity_at": None,
    "last_activity_description": None,
    "last_activity_provenance": None,
    "expiry_finalized": 0,
    "rewind_count": 0,
    "archived": 0,
    "auto_archived": 0,
    "hidden": 0,
}


def session_changes(
    session: Session, mode: ApplyMode, schema: Schema, counts: tuple[int, int], now: float
) -> tuple[ColumnChange, ...]:
    """What changes in the session that is compacted.

    Args:
        session: The session as it is.
        mode: How the compaction is written.
        schema: Says which columns there are.
        counts: Messages and tool calls of the new transcript.
        now: Epoch seconds.
    """
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    if mode is ApplyMode.IN_PLACE:
        old = {"message_count": session.messages, "tool_call_count": session.tool_calls}
        new = {"message_count": counts[0], "tool_call_count": counts[1]}
        config = without_keys(session.model_config, (_ANCHOR,))
        old["model_config"], new["model_config"] = session.model_config, config
    elif mode is ApplyMode.CONTINUATION:
        ended = session.ended_at.timestamp() if session.ended_at else None
        old = {"ended_at": ended, "end_reason": session.end_reason}
        new = {"ended_at": now, "end_reason": "compression"}
    known = schema.columns["sessions"]
    return tuple(ColumnChange(name, new[name]) for name in new if name in known and old[name] != new[name])


def new_session(
    connection: sqlite3.Connection,
    session: Session,
    mode: ApplyMode,
    schema: Schema,
    counts: tuple[int, int],
    now: float,
) -> dict[str, Any]:
    """The columns in which the session to be made differs from the one it comes from; empty in place."""
    if mode is ApplyMode.IN_PLACE:
        return {}
    linked = mode is ApplyMode.CONTINUATION or _can_branch(session, schema)
    config = without_keys(session.model_config, (_ANCHOR, *MARKERS))
    if mode is ApplyMode.FORK and linked:
        config = json.dumps({**(json_object(config) or {}), "_branched_from": session.id})
    values = {
        **_BLANK,
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
    taken = [_text(found) for (found,) in connection.execute(query, (f"{base} #", f"{base} #")).fetchall()]
    numbers = [int(match[2]) for one in taken if (match := _NUMBERED.match(one)) and match[1] == base]
    return f"{base} #{max([1, *numbers]) + 1}"


def without_keys(config: str | None, names: tuple[str, ...]) -> str | None:
    """`model_config` without some keys; unchanged, to the byte, when it has none of them."""
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
        # Local time, as in the ids Hermes makes.
        made = f"{datetime.fromtimestamp(now):%Y%m%d_%H%M%S}_{uuid.uuid4().hex[:6]}"
        if connection.execute("SELECT 1 FROM sessions WHERE id = ?", (made,)).fetchone() is None:
            return made


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, RawText | bytes) else str(value)
