"""Writes played sessions into a new state.db."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any

from sample_sessions.data import text
from sample_sessions.playing.cast import Played, Row, Usage
from sample_sessions.releases import Profile, Release

_PINNED_TOOLS = (
    "terminal",
    "read_file",
    "write_file",
    "patch",
    "search_files",
    "web_search",
    "delegate_task",
    "todo",
)


def write(path: Path, profile: Profile, sessions: Iterable[Played]) -> None:
    """Create the database as the profile's release would; the file must not exist yet."""
    release = profile.release
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for setting in ("synchronous = OFF", "journal_mode = OFF", "cache_size = -65536"):
            db.execute(f"PRAGMA {setting}")
        db.executescript(text(f"schema/{release.schema}.sql"))
        _take_away(db, release.lacks)
        db.execute("BEGIN")
        db.execute("INSERT INTO schema_version VALUES (?)", [release.version])
        store = _Store(db, profile)
        for played in sorted(sessions, key=lambda played: played.began):
            store.keep(played)
        db.execute("COMMIT")
        db.executescript(text(f"schema/{release.schema}-search.sql"))
        db.execute("PRAGMA journal_mode = WAL")


def _take_away(db: sqlite3.Connection, lacks: Mapping[str, Sequence[str]]) -> None:
    """Remove the tables, indexes and columns this release lacks; the rest of the schema file stays."""
    for kind in ("index", "table"):
        for name in lacks.get(kind, ()):
            db.execute(f"DROP {kind} {name}")
    for table in ("sessions", "messages"):
        for column in lacks.get(table, ()):
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")


class _Store:
    """Fills the tables and columns that a release has."""

    def __init__(self, db: sqlite3.Connection, profile: Profile) -> None:
        self._db, self._profile, self._release = db, profile, profile.release
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        self._orders: dict[str, int] = {}
        self._columns = {
            table: {row[1] for row in db.execute(f"PRAGMA table_info({table})")} for table in tables
        }

    def keep(self, played: Played) -> None:
        """Write a session with its rows and its usage."""
        values = _header(played, self._profile.name) | _totals(played.usages) | played.guards
        if self._release.uids:
            values |= self._pins(played)
        self._insert("sessions", values)
        for row in played.rows:
            order = self._orders.setdefault(row.uid, len(self._orders) + 1)
            self._insert("messages", _message(row, played.id) | _identity(row, order))
        for usages in _by_route(played.usages):
            self._insert("session_model_usage", {"session_id": played.id} | _route(usages, self._release))

    def _pins(self, played: Played) -> dict[str, Any]:
        """From schema 25 on, prompts and the tool schemas last sent have a table of their own."""
        tools = [
            {
                "type": "function",
                "function": {"name": name, "description": "", "parameters": {"type": "object"}},
            }
            for name in (*_PINNED_TOOLS, *played.added_tools)
        ]
        pin = json.dumps({"version": "0.22.2", "tools": tools})
        hashes = []
        for prompt in (played.system, pin):
            digest = hashlib.sha256(prompt.encode()).hexdigest()
            self._db.execute("INSERT OR IGNORE INTO system_prompts VALUES (?, ?)", [digest, prompt])
            hashes.append(digest)
        last = played.rows[-1].at if played.rows else played.began
        return {
            "system_prompt": None,
            "system_prompt_hash": hashes[0],
            "tool_names": hashes[1],
            "created_source": played.script.source,
            "last_activity_at": last.timestamp(),
        }

    def _insert(self, table: str, values: Mapping[str, Any]) -> None:
        known = {name: value for name, value in values.items() if name in self._columns.get(table, ())}
        if not known:
            return
        names, marks = ", ".join(known), ", ".join("?" * len(known))
        text = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - our own names
        self._db.execute(text, list(known.values()))


