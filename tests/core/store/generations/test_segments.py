"""A session that counts more messages than can be read says so; a healthy one never does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.store.store import Store
from tests.core.store.database import SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]

DAMAGED = "may be damaged"


def counted(database: SessionDatabase, session_id: str) -> None:
    """Set the counter as an append or a compaction does."""
    database.connection.execute(
        "UPDATE sessions SET message_count = ? WHERE id = ?", (len(database.live(session_id)), session_id)
    )


def complaints(store: Store, session_id: str) -> list[str]:
    return [note for note in store.conversation(session_id).notes if DAMAGED in note]


@pytest.mark.parametrize("release", ["0.2", "0.13", "0.16", "0.19", "0.22"])
def test_rows_that_cannot_be_read_are_missed(make: Make, opened: Opened, release: str) -> None:
    database = make(release)
    database.session("s")
    rows = database.turn("s", "one") + database.turn("s", "two")
    counted(database, "s")
    database.connection.execute("DELETE FROM messages WHERE id > ?", (rows[2],))
    assert complaints(opened(database), "s") == [
        "the session counts 8 live messages, 3 of them could be read: the database may be damaged; "
        "`doctor --integrity` checks it"
    ]


def test_nothing_readable_at_all_is_stated_too(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s", message_count=51)
    assert "counts 51 live messages, 0 of them could be read" in complaints(opened(database), "s")[0]


def test_a_chain_names_the_session_that_lacks_rows(make: Make, opened: Opened) -> None:
    database = make()
    database.session("root")
    database.turn("root", "a")
    database.rotate("root", "next", 1, 1, "so far")
    counted(database, "root")
    counted(database, "next")
    store = opened(database)
    assert complaints(store, "next") == []
    database.connection.execute("DELETE FROM messages WHERE session_id = 'next' AND id % 2")
    assert [note.split(" ")[0] for note in complaints(store, "root")] == ["next"]


@pytest.mark.parametrize("release", ["0.18", "0.19", "0.22"])
def test_rows_a_compaction_archived_are_not_missed(make: Make, opened: Opened, release: str) -> None:
    database = make(release)
    database.session("s")
    for name in "abc":
        database.turn("s", name)
    database.compact("s", 2, 3, "so far")
    counted(database, "s")
    assert complaints(opened(database), "s") == []


@pytest.mark.parametrize("release", ["0.16", "0.19", "0.22"])
def test_a_turn_taken_back_stays_in_the_count_and_is_not_missed(
    make: Make, opened: Opened, release: str
) -> None:
    database = make(release)
    database.session("s")
    database.turn("s", "kept")
    taken_back = database.turn("s", "undone")
    counted(database, "s")
    database.mark(taken_back, active=0)
    assert complaints(opened(database), "s") == []


def test_more_rows_than_were_counted_are_no_damage(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s", message_count=0)
    database.turn("s", "flushed late")
    assert complaints(opened(database), "s") == []
