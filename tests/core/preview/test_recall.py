"""What a compaction removed is found again, before what is still there."""

from __future__ import annotations

import pytest

from core.preview.recall import Hit, recall, removed_requests
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home

KEY = "sk-proj-" + "aB3dE5fG7hJ9kL2mN4pQ6rS8"


@pytest.fixture
def compacted(make_home: MakeHome) -> Home:
    """Seven turns, the second of which names a harbour and a key; then a compaction and another turn."""
    home = make_home()
    home.db.session("S")
    rows = home.talk(7)
    home.db.mark([rows[5]], content=f"The harbour gauge failed with {KEY}")
    home.compact()
    [newest] = home.talk(1)[:1]
    home.db.mark([newest], content="Is the harbour gauge repaired?")
    return home


def found(home: Home, query: str, *, everything: bool = False) -> list[Hit]:
    with home.store() as store:
        return recall(store, store.conversation("S"), query, everything=everything)


def test_only_what_was_dropped_is_found(compacted: Home) -> None:
    [hit] = found(compacted, "harbour gauges")
    assert (hit.generation, hit.live) == (1, False)
    assert hit.excerpt.startswith("The harbour gauge failed")


def test_what_is_still_there_comes_after_it(compacted: Home) -> None:
    assert [hit.live for hit in found(compacted, "harbour gauge", everything=True)] == [False, True]


def test_a_name_that_stands_alone_comes_first_though_it_is_still_there(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    rows = home.talk(7)
    home.db.mark([rows[5]], content="module_55 is read")
    home.compact()
    [newest] = home.talk(1)[:1]
    home.db.mark([newest], content="Look into module_5")
    hits = found(home, "module_5", everything=True)
    assert [(hit.live, hit.excerpt) for hit in hits] == [
        (True, "Look into module_5"),
        (False, "module_55 is read"),
    ]


def test_credentials_are_masked_in_message_and_line(compacted: Home) -> None:
    [hit] = found(compacted, "harbour")
    assert KEY not in hit.excerpt
    assert KEY not in hit.message.text


def test_what_the_user_said_and_a_compaction_removed_is_listed_newest_first(compacted: Home) -> None:
    with compacted.store() as store:
        conversation = store.conversation("S")
        hits = removed_requests(store, conversation)
        assert removed_requests(store, conversation, limit=1) == hits[:1]
    rows = [hit.row for hit in hits]
    assert rows == sorted(rows, reverse=True)
    assert rows
    assert {hit.message.role for hit in hits} == {"user"}
    assert not any(hit.live for hit in hits)
    assert not any(KEY in hit.excerpt for hit in hits)


def test_what_is_still_there_as_a_copy_was_not_removed(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    rows = home.talk(7)
    home.db.mark([rows[0]], content="Moor the lighthouse ferry")
    home.compact()
    with home.store() as store:
        conversation = store.conversation("S")
        context = [message.text for message in store.messages(conversation.generations[-1].row_ids)]
        said = [hit.message.text for hit in removed_requests(store, conversation)]
        assert "Moor the lighthouse ferry" in context
        assert "Moor the lighthouse ferry" not in said
        assert said
        assert recall(store, conversation, "lighthouse ferry") == []
