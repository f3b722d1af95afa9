"""Session databases made for tests: the tables of a release, and rows written the way it writes them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

RELEASES = ("0.2", "0.13", "0.15", "0.16", "0.17", "0.18", "0.19", "0.22")
VERSIONS = {"0.2": 4, "0.13": 11, "0.15": 13, "0.16": 14, "0.17": 16, "0.18": 19, "0.19": 22, "0.22": 31}

SUMMARY = "[CONTEXT SUMMARY]:"
LONG_SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY]"
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
PRIOR = "[PRIOR CONTEXT — for reference only; not a new message]"
PRIOR_END = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"

_SESSIONS = {
    "0.2": "id TEXT PRIMARY KEY|source TEXT NOT NULL|user_id TEXT|model TEXT|model_config TEXT"
    "|system_prompt TEXT|parent_session_id TEXT REFERENCES sessions(id)|started_at REAL NOT NULL"
    "|ended_at REAL|end_reason TEXT|message_count INTEGER DEFAULT 0"
    "|tool_call_count INTEGER DEFAULT 0|input_tokens INTEGER DEFAULT 0"
    "|output_tokens INTEGER DEFAULT 0|title TEXT",
    "0.13": "cache_read_tokens INTEGER DEFAULT 0|cache_write_tokens INTEGER DEFAULT 0"
    "|reasoning_tokens INTEGER DEFAULT 0|billing_provider TEXT|billing_base_url TEXT"
    "|billing_mode TEXT|estimated_cost_usd REAL|actual_cost_usd REAL|cost_status TEXT"
    "|cost_source TEXT|pricing_version TEXT|api_call_count INTEGER DEFAULT 0|handoff_state TEXT"
    "|handoff_platform TEXT|handoff_error TEXT",
    "0.16": "cwd TEXT|rewind_count INTEGER NOT NULL DEFAULT 0|archived INTEGER NOT NULL DEFAULT 0",
    "0.18": "session_key TEXT|chat_id TEXT|chat_type TEXT|thread_id TEXT|display_name TEXT"
    "|origin_json TEXT|expiry_finalized INTEGER DEFAULT 0|git_branch TEXT|git_repo_root TEXT"
    "|compression_failure_cooldown_until REAL|compression_failure_error TEXT",
    "0.19": "compression_fallback_streak INTEGER NOT NULL DEFAULT 0|profile_name TEXT",
    "0.22": "created_source TEXT|system_prompt_hash TEXT REFERENCES system_prompts(hash)"
    "|tool_names TEXT|title_source TEXT"
    "|last_activity_at REAL|last_activity_description TEXT|last_activity_provenance TEXT"
    "|compression_ineffective_count INTEGER NOT NULL DEFAULT 0|compression_recovery_deadline REAL"
    "|compression_overload_streak INTEGER NOT NULL DEFAULT 0"
    "|git_metadata_generation INTEGER NOT NULL DEFAULT 0|transport_profile TEXT"
    "|auto_archived INTEGER NOT NULL DEFAULT 0|pinned INTEGER NOT NULL DEFAULT 0"
    "|hidden INTEGER NOT NULL DEFAULT 0|last_read_at REAL",
}
_MESSAGES = {
    "0.2": "id INTEGER PRIMARY KEY AUTOINCREMENT|session_id TEXT NOT NULL REFERENCES sessions(id)"
    "|role TEXT NOT NULL|content TEXT|tool_call_id TEXT|tool_calls TEXT|tool_name TEXT"
    "|timestamp REAL NOT NULL|token_count INTEGER|finish_reason TEXT",
    "0.13": "reasoning TEXT|reasoning_content TEXT|reasoning_details TEXT|codex_reasoning_items TEXT"
    "|codex_message_items TEXT",
    "0.15": "platform_message_id TEXT|observed INTEGER DEFAULT 0",
    "0.16": "active INTEGER NOT NULL DEFAULT 1",
    "0.18": "compacted INTEGER NOT NULL DEFAULT 0",
    "0.19": "effect_disposition TEXT|api_content TEXT",
    "0.22": "_compressed_summary INTEGER NOT NULL DEFAULT 0|display_kind TEXT|display_metadata TEXT"
    "|display_identity BLOB|display_order INTEGER|message_uid TEXT|absorbed_message_uids TEXT"
    "|tool_call_uids TEXT|tool_call_uid TEXT",
}
_TABLES = {
    "0.13": "CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT)",
    "0.16": "CREATE TABLE compression_locks (session_id TEXT PRIMARY KEY, holder TEXT NOT NULL,"
    " acquired_at REAL NOT NULL, expires_at REAL NOT NULL)",
    "0.17": "CREATE INDEX idx_sessions_source_id ON sessions(source, id)",
    "0.18": "CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp);"
    "CREATE TABLE gateway_routing (scope TEXT NOT NULL DEFAULT '', session_key TEXT NOT NULL,"
    " entry_json TEXT NOT NULL, updated_at REAL NOT NULL, PRIMARY KEY (scope, session_key))",
    "0.19": ""
    "CREATE TABLE session_model_usage (session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, "
    "model TEXT NOT NULL, billing_provider TEXT NOT NULL DEFAULT '', "
    "billing_base_url TEXT NOT NULL DEFAULT '', billing_mode TEXT NOT NULL DEFAULT '', "
    "task TEXT NOT NULL DEFAULT '', api_call_count INTEGER DEFAULT 0, "
    "input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, "
    "cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, "
    "reasoning_tokens INTEGER DEFAULT 0, estimated_cost_usd REAL DEFAULT 0, "
    "actual_cost_usd REAL DEFAULT 0, cost_status TEXT, cost_source TEXT, first_seen REAL, "
    "last_seen REAL, PRIMARY KEY (session_id, model, billing_provider, billing_base_url, "
    "billing_mode, task))",
    "0.22": "CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL);"
    "CREATE TABLE session_turn_leases (conversation_id TEXT PRIMARY KEY, holder TEXT NOT NULL,"
    " acquired_at REAL NOT NULL, expires_at REAL NOT NULL)",
}
_INDEXED = (
    "coalesce(new.content, '') || ' ' || coalesce(new.tool_name, '') || ' ' || coalesce(new.tool_calls, '')"
)


def _inline_fts(table: str, options: str) -> str:
    return f"""
    CREATE VIRTUAL TABLE {table} USING fts5(content{options});
    CREATE TRIGGER {table}_insert AFTER INSERT ON messages BEGIN
      INSERT INTO {table}(rowid, content) VALUES (new.id, {_INDEXED}); END;
    CREATE TRIGGER {table}_delete AFTER DELETE ON messages BEGIN
      DELETE FROM {table} WHERE rowid = old.id; END;
    CREATE TRIGGER {table}_update AFTER UPDATE ON messages BEGIN
      DELETE FROM {table} WHERE rowid = old.id;
      INSERT INTO {table}(rowid, content) VALUES (new.id, {_INDEXED}); END;
    """


_EXTERNAL_FTS = """
    CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='messages',
      content_rowid='id');
    CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
      INSERT INTO messages_fts(rowid, content, tool_name, tool_calls)
      VALUES (new.id, new.content, new.tool_name, new.tool_calls); END;
    CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
      INSERT INTO messages_fts(messages_fts, rowid, content, tool_name, tool_calls)
      VALUES ('delete', old.id, old.content, old.tool_name, old.tool_calls); END;
    CREATE TRIGGER messages_message_uid_insert AFTER INSERT ON messages WHEN new.message_uid IS NULL BEGIN
      UPDATE messages SET message_uid = lower(hex(randomblob(16))) WHERE id = new.id; END;
    CREATE TRIGGER messages_display_order_insert AFTER INSERT ON messages WHEN new.display_order IS NULL BEGIN
      UPDATE messages SET display_order = new.id WHERE id = new.id; END;
