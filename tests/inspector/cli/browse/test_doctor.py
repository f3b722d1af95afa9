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


def test_the_answer_is_before_what_was_looked_at(home: Path, cli: Cli) -> None:
    path, answer, *looked_at = cli("doctor", "--db", home / "state.db").out.splitlines()
    assert path == str(home / "state.db")
    assert " to fix now" in answer
    assert "schema" in looked_at[0]
