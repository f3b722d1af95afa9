"""A conversation with a recording gives the same explanation, with more proof."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.explain.events import explain
from core.explain.prompt_cache import conversation_cache
from core.model.finding import Source
from core.store.database.locate import locate
from core.store.store import Store
from core.support.own_files import state_directory
from inspector.cli.main import run
from inspector.hermes_plugin.stub.recording.recording_file import add_compaction, add_requests

TITLE = "Refactor the auth module"


@pytest.fixture
def opened(sample_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Store(locate(home=sample_home)[0]) as store:
        yield store


def record(home: Path, session: str, at: float) -> None:
    """A request of five messages, and after a compaction one of three."""
    common = {"home": str(home.resolve()), "session": session, "task": "", "system": "s", "tools": "t"}
    counts = {"input": 10, "output": 5, "cache_read": 90, "cache_write": 0, "reasoning": 0}
    rows = [[name, "u", 10] for name in "abcde"]
    parts = json.dumps({"system": 10, "tools": 30, "user": 60})
    one = common | counts | {"model": "m", "provider": "p", "seconds": 1.0, "finish": "stop", "error": ""}
    requests = [
        one | {"at": at - 5, "messages": 5, "kept": 0, "rows": json.dumps(rows), "parts": parts},
        one | {"at": at + 2, "messages": 3, "kept": 1, "rows": json.dumps([["x", "u", 9]]), "parts": parts},
        one | {"at": at + 3, "task": "compression", "messages": 1, "kept": None, "rows": None, "parts": None},
    ]
    add_requests(state_directory(), requests, {"t": ("tools", [("terminal", 30)])}, 0)


def test_events_are_the_same_with_more_evidence(opened: Store, sample_home: Path) -> None:
    session = opened.resolve(TITLE).id
    before = explain(opened, session).events
    event = next(one for one in before if one.completed and one.at is not None)
    assert event.at is not None
    record(sample_home, event.session, event.at.timestamp())
    compaction = {"before": 5, "after": 3, "before_tokens": 9, "after_tokens": 4, "score": 0.9, "lost": {}}
    place = {"at": event.at.timestamp(), "home": str(sample_home.resolve()), "session": event.session}
    add_compaction(state_directory(), {**place, **compaction, "seconds": 0.1})
    after = explain(opened, session).events
    assert [replace(one, evidence=()) for one in after] == [replace(one, evidence=()) for one in before]
    told = [one.text for one in after[before.index(event)].evidence if one.source is Source.RECORDING]
    assert any("its first 1 messages are those of the request before, which held 5" in text for text in told)


def test_cache_says_what_was_recorded(opened: Store, sample_home: Path) -> None:
    session = opened.resolve(TITLE).id
    assert conversation_cache(opened, session, prices=False).recorded is None
    event = next(one for one in explain(opened, session).events if one.at is not None)
    assert event.at is not None
    record(sample_home, event.session, event.at.timestamp())
    found = conversation_cache(opened, session, prices=False).recorded
    assert found is not None
    assert (found.requests, found.tokens.input, found.tokens.cache_read) == (2, 20, 180)
    assert found.auxiliary["compression"].output == 5
    assert found.parts == {"system": 10, "tools": 30, "user": 60}
    assert found.tool_schemas == {"terminal": 30}
    assert [(one.cause, one.at_message, one.of) for one in found.breaks] == [("messages", 1, 5)]


def test_usage_is_proved_where_every_call_was_recorded_with_the_same_tokens(
    opened: Store, sample_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["usage", TITLE, "--home", str(sample_home), "--json"]
    assert run(words) == 0
    before = json.loads(capsys.readouterr().out)
    assert before["recorded"] is None
    main = [row for row in before["rows"] if not row["task"]]
    names = ("input", "output", "cache_read", "cache_write", "reasoning")
    tokens = {name: sum(row["tokens"][name] or 0 for row in main) for name in names}
    calls = sum(row["calls"] for row in main)
    session = opened.resolve(TITLE).id
    place = {"home": str(sample_home.resolve()), "session": session, "task": "", "finish": "stop"}
    rest = {
        "at": time.time(),
        "model": "m",
        "provider": "p",
        "seconds": 1.0,
        "error": "",
        "rows": None,
        "parts": None,
    }
    nothing = dict.fromkeys(names, 0)
    rows = [place | rest | (tokens if number == 0 else nothing) for number in range(calls)]
    add_requests(state_directory(), rows[1:], {}, 0)
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out)["recorded"]["verdict"] == "derived"
    add_requests(state_directory(), rows[:1], {}, 0)
    assert run(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["recorded"]["verdict"] == "proved"
    assert found["recorded"]["requests"] == calls
    assert found["rows"] == before["rows"]