def _header(played: Played, profile: str) -> dict[str, Any]:
    model, script = played.model, played.script
    first = played.usages[0].model if played.usages else model
    config: dict[str, Any] = {"max_iterations": 90, "reasoning_config": None, "max_tokens": None}
    if played.marker:
        config[played.marker] = played.parent
    return {
        "id": played.id,
        "source": script.source,
        "model": model.name,
        "model_config": json.dumps(config),
        "system_prompt": played.system,
        "parent_session_id": played.parent,
        "started_at": played.began.timestamp(),
        "ended_at": played.ended.timestamp() if played.ended else None,
        "end_reason": played.end_reason,
        "message_count": len(played.live),
        "tool_call_count": sum(len(row.tool_calls or ()) for row in played.live),
        "cwd": script.cwd,
        "title": played.title,
        "rewind_count": played.rewinds,
        "profile_name": profile or None,
        "billing_provider": first.provider if script.reports_usage else None,
        "billing_base_url": first.url if script.reports_usage else None,
    }


def _totals(usages: Iterable[Usage]) -> dict[str, Any]:
    main = [usage for usage in usages if not usage.task]
    totals = _sums(main)
    if not main:
        return totals | {"cost_status": None, "cost_source": None, "estimated_cost_usd": None}
    return totals


def _sums(usages: list[Usage]) -> dict[str, Any]:
    """The counters that two tables share, and the cost Hermes would have recorded with them."""
    priced = [usage.usd for usage in usages if usage.usd is not None]
    known = len(priced) == len(usages)
    return {
        "api_call_count": len(usages),
        "input_tokens": sum(usage.input for usage in usages),
        "output_tokens": sum(usage.output for usage in usages),
        "cache_read_tokens": sum(usage.cache_read for usage in usages),
        "cache_write_tokens": sum(usage.cache_write for usage in usages),
        "reasoning_tokens": sum(usage.reasoning for usage in usages),
        "estimated_cost_usd": float(sum(priced)),
        "cost_status": "estimated" if known else "unknown",
        "cost_source": "official_docs_snapshot" if known else "none",
    }


def _by_route(usages: Iterable[Usage]) -> list[list[Usage]]:
    def route(usage: Usage) -> tuple[str, str]:
        return usage.model.name, usage.task

    return [list(group) for _, group in groupby(sorted(usages, key=route), key=route)]


def _route(usages: list[Usage], release: Release) -> dict[str, Any]:
    """A row of the ledger; an auxiliary row has no cost source, and its URL ends in a slash."""
    first = usages[0]
    model = first.model
    own = {"billing_provider": model.provider, "billing_base_url": model.url}
    helper = {
        "billing_provider": release.ledger or model.provider,
        "billing_base_url": f"{model.url}/",
        "cost_status": None,
        "cost_source": None,
    }
    return (
        _sums(usages)
        | (helper if first.task else own)
        | {
            "model": model.name,
            "task": first.task,
            "first_seen": usages[0].at.timestamp(),
            "last_seen": usages[-1].at.timestamp(),
        }
    )


def _message(row: Row, session_id: str) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "role": row.role,
        "content": _content(row.content),
        "tool_call_id": row.tool_call_id,
        "tool_calls": json.dumps(row.tool_calls) if row.tool_calls else None,
        "tool_name": row.tool_name,
        "timestamp": row.at.timestamp(),
        "finish_reason": row.finish_reason,
        "reasoning": row.reasoning,
        "reasoning_content": None,
        "active": int(row.active),
        "compacted": int(row.compacted),
        "_compressed_summary": int(row.summary),
    }


def _identity(row: Row, order: int) -> dict[str, Any]:
    """How 0.22 identifies a row besides its id; copies of a row share it."""
    calls = {call["id"]: _digest(call["id"]) for call in row.tool_calls or ()}
    return {
        "message_uid": row.uid,
        "display_identity": hashlib.sha256(row.uid.encode()).digest(),
        "display_order": order,
        "tool_call_uid": _digest(row.tool_call_id) if row.tool_call_id else None,
        "tool_call_uids": json.dumps(calls) if calls else None,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _content(content: Any) -> str | None:
    """Encode lists and dicts as NUL, `json:` and their JSON; strings stay unchanged."""
    if content is None or isinstance(content, str):
        return content
    return "\x00json:" + json.dumps(content, ensure_ascii=True)
