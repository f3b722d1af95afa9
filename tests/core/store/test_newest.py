from __future__ import annotations

from collections.abc import Callable

import pytest

from core.model.transcript.session import Kind, ListQuery
from core.store.store import Store
from tests.core.store.database import SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[..., Store]


def family(database: SessionDatabase) -> None:
    """A chain of three, a fork, a branch and some plain sessions, in mixed order."""
    for name in ("a", "b", "c"):
        database.turn(database.session(name), name)
    database.rotate("a", "a2", 1, 1, "first")
    database.session("d")
    database.rotate("a2", "a3", 1, 1, "second")
    database.rotate("b", "b2", 1, 1, "one way")
    database.session("b3", parent_session_id="b")
    database.session("e", parent_session_id="c", model_config='{"_branched_from": "c"}')
    database.session("f", parent_session_id="c", source="tool")


@pytest.mark.parametrize("release", ["0.13", "0.16", "0.19", "0.22"])
def test_the_newest_conversations_are_the_start_of_the_full_list(
    make: Make, opened: Opened, release: str
) -> None:
    database = make(release)
    family(database)
    store = opened(database)
    every = store.conversations().rows
    for limit in range(1, 11):
        found = store.newest(limit)
        assert found == every[: len(found)], limit
    assert {row.root.id for row in store.newest(50)} == {row.root.id for row in every}


def test_kinds_are_left_out_as_in_the_full_list(make: Make, opened: Opened) -> None:
    database = make()
    family(database)
    store = opened(database)
    chats = frozenset(Kind) - {Kind.DELEGATE}
    assert store.newest(50, chats) == store.conversations(ListQuery(kinds=chats)).rows


def test_an_empty_database_has_no_newest(make: Make, opened: Opened) -> None:
    assert opened(make()).newest(10) == ()


@pytest.mark.parametrize("release", ["0.13", "0.16", "0.19", "0.22"])
def test_latest_is_the_first_of_the_list_whichever_session_is_the_newest(
    make: Make, opened: Opened, release: str
) -> None:
    database = make(release)
    family(database)
    for newest in (["f"], ["a"], ["a2"], ["b"], ["b2"], ["b3"], ["e"], ["d", "b2"], ["c", "e", "a3"]):
        at = database.tick(1_000)
        for one in newest:
            database.message(one, "user", "later", timestamp=at)
            database.connection.execute("UPDATE sessions SET ended_at = ? WHERE id = ?", (at, one))
        store = opened(database)
        assert store.resolve("latest").id == store.conversations().rows[0].tip.id, newest
