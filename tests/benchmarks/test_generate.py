"""The generator of benchmark databases: the sizes asked for, and the same rows each time."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from core.store.store import Store
from tests.benchmarks.generate import Size, conversation, store

SMALL = Size(sessions=40, messages=800, characters=200)


def test_a_store_has_the_sessions_and_messages_asked_for(tmp_path: Path) -> None:
    with closing(sqlite3.connect(store(tmp_path / "s.db", SMALL))) as db:
        assert db.execute("SELECT count(*) FROM sessions").fetchone() == (40,)
        assert 720 <= db.execute("SELECT count(*) FROM messages").fetchone()[0] <= 880
        assert db.execute("SELECT count(*) FROM messages WHERE compacted = 1").fetchone()[0] > 0
        assert (
            db.execute("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'make'").fetchone()[0] > 0
        )
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_the_same_arguments_give_the_same_rows(tmp_path: Path) -> None:
    dumps = []
    for name in ("one.db", "two.db"):
        with closing(sqlite3.connect(store(tmp_path / name, SMALL))) as db:
            dumps.append(db.execute("SELECT * FROM messages ORDER BY id").fetchall())
    assert dumps[0] == dumps[1]


def test_a_long_conversation_is_one_session(tmp_path: Path) -> None:
    with Store(conversation(tmp_path / "long.db", 200, characters=80)) as opened:
        (entry,) = opened.sessions().rows
        (generation,) = opened.conversation(entry.session.id).generations
    assert len(generation.row_ids) == 200


def test_chains_and_delegates_are_recognised(tmp_path: Path) -> None:
    with Store(store(tmp_path / "s.db", SMALL)) as opened:
        kinds = {str(entry.kind) for entry in opened.sessions().rows}
    assert {"main", "continuation", "delegate"} <= kinds
