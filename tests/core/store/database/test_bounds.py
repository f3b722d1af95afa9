"""What a file may hold instead of what Hermes wrote, and which files reading may leave next to it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from core.errors import DatabaseError
from core.store.database import closed_copy
from core.store.database.connect import open_readonly, reading
from core.store.database.open_database import LABEL_CHARS
from core.store.store import Store
from tests.core.store.database import SessionDatabase

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
Make = Callable[..., SessionDatabase]


def closed(make: Make) -> Path:
    """A database nobody has open, without side files, as Hermes leaves one."""
    database = make()
    database.session("s", title="quiet")
    database.turn("s", "one")
    database.connection.close()
    assert sorted(path.name for path in database.path.parent.iterdir()) == ["state.db"]
    return database.path


@pytest.mark.parametrize("table", ["sessions", "messages"])
def test_a_view_in_place_of_a_table_is_never_asked(make: Make, table: str) -> None:
    path = closed(make)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"ALTER TABLE {table} RENAME TO gone")
        columns = "i AS id, i AS session_id, 'user' AS role, 'x' AS content"
        db.execute(f"CREATE VIEW {table} AS SELECT {columns} FROM ({ENDLESS})")
    with pytest.raises(DatabaseError, match=f"{table} is a view"):
        Store(path)


def test_an_endless_view_next_to_them_is_left_alone(make: Make) -> None:
    path = closed(make)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE IF EXISTS session_model_usage")
        db.execute(
            f"CREATE VIEW session_model_usage AS SELECT 's' AS session_id, i AS model FROM ({ENDLESS})"
        )
    with Store(path) as store:
        assert store.chain("s").nodes[0].beside == ()


def test_a_query_that_never_ends_is_ended(make: Make) -> None:
    path = closed(make)
    with closing(open_readonly(path)) as connection:
        with pytest.raises(DatabaseError, match="more rows than a file of its size can"), reading(path):
            connection.execute(f"SELECT count(*) FROM ({ENDLESS})").fetchone()
        assert connection.execute("SELECT count(*) FROM messages").fetchone() == (4,)


def test_reading_a_closed_database_leaves_nothing_next_to_it(make: Make) -> None:
    path = closed(make)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    with Store(path) as store:
        assert len(store.conversation("s").generations[0].row_ids) == 4
        assert store.health().journal_mode == "wal"
    assert os.listdir(path.parent) == ["state.db"]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_one_too_large_to_copy_says_what_reading_left(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    path = closed(make)
    monkeypatch.setattr(closed_copy, "MAX_COPIED", 1_000)
    with Store(path) as store:
        (note,) = store.health().notes
    assert "left an empty state.db-wal" in note


def test_what_a_running_hermes_has_in_its_log_is_read(make: Make) -> None:
    database = make()
    database.session("s")
    database.turn("s", "one")
    with Store(database.path) as store:  # its log has not been moved into the file
        assert len(store.conversation("s").generations[0].row_ids) == 4
        database.turn("s", "two")
        assert len(store.conversation("s").generations[0].row_ids) == 8


def test_an_absurd_cost_is_damage_and_not_an_amount(make: Make) -> None:
    database = make()
    for place, usd in enumerate((-1e308, 1e308, float("inf"), 2e15)):
        database.session(f"s{place}", estimated_cost_usd=usd)
    database.session("good", estimated_cost_usd=12.5)
    with Store(database.path) as store:
        for place in range(4):
            found = store.session(f"s{place}")
            assert found.estimated_cost.usd is None
            assert found.damage == ("estimated_cost_usd is not an amount",)
        assert store.session("good").estimated_cost.usd == Decimal("12.5")


def test_a_title_of_megabytes_is_cut_as_it_is_read(make: Make) -> None:
    database = make()
    database.session("s", title="T" * 5_000_000, cwd="/" + "d" * 100_000, model="m" * 100)
    with Store(database.path) as store:
        found = store.session("s")
    assert found.title == "T" * LABEL_CHARS + "…"
    assert found.model == "m" * 100
    assert found.damage == ("cwd is not a name: too long", "title is not a name: too long")


def _noise(path: Path) -> None:
    path.write_bytes(bytes.fromhex("377f0682002de218") + b"\x07" * 6_000)


@pytest.mark.parametrize("make_log", [_noise, Path.touch, os.mkfifo, Path.mkdir])
def test_next_to_a_log_that_is_none_no_file_is_left(make: Make, make_log: Callable[[Path], None]) -> None:
    path = closed(make)
    make_log(path.with_name("state.db-wal"))
    before = sorted(path.parent.iterdir())
    with Store(path) as store:
        assert store.session("s").id == "s"
    assert sorted(path.parent.iterdir()) == before


def test_a_log_left_by_a_crash_is_read_without_its_other_side_file(make: Make, tmp_path: Path) -> None:
    database = make()
    database.session("s")
    database.turn("s", "one")
    crashed = tmp_path / "crashed" / "state.db"
    crashed.parent.mkdir()
    for one in (database.path, database.path.with_name(f"{database.path.name}-wal")):
        crashed.with_name(one.name.replace(database.path.name, "state.db")).write_bytes(one.read_bytes())
    with Store(crashed) as store:
        assert len(store.conversation("s").generations[0].row_ids) == 4


def test_a_write_that_was_cut_off_is_reported_as_that(make: Make) -> None:
    path = closed(make)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    path.with_name(f"{path.name}-journal").write_bytes(bytes.fromhex("d9d505f920a163d7") + b"\x01" * 5_000)
    with pytest.raises(DatabaseError, match="a write was interrupted"), Store(path):
        pass
