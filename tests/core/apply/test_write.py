from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.apply.database.connection import opened, update_rows
from core.apply.write import texts_untouched
from tests.core.apply.material import check_integrity, conversation, dump

ARCHIVED = {"active": 0, "compacted": 1}
ROWS = list(range(1, 21))


def rows_changed(path: Path) -> int:
    """Rows changed by archiving twenty messages, by triggers as well."""
    with opened(path) as connection, texts_untouched(connection):
        before = connection.total_changes
        update_rows(connection, "messages", ROWS, ARCHIVED)
        return connection.total_changes - before


@pytest.mark.parametrize("release", ["0.16", "0.18", "0.19", "0.22"])
def test_archiving_rows_leaves_the_full_text_tables_alone(tmp_path: Path, release: str) -> None:
    path = conversation(tmp_path / "state.db", release)
    found = {name: rows for name, rows in dump(path).items() if name.startswith("messages_fts")}
    with closing(sqlite3.connect(path)) as connection, connection:
        if "compacted" not in {name for _, name, *_ in connection.execute("PRAGMA table_info(messages)")}:
            connection.execute("ALTER TABLE messages ADD COLUMN compacted INTEGER DEFAULT 0")
    connection.close()
    assert rows_changed(path) == len(ROWS)
    assert {name: rows for name, rows in dump(path).items() if name.startswith("messages_fts")} == found
    assert check_integrity(path) == "ok"


@pytest.mark.parametrize(
    "trigger",
    [
        "AFTER UPDATE ON messages BEGIN INSERT INTO audit VALUES (new.id); END",
        "AFTER UPDATE OF active ON messages WHEN new.active = 0 BEGIN INSERT INTO audit VALUES (new.id); END",
        "AFTER UPDATE ON messages BEGIN DELETE FROM messages_fts WHERE rowid = new.id AND new.active = 0;"
        " INSERT INTO audit VALUES (new.id); END",
    ],
)
def test_a_trigger_that_does_more_than_index_texts_still_runs(tmp_path: Path, trigger: str) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE audit (id)")
        connection.execute(f"CREATE TRIGGER odd {trigger}")
    connection.close()
    rows_changed(path)
    assert [key for _, key in dump(path)["audit"]] == ROWS


def test_a_change_of_text_is_indexed_as_ever(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    with opened(path) as connection, texts_untouched(connection):
        update_rows(connection, "messages", [1], {"content": "a summary of everything"})
    assert (1,) in dump(path)["messages_fts: summary"]
