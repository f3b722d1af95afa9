from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import DatabaseError, InspectorError, NotFoundError
from core.store.database import connect
from core.store.database.connect import Interrupted, open_readonly, reading
from core.store.store import Store
from tests.core.store.database import SessionDatabase


def error_of(path: Path) -> InspectorError:
    with pytest.raises(InspectorError) as caught:
        Store(path)
    assert "\n" not in caught.value.line
    assert str(path) in caught.value.line
    return caught.value


def read_all(path: Path) -> None:
    with Store(path) as store:
        store.conversation("s")
        store.messages(range(1, 201))


def test_a_missing_file_is_not_found_and_not_made(tmp_path: Path) -> None:
    path = tmp_path / "gone.db"
    assert error_of(path).exit_code == NotFoundError.exit_code
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, b"\x00" * 4096])
def test_what_is_not_a_database_is_stated_to_be_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)
    assert error_of(path).exit_code == DatabaseError.exit_code


def test_a_directory_is_not_a_database(tmp_path: Path) -> None:
    assert "directory" in error_of(tmp_path).line


def test_a_foreign_database_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE sessions (id TEXT)")
    connection.close()
    assert "no table 'messages'" in error_of(path).line


def test_a_table_without_its_key_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE sessions (name TEXT)")
        connection.execute("CREATE TABLE messages (id, session_id, role, content)")
    connection.close()
    assert "sessions.id is missing" in error_of(path).line


def test_a_truncated_database_is_called_damaged(make: Callable[..., SessionDatabase]) -> None:
    database = make()
    database.session("s")
    for number in range(200):
        database.message("s", "user", f"{number} " * 500)
    database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.connection.close()
    path = database.path.with_name("cut.db")
    whole = database.path.read_bytes()
    path.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(DatabaseError, match="damaged"):
        read_all(path)


def test_a_locked_database_is_called_locked(
    make: Callable[..., SessionDatabase], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "BUSY_SECONDS", 0.01)
    database = make()
    database.connection.execute("PRAGMA journal_mode = DELETE")
    database.connection.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DatabaseError, match="locked"):
        open_readonly(database.path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_called_unreadable(make: Callable[..., SessionDatabase]) -> None:
    database = make()
    database.path.chmod(0)
    assert "may not be read" in error_of(database.path).line


@pytest.mark.parametrize("name", ["with space.db", "odd?mode=rw#x.db", "100%25.db", "ümlaut.db"])
def test_any_file_name_can_be_opened(tmp_path: Path, name: str) -> None:
    with SessionDatabase(tmp_path / name) as database:
        database.session("s")
    with Store(tmp_path / name) as store:
        assert store.session("s").id == "s"


def test_nothing_can_be_written_through_a_store(make: Callable[..., SessionDatabase]) -> None:
    database = make()
    with Store(database.path) as store, pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.connection.execute("DELETE FROM sessions")


def test_a_query_stops_when_asked_to(make: Callable[..., SessionDatabase]) -> None:
    path = make().path
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with Store(path, cancelled=lambda: True) as store, pytest.raises(Interrupted), reading(path):
        store.connection.execute(endless).fetchone()


def test_opening_browsing_and_searching_change_no_byte(make: Callable[..., SessionDatabase]) -> None:
    database = make("0.22")
    database.session("s", title="t")
    for number in range(8):
        database.turn("s", str(number))
    database.compact("s", 2, 4, "so far")
    database.connection.close()

    before = _print_of(database.path)
    with Store(database.path) as store:
        conversation = store.conversation("s")
        store.conversations()
        store.sessions()
        store.chain("s")
        for generation in conversation.generations:
            store.generation_messages(generation)
            store.previews(generation.row_ids)
        store.search("answer")
        store.search('x"; DELETE FROM messages')
        store.health(integrity=True)
        store.locks()
        store.leases()
        store.routing()
    assert _print_of(database.path) == before
    # Every reader of a WAL database needs side files; this one leaves them as empty as they were made.
    wal = database.path.with_name("state.db-wal")
    assert not wal.exists() or wal.stat().st_size == 0


def _print_of(path: Path) -> tuple[str, int, int, int]:
    found = path.stat()
    return (hashlib.sha256(path.read_bytes()).hexdigest(), found.st_mtime_ns, found.st_size, found.st_mode)


def test_a_complaint_that_is_no_text_is_still_one_line(make: Callable[..., SessionDatabase]) -> None:
    database = make()
    database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.connection.close()
    # SQLite quotes what it cannot parse; half a character of it is no UTF-8.
    whole = database.path.read_bytes()
    assert b"CREATE TABLE sessions" in whole
    database.path.write_bytes(whole.replace(b"CREATE TABLE sessions", b"CREATE \xe0ABLE sessions"))
    assert "is damaged or cut short" in error_of(database.path).line


def test_a_value_beyond_all_bounds_is_named_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "MAX_VALUE_BYTES", 50_000)
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("s")
        made.message("s", "user", "w" * 60_000)
    with Store(tmp_path / "state.db") as store, pytest.raises(DatabaseError) as caught:
        store.messages([1])
    assert "100 MiB" in caught.value.line


@pytest.mark.parametrize("name", ["state.db-shm", "state.db-wal"])
def test_a_folder_where_a_side_file_would_be_gets_no_other_next_to_it(
    make: Callable[..., SessionDatabase], name: str
) -> None:
    made = make()
    made.session("s")
    made.connection.close()
    for one in made.path.parent.glob("state.db-*"):
        one.unlink()
    (made.path.parent / name).mkdir()
    read_all(made.path)
    assert [one.name for one in made.path.parent.glob("state.db-*")] == [name]