"""


class SessionDatabase:
    """A database under construction; closed databases are left in WAL mode, as Hermes leaves them."""

    def __init__(self, path: Path, release: str = "0.19") -> None:
        self.path = path
        self.release = release
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = OFF")
        self.connection.executescript(schema_sql(release))
        self._clock = 1_780_000_000.0

    def loosen(self, change: str) -> None:
        """Change messages in a table that holds its columns to nothing."""
        for step in (
            "CREATE TABLE loose AS SELECT * FROM messages",
            "DROP TABLE messages",
            "ALTER TABLE loose RENAME TO messages",
            f"UPDATE messages SET {change}",
        ):
            self.connection.execute(step)

    def __enter__(self) -> SessionDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def __del__(self) -> None:
        self.connection.close()  # else Python 3.13 complains, in whatever test runs then

    def tick(self, seconds: float = 1.0) -> float:
        """Let time pass and say what time it is."""
        self._clock += seconds
        return self._clock

    def session(self, session_id: str, **columns: Any) -> str:
        """Write one session."""
        values = {"id": session_id, "source": "cli", "started_at": self.tick(), **columns}
        self._insert("sessions", values)
        return session_id

    def message(self, session_id: str, role: str, content: Any, **columns: Any) -> int:
        """Write one message as a live row; lists and dicts are encoded, `calls` makes tool calls."""
        if isinstance(content, list | dict):
            content = "\x00json:" + json.dumps(content)
        values = {"session_id": session_id, "role": role, "content": content, "timestamp": self.tick()}
        if calls := columns.pop("calls", None):
            values["tool_calls"] = json.dumps([tool_call(*call) for call in calls])
        return self._insert("messages", values | columns)

    def turn(self, session_id: str, name: str) -> list[int]:
        """A user asks, the assistant calls a tool and answers: four messages."""
        call = f"call_{name}"
        return [
            self.message(session_id, "user", f"ask {name}"),
            self.message(session_id, "assistant", f"look {name}", calls=[(call, "terminal", "{}")]),
            self.message(
                session_id, "tool", f"result {name} " + "x" * 300, tool_call_id=call, tool_name="terminal"
            ),
            self.message(session_id, "assistant", f"answer {name}"),
        ]

    def copy(self, row_id: int, session_id: str | None = None, **changes: Any) -> int:
        """Write a row once more as a live one, as a compaction does with head and tail."""
        cursor = self.connection.execute("SELECT * FROM messages WHERE id = ?", (row_id,))
        names = [column[0] for column in cursor.description]
        values = dict(zip(names, cursor.fetchone(), strict=True))
        del values["id"]
        values.pop("display_order", None)
        values |= {"active": 1, "compacted": 0} if "compacted" in values else {}
        values |= {"session_id": session_id} if session_id else {}
        return self._insert("messages", values | changes)

    def mark(self, row_ids: Iterable[int], **columns: Any) -> None:
        """Change columns of some rows."""
        settings = ", ".join(f"{name} = ?" for name in columns)
        for row_id in row_ids:
            self.connection.execute(
                f"UPDATE messages SET {settings} WHERE id = ?", (*columns.values(), row_id)
            )

    def live(self, session_id: str) -> list[int]:
        """Ids of the live rows of a session."""
        test = "AND active = 1" if self.release in RELEASES[3:] else ""
        query = f"SELECT id FROM messages WHERE session_id = ? {test} ORDER BY id"
        return [row_id for (row_id,) in self.connection.execute(query, (session_id,))]

    def compact(self, session_id: str, head: int, tail: int, summary: str) -> list[int]:
        """Compact in place: archive everything live, copy head and tail around a summary."""
        old = self.live(session_id)
        kept = old[len(old) - tail :] if tail else []
        self.mark(old, active=0, compacted=1)
        if self.release == "0.22":
            self.mark(kept, compacted=0)
        flag = {"_compressed_summary": 1} if self.release == "0.22" else {}
        new = [self.copy(row) for row in old[:head]]
        new.append(self.message(session_id, "user", f"{SUMMARY} {summary}", **flag))
        return new + [self.copy(row) for row in kept]

    def rotate(self, parent: str, child: str, head: int, tail: int, summary: str) -> list[int]:
        """Compact by rotation: end the parent, write head, summary and tail into a child."""
        old = self.live(parent)
        ended = self.tick()
        self.connection.execute(
            "UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = ?", (ended, parent)
        )
        self.session(child, parent_session_id=parent)
        new = [self.copy(row, child) for row in old[:head]]
        new.append(self.message(child, "user", f"{SUMMARY} {summary}"))
        return new + [self.copy(row, child) for row in (old[len(old) - tail :] if tail else [])]

    def _insert(self, table: str, values: dict[str, Any]) -> int:
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        cursor = self.connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})", (*values.values(),)
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid


def schema_sql(release: str) -> str:
    """The statements that make the tables of a release."""
    until = RELEASES[: RELEASES.index(release) + 1]
    sessions = "|".join(_SESSIONS[one] for one in until if one in _SESSIONS).replace("|", ", ")
    messages = "|".join(_MESSAGES[one] for one in until if one in _MESSAGES).replace("|", ", ")
    parts = [
        "CREATE TABLE schema_version (version INTEGER NOT NULL)",
        f"INSERT INTO schema_version VALUES ({VERSIONS[release]})",
        f"CREATE TABLE sessions ({sessions})",
        f"CREATE TABLE messages ({messages})",
        "CREATE INDEX idx_sessions_parent ON sessions(parent_session_id)",
        "CREATE INDEX idx_messages_session ON messages(session_id, timestamp)",
        "CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL",
        *(_TABLES[one] for one in until if one in _TABLES),
    ]
    if release == "0.22":
        parts.append(_EXTERNAL_FTS)
    elif release != "0.2":
        parts += [
            _inline_fts("messages_fts", ""),
            _inline_fts("messages_fts_trigram", ", tokenize='trigram'"),
        ]
    return ";\n".join(parts)


def tool_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """A call as Hermes stores it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
