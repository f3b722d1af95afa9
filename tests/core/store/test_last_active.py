"""When a conversation was last written to, also where its row only says when it began."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from core.model.transcript.session import ListQuery
from core.store.store import Store
from tests.core.store.database import SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]


def old_but_busy(make: Make, release: str) -> tuple[SessionDatabase, float]:
    """An old session that was talked to last, a younger one, and when the last word fell."""
    database = make(release)
    database.session("old")
    database.session("young")
    database.turn("young", "a")
    database.turn("old", "b")
    (last,) = database.connection.execute("SELECT max(timestamp) FROM messages").fetchone()
    return database, last


@pytest.mark.parametrize("release", ["0.2", "0.13", "0.16", "0.19", "0.22"])
def test_an_open_session_was_active_when_its_newest_message_came(
    make: Make, opened: Opened, release: str
) -> None:
    database, last = old_but_busy(make, release)
    store = opened(database)
    moment = datetime.fromtimestamp(last, UTC)
    assert store.session("old").last_active == moment
    assert [row.root.id for row in store.conversations().rows] == ["old", "young"]
    assert [row.root.id for row in store.newest(2)] == ["old", "young"]
    assert [entry.session.id for entry in store.sessions().rows] == ["old", "young"]
    assert [row.root.id for row in store.conversations(ListQuery(since=moment)).rows] == ["old"]


def test_the_end_of_a_session_is_taken_from_its_row(make: Make, opened: Opened) -> None:
    database, last = old_but_busy(make, "0.19")
    database.connection.execute("UPDATE sessions SET ended_at = ? WHERE id = 'old'", (last - 7,))
    found = opened(database).session("old").last_active
    assert found == datetime.fromtimestamp(last - 7, UTC)


def test_the_activity_newer_releases_record_is_taken_from_the_row(make: Make, opened: Opened) -> None:
    database, last = old_but_busy(make, "0.22")
    database.connection.execute("UPDATE sessions SET last_activity_at = ? WHERE id = 'old'", (last + 3,))
    found = opened(database).session("old").last_active
    assert found == datetime.fromtimestamp(last + 3, UTC)


def test_without_the_index_it_would_cost_a_scan_each_so_the_start_stands(make: Make, opened: Opened) -> None:
    database, _ = old_but_busy(make, "0.19")
    database.connection.execute("DROP INDEX idx_messages_session")
    session = opened(database).session("old")
    assert session.last_active == session.started_at


def test_a_damaged_time_of_a_message_hides_no_session(make: Make, opened: Opened) -> None:
    database, _ = old_but_busy(make, "0.19")
    database.connection.execute("UPDATE messages SET timestamp = 'soon' WHERE session_id = 'old'")
    store = opened(database)
    assert {row.root.id for row in store.conversations().rows} == {"old", "young"}
    assert store.session("old").last_active == store.session("old").started_at
