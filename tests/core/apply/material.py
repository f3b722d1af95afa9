"""Conversations to compress, and previews of compressing them, made by hand."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from core.apply.database.snapshot import live_messages
from core.model.compaction.plan import Plan, Settings, Span
from core.model.compaction.preview import Feedback, Preview
from core.model.transcript.message import Message
from core.store.store import Store
from tests.core.store.database import SUMMARY as COMPACTED
from tests.core.store.database import SessionDatabase

SUMMARY = "[CONTEXT SUMMARY]: the build was fixed in src/app.py"
LATER = "2099-01-01T00:00:00+00:00"


def conversation(path: Path, release: str, turns: int = 6) -> Path:
    """A finished conversation of some turns, with a second session."""
    with SessionDatabase(path, release) as database:
        database.session(
            "s", title="Fix the build", model_config='{"max_iterations": 90, "_usage_anchor": {}}'
        )
        if release == "0.22":
            database.connection.execute("INSERT INTO system_prompts VALUES ('h', 'be kind')")
            database.connection.execute("UPDATE sessions SET system_prompt_hash = 'h'")
        for number in range(turns):
            database.turn("s", str(number))
        calls = "UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = 's'"
        database.connection.execute(calls, (turns * 4, turns))
        database.session("other")
        database.turn("other", "elsewhere")
    return path


def compress_here(database: SessionDatabase, session: str = "s", *, loses: bool = True) -> None:
    """`/compress here 2` of 0.18 and 0.19: the two turns to be kept stay archived, unless told otherwise."""
    database.session(session)
    for number in range(6):
        database.turn(session, str(number))
    old = database.live(session)
    compressed = old[:16]
    database.mark(old, active=0, compacted=1)
    for row in compressed[:4]:
        database.copy(row)
    database.message(session, "user", f"{COMPACTED} so far")
    for row in compressed[-4:] if loses else old[12:]:
        database.copy(row)


def preview(
    store: Store, session_id: str = "s", head: int = 4, tail: int = 4, text: str = SUMMARY
) -> Preview:
    """What compressing the middle of a session would leave."""
    before = live_messages(store, session_id)
    summary = Message({"role": "user", "content": text})
    after = (*before[:head], summary, *before[len(before) - tail :])
    return preview_of(before, after, head)


def preview_of(before: tuple[Message, ...], after: tuple[Message, ...], summary_index: int | None) -> Preview:
    """A preview with these messages."""
    return Preview(
        plan=_plan(len(before)),
        before=before,
        after=after,
        summariser="static",
        focus=None,
        summary="the build was fixed in src/app.py",
        summary_index=summary_index,
        before_tokens=1000,
        after_tokens=100,
        feedback=Feedback(False, False, False, "Compressed", ""),
    )


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, and what the full-text tables find; index internals left out."""
    connection = sqlite3.connect(path)
    names = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        if not name.endswith(("_data", "_idx", "_docsize", "_config"))
    ]
    found: dict[str, list[tuple[object, ...]]] = {}
    for name in names:
        found[name] = connection.execute(f"SELECT rowid, * FROM {name} ORDER BY rowid").fetchall()
        if name.startswith("messages_fts") and not name.endswith("_content"):
            for word in ("answer", "summary", "result", "terminal"):
                query = f"SELECT rowid FROM {name} WHERE {name} MATCH ? ORDER BY rowid"
                found[f"{name}: {word}"] = connection.execute(query, (word,)).fetchall()
    connection.close()
    return found


def check_integrity(path: Path) -> str:
    """SQLite's full check, that of the full-text tables included."""
    connection = sqlite3.connect(path)
    (result,) = connection.execute("PRAGMA integrity_check").fetchone()
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'"
    ).fetchall():
        connection.execute(f"INSERT INTO {name}({name}) VALUES ('integrity-check')")
    connection.close()
    return str(result)


def _plan(messages: int) -> Plan:
    return Plan(
        release="0.19",
        group="D",
        settings=Settings(),
        estimated_tokens=0,
        messages=messages,
        head=Span(0, 2),
        middle=Span(2, 10),
        tail=Span(10, messages),
        compared_tokens=0,
    )
