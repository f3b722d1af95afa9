"""One copy of a closed database for everyone who reads it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.store.database import closed_copy
from core.store.database.closed_copy import shared_copy
from core.store.database.connect import open_readonly
from tests.core.store.database import SessionDatabase

Make = Callable[..., SessionDatabase]


def closed(make: Make, name: str = "state.db") -> Path:
    database = make(name=name)
    database.session("s", title="quiet")
    database.turn("s", "one")
    database.connection.close()
    settle(database.path)
    return database.path


def settle(path: Path) -> None:
    """As if nobody had written to a file for a minute."""
    os.utime(path, ns=(0, path.stat().st_mtime_ns - 60 * 10**9))


def messages(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM messages").fetchone()
    return int(count)


def write(path: Path) -> None:
    """What Hermes does between two looks: it opens the file, writes, and closes it."""
    with closing(sqlite3.connect(path)) as hermes, hermes:
        hermes.execute("DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)")
    settle(path)


def test_a_file_that_is_opened_again_is_copied_once(make: Make) -> None:
    path = closed(make)
    first, second, third = (shared_copy(path) for _ in range(3))
    assert first is None
    assert second is not None
    assert second == third


def test_what_was_written_since_is_read_by_who_opens_it_next(make: Make) -> None:
    path = closed(make)
    for _ in range(2):
        open_readonly(path).close()
    with closing(open_readonly(path)) as before:
        write(path)
        with closing(open_readonly(path)) as after:
            assert messages(after) == messages(before) - 1
    for _ in range(2):
        with closing(open_readonly(path)) as later:
            assert messages(later) == 3


def test_a_shared_copy_is_for_reading_only(make: Make) -> None:
    path = closed(make)
    open_readonly(path).close()
    with closing(open_readonly(path)) as connection:
        connection.execute("PRAGMA query_only = OFF")
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM messages")


def test_reading_again_and_again_leaves_nothing_next_to_the_file(make: Make) -> None:
    path = closed(make)
    for _ in range(3):
        with closing(open_readonly(path)) as connection:
            assert messages(connection) == 4
    assert os.listdir(path.parent) == ["state.db"]


def test_a_file_that_was_just_written_is_read_again_each_time(make: Make) -> None:
    path = closed(make)
    os.utime(path)
    assert [shared_copy(path) for _ in range(3)] == [None] * 3


def test_one_that_somebody_has_open_is_read_in_place(make: Make) -> None:
    path = closed(make)
    with closing(sqlite3.connect(path)) as hermes:
        hermes.execute("SELECT count(*) FROM messages").fetchone()
        assert [shared_copy(path) for _ in range(3)] == [None] * 3


def test_copies_take_no_more_memory_than_they_may(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    older, newer = closed(make, "older.db"), closed(make, "newer.db")
    monkeypatch.setattr(closed_copy, "MAX_SHARED", newer.stat().st_size)
    kept = [shared_copy(path) for path in (older, older, newer, newer)]
    assert shared_copy(newer) == kept[3]
    assert shared_copy(older) not in (None, kept[1])
