from __future__ import annotations

import json

import pytest

from core.explain.answer import answer
from core.explain.events import explain
from core.model.compaction.event import CompressionEvent
from core.support.json_codec import decode, encode
from core.support.user_dirs import cache_directory
from tests.core.explain.conftest import MakeHome
from tests.core.explain.findings.scene import compacted
from tests.core.explain.home import Home


@pytest.fixture
def home(make_home: MakeHome) -> Home:
    home = make_home()
    compacted(home)
    return home


def saved() -> int:
    folder = cache_directory() / "why"
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_an_event_comes_back_as_it_was(home: Home) -> None:
    with home.store() as store:
        (event,) = explain(store, "S").events
    assert decode(CompressionEvent, json.loads(json.dumps(encode(event)))) == event


def test_the_answer_is_the_explanations_and_is_remembered(home: Home) -> None:
    with home.store() as store:
        whole = explain(store, "S")
        first = answer(store, "S")
        again = answer(store, "S")
    assert (first.events, first.now, first.window) == (whole.events, whole.now, whole.window)
    assert again == first
    assert saved() == 1


@pytest.mark.parametrize("change", ["log", "config", "database"])
def test_any_change_asks_again(home: Home, change: str) -> None:
    with home.store() as store:
        before = answer(store, "S")
        if change == "log":
            home.call(8, 33_000)
        elif change == "config":
            (home.path / "config.yaml").write_text("model:\n  context_length: 128000\n", "utf-8")
        else:
            home.talk(1)
            home.db.connection.execute("PRAGMA wal_checkpoint")
        assert answer(store, "S") != before or change == "database"
        fresh = answer(store, "S", remember=False)
        assert answer(store, "S") == fresh
    assert saved() == 1


def test_an_answer_that_depends_on_the_time_is_not_kept(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S", compression_failure_cooldown_until=4e9)
    home.talk(2)
    with home.store() as store:
        assert any("paused" in block for block in answer(store, "S").now.blocked_by)
    assert saved() == 0


def test_a_damaged_memory_counts_as_none(home: Home) -> None:
    with home.store() as store:
        first = answer(store, "S")
        for slot in (cache_directory() / "why").iterdir():
            slot.write_text(slot.read_text("utf-8").replace('"events"', '"nothing"'), "utf-8")
        assert answer(store, "S") == first


def test_nothing_is_kept_when_asked_not_to(home: Home) -> None:
    with home.store() as store:
        answer(store, "S", remember=False)
    assert saved() == 0
