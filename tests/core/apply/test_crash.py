from __future__ import annotations

import multiprocessing
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from core.apply import execute as executing
from core.apply.database.connection import RawText, opened
from core.apply.database.lock import compression_lock
from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.rehearse import rehearse
from core.errors import DatabaseError
from core.model.compaction.apply import ApplyMode, EntryState, Rehearsal
from core.model.transcript.message import Message
from core.store.store import Store
from tests.core.apply.crash import kill_once, templates
from tests.core.apply.material import check_integrity, conversation, dump, preview

pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
"""A test runner has threads; none of them holds what a forked writer needs."""
forks = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")


def prepared(tmp_path: Path, release: str = "0.19", turns: int = 6) -> Rehearsal:
    path = conversation(tmp_path / "state.db", release, turns)
    with Store(path) as store:
        return rehearse(store, "s", preview(store))


@forks
def test_a_kill_at_any_moment_leaves_all_or_nothing(tmp_path: Path) -> None:
    chance, cases = random.Random(6), templates(tmp_path)
    for number in range(40):
        folder = tmp_path / str(number)
        folder.mkdir()
        writing = number % 2 == 0
        delay = chance.uniform(0.0, 0.04 if writing else 0.12)
        kill_once(folder, cases[number % len(cases)], delay, undoing=number % 4 == 3, writing=writing)


@pytest.mark.parametrize("step", ["write.update_rows", "write.insert_messages", "execute._records"])
def test_a_write_error_leaves_everything_as_it_was(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    rehearsal = prepared(tmp_path)
    before = dump(rehearsal.database)

    def failing(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(f"core.apply.{step}", failing)
    with pytest.raises(DatabaseError, match="disk I/O"):
        execute(rehearsal, journal)
    assert dump(rehearsal.database) == before
    assert [entry.state for entry in journal.entries()] == [EntryState.ABANDONED]


def test_a_full_disk_leaves_everything_as_it_was(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearsal = prepared(tmp_path, turns=60)
    before = dump(rehearsal.database)

    @contextmanager
    def full(path: Path) -> Iterator[sqlite3.Connection]:
        with opened(path) as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages}")
            yield connection

    monkeypatch.setattr(executing, "opened", full)
    with pytest.raises(DatabaseError, match="full"):
        execute(rehearsal, journal)
    assert dump(rehearsal.database) == before
    assert check_integrity(rehearsal.database) == "ok"


def test_a_journal_that_cannot_be_written_stops_everything(tmp_path: Path) -> None:
    rehearsal = prepared(tmp_path)
    before = dump(rehearsal.database)
    (tmp_path / "blocked").write_text("a file where a folder should be")
    with pytest.raises(OSError, match="blocked"):
        execute(rehearsal, Journal(tmp_path / "blocked" / "journal.db"))
    assert dump(rehearsal.database) == before


def test_what_does_not_read_back_is_undone_at_once(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearsal = prepared(tmp_path)
    before = dump(rehearsal.database)

    def nothing(*_: object) -> tuple[Message, ...]:
        return ()

    monkeypatch.setattr(executing, "live_messages", nothing)
    with pytest.raises(DatabaseError, match="undone"):
        execute(rehearsal, journal)
    assert dump(rehearsal.database) == before
    assert [entry.state for entry in journal.entries()] == [EntryState.UNDONE]


def test_a_lock_left_by_a_dead_inspector_is_taken_over(tmp_path: Path, journal: Journal) -> None:
    rehearsal = prepared(tmp_path)
    with closing(sqlite3.connect(rehearsal.database)) as connection, connection:
        holder = "pid=999999999:tid=1:agent=inspector:nonce=abcd"
        connection.execute("INSERT INTO compression_locks VALUES ('s', ?, 1.0, 9e12)", (holder,))
    connection.close()
    assert execute(rehearsal, journal).mode is ApplyMode.IN_PLACE
    assert dump(rehearsal.database)["compression_locks"] == []


def test_a_lock_that_cannot_be_released_is_left_to_expire(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as own:
        own.text_factory = RawText
        with closing(sqlite3.connect(path)) as other, compression_lock(own, "s") as holder:
            other.execute("BEGIN IMMEDIATE")
        assert [row[2] for row in dump(path)["compression_locks"]] == [holder]
