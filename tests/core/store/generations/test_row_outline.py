"""A long session read again: only new rows are read, and the result is that of a first reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.redact.known_values import KNOWN
from core.store.conversations import credentials
from core.store.generations import row_outline
from core.store.store import Store
from tests.core.store.database import SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]
LONG = 600


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    KNOWN.forget()
    yield
    KNOWN.forget()


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the rows whose outlines are made."""
    found: list[int] = []
    made = row_outline._outline

    def counted(row: Any, last: Any) -> Any:
        found.append(row["id"])
        return made(row, last)

    monkeypatch.setattr(row_outline, "_outline", counted)
    return found


def long_session(make: Make, release: str) -> SessionDatabase:
    database = make(release)
    database.session("s")
    for number in range(LONG):
        database.message("s", "assistant" if number % 2 else "user", f"message {number}")
    return database


def as_at_first(database: SessionDatabase) -> Any:
    row_outline._cache.clear()
    with Store(database.path) as store:
        return store.conversation("s")


RELEASES = pytest.mark.parametrize("release", ["0.13", "0.19", "0.22"])


@RELEASES
def test_of_a_session_that_grew_the_new_rows_alone_are_read(
    make: Make, opened: Opened, decoded: list[int], release: str
) -> None:
    database = long_session(make, release)
    opened(database).conversation("s")
    decoded.clear()
    new = [database.message("s", "user", "more"), database.message("s", "assistant", "yes")]
    found = opened(database).conversation("s")
    assert decoded == new
    assert found == as_at_first(database)


def test_rows_are_known_again_once_hermes_has_closed_its_database(
    make: Make, opened: Opened, decoded: list[int]
) -> None:
    database = long_session(make, "0.22")
    database.connection.execute("PRAGMA journal_mode = WAL")
    first = opened(database)
    first.conversation("s")
    first.close()
    new = database.message("s", "user", "the last words")
    database.connection.close()
    assert not database.path.with_name(f"{database.path.name}-wal").exists()
    decoded.clear()
    found = opened(database).conversation("s")
    assert decoded == [new]
    assert found == as_at_first(database)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE messages SET active = 0 WHERE id > 590",
        "UPDATE messages SET active = 0, compacted = 1",
        "DELETE FROM messages WHERE id = 300",
        "DELETE FROM messages WHERE id > 599",
    ],
)
@pytest.mark.parametrize("release", ["0.19", "0.22"])
def test_rows_marked_or_deleted_since_are_read_again(
    make: Make, opened: Opened, release: str, change: str
) -> None:
    database = long_session(make, release)
    opened(database).conversation("s")
    database.connection.execute(change)
    database.message("s", "user", "go on")
    assert opened(database).conversation("s") == as_at_first(database)


def test_a_new_row_that_repeats_one_taken_back_tells_what_became_of_that_one(
    make: Make, opened: Opened
) -> None:
    """Without uids, as in 0.20.6 and 0.21, an answer is known by its text."""
    database = long_session(make, "0.22")
    database.connection.executescript(
        "DROP TRIGGER messages_message_uid_insert; ALTER TABLE messages DROP COLUMN message_uid;"
        "UPDATE messages SET active = 0 WHERE id > 598"
    )
    assert opened(database).conversation("s").rewound == (599, 600)
    database.message("s", "assistant", "message 599")
    assert opened(database).conversation("s") == as_at_first(database)
    assert as_at_first(database).rewound == (599,)


def test_another_file_of_the_same_name_is_read_again(make: Make, opened: Opened) -> None:
    database = long_session(make, "0.19")
    first = opened(database).conversation("s")
    database.path.rename(database.path.with_name("old.db"))
    other = long_session(make, "0.19")
    other.connection.execute("UPDATE messages SET role = 'session_meta' WHERE id = 1")
    found = opened(other).conversation("s")
    assert len(found.generations[0].row_ids) == len(first.generations[0].row_ids) - 1


def test_credentials_are_looked_for_in_new_rows_alone(
    make: Make, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    stored = credentials._texts

    def counted(connection: Any, schema: Any, chunk: Any) -> Any:
        looked.extend(chunk)
        return stored(connection, schema, chunk)

    monkeypatch.setattr(credentials, "_texts", counted)
    database = long_session(make, "0.19")
    opened(database).learn("s")
    assert len(looked) == LONG
    looked.clear()
    new = database.message("s", "user", "DB_PASSWORD=Tr0ub4dor-and-3-more")
    opened(database).learn("s")
    assert looked == [new]
    assert KNOWN.may_hold("Tr0ub4dor-and-3-more")
    looked.clear()
    database.connection.execute("DELETE FROM messages WHERE id = 300")
    opened(database).learn("s")
    assert len(looked) == LONG
