"""`doctor` on files that are damaged in one place: the place is named, and the rest is reported."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.inspector.cli.conftest import Cli


def damaged(home: Path, copy: Path, table: str) -> Path:
    """A copy of the samples whose table begins with a page of nonsense."""
    shutil.copy(home / "state.db", copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    with copy.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    return copy


@pytest.mark.parametrize("table", ["messages", "session_model_usage", "sessions"])
def test_a_table_that_cannot_be_read_is_named_and_hides_no_other(
    table: str, home: Path, tmp_path: Path, cli: Cli
) -> None:
    path = damaged(home, tmp_path / "state.db", table)
    (report,) = cli("doctor", "--db", path, "--json", code=5).json["databases"]
    counted = report["health"]["tables"]
    assert list(report["health"]["unreadable"]) == [table]
    assert counted[table] is None
    assert all(count is not None for name, count in counted.items() if name != table)
    assert [problem["what"] for problem in report["problems"]] == [
        f"table {table} cannot be read completely: is damaged or cut short"
    ]


def test_of_several_databases_the_whole_is_said_first_and_the_verdicts_once(
    sample_home: Path, cli: Cli
) -> None:
    first, _, path, *others = cli("doctor", "--home", sample_home).out.splitlines()
    assert first.startswith("■ ")
    assert first.endswith(" good to know.")
    assert path == str(sample_home / "state.db")
    assert sum(line.strip().startswith("[from the rows] ") for line in others) == 1


def test_one_row_without_its_session_and_one_session_that_is_damaged_are_told_as_one(
    home: Path, tmp_path: Path, cli: Cli
) -> None:
    path = tmp_path / "state.db"
    shutil.copy(home / "state.db", path)
    with closing(sqlite3.connect(path)) as connection, connection:
        (one,) = connection.execute("SELECT min(id) FROM messages").fetchone()
        connection.execute("UPDATE messages SET session_id = 'gone' WHERE id = ?", (one,))
        (last,) = connection.execute("SELECT max(id) FROM sessions").fetchone()
        connection.execute("UPDATE sessions SET title = CAST(x'fffe' AS TEXT) WHERE id = ?", (last,))
    (report,) = cli("doctor", "--db", path, "--integrity", "--json", code=5).json["databases"]
    assert report["problems"][0]["what"] == "has 1 row whose session is missing"
    assert "1 session contains something that cannot be decoded: title is not UTF-8" in report["notes"]


def test_damage_is_told_also_where_the_config_cannot_be_read(home: Path, tmp_path: Path, cli: Cli) -> None:
    shutil.copy(home / "state.db", tmp_path / "state.db")
    (tmp_path / "config.yaml").write_text("model: [\n")
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection, connection:
        last = "SELECT max(id) FROM sessions"
        connection.execute(f"UPDATE sessions SET title = CAST(x'fffe' AS TEXT) WHERE id = ({last})")
    (report,) = cli("doctor", "--home", tmp_path, "--json", code=None).json["databases"]
    assert "config.yaml" in report["problems"][0]["where"]
    assert any("title is not UTF-8" in note for note in report["notes"])


def test_the_answer_is_before_what_was_looked_at(home: Path, cli: Cli) -> None:
    path, answer, *looked_at = cli("doctor", "--db", home / "state.db").out.splitlines()
    assert path == str(home / "state.db")
    assert " to fix now" in answer
    assert "schema" in looked_at[0]
