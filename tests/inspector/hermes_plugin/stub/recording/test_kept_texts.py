"""Texts of requests: kept when asked for, masked, and only those Hermes' database does not hold."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.recordings.read import Recording
from core.recordings.row_names import digest, row_name
from core.store.store import Store
from core.support.own_files import state_directory
from inspector.cli.main import run
from inspector.hermes_plugin.stub.recording.recorder import Recorder
from inspector.hermes_plugin.stub.recording.recording_file import change_texts
from inspector.hermes_plugin.stub.settings import Settings
from inspector.hermes_plugin.worker import RequestTexts, serve
from tests.inspector.hermes_plugin.stub.recording.test_recorder import TOOLS, chosen

ROOT = Path(__file__).parents[5]
TITLE = "Refactor the auth module"
KEY = "sk-proj-Zb3kQ8vT1mXw7LrN5cJ2dPfA9hGyE6uS4oKiV0tB"
ASIDE = {"role": "user", "content": f"Summarise this. The key is {KEY}."}


@pytest.fixture
def place(sample_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of our own files."""
    monkeypatch.setenv("HERMES_HOME", str(sample_home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    return state_directory()


@pytest.fixture
def settings(place: Path, sample_home: Path) -> Settings:
    found = replace(chosen(place), home=str(sample_home), state=str(place))
    return replace(found, python=sys.executable, root=str(ROOT), keep_text=True)


def live(sample_home: Path) -> tuple[str, list[dict[str, Any]]]:
    """A session with the messages its next request carries."""
    from core.store.database.locate import locate

    with Store(locate(home=sample_home)[0]) as store:
        conversation = store.conversation(store.resolve(TITLE).id)
        rows = store.generation_messages(conversation.generations[-1])
        return conversation.generations[-1].session_id, [dict(row.wire) for row in rows]


def spoken(one: Recorder, session: str, messages: list[dict[str, Any]], task: str = "") -> None:
    common = {"session_id": session, "api_request_id": f"r{len(messages)}{task}", "model": "m"}
    hooks = ("pre_auxiliary_call", "post_auxiliary_call") if task else ("pre_api_request", "post_api_request")
    if task:
        common["aux_task"] = task
    one.hook(hooks[0])(
        **common, message_count=len(messages), request_messages=messages, request={"body": {"tools": TOOLS}}
    )
    one.hook(hooks[1])(**common, usage={"input_tokens": 9, "output_tokens": 1}, response={"text": "Short."})


def texts(place: Path) -> dict[str, str]:
    connection = sqlite3.connect(place / "recording.db")
    found = dict(connection.execute("SELECT name, text FROM texts").fetchall())
    connection.close()
    return found


def test_what_the_database_holds_is_not_kept_and_the_rest_is_masked(
    place: Path, settings: Settings, sample_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session, messages = live(sample_home)
    one = Recorder(settings)
    spoken(one, session, [{"role": "system", "content": "Be brief."}, *messages])
    spoken(one, session, [ASIDE], task="compression")
    one.flush(60)
    kept = texts(place)
    assert not {row_name(message) for message in messages} & set(kept)
    assert set(kept) == {digest("Be brief."), digest(json.dumps(TOOLS)), row_name(ASIDE), "r1compression"}
    assert "Summarise this." in kept[row_name(ASIDE)]
    everything = b"".join(path.read_bytes() for path in place.iterdir() if path.is_file())
    assert KEY.encode() not in everything
    where = ["--session", TITLE, "--home", str(sample_home)]
    assert run(["plugin", "request", *where, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["system"]["text"] == "Be brief."
    said = told["messages"][1:]
    assert [row["as_stored"] for row in said] == [True] * len(messages)
    assert [row["row"] for row in said] == sorted(row["row"] for row in said)
    assert run(["plugin", "request", *where]) == 0
    assert f"row {said[0]['row']}" in capsys.readouterr().out


def test_without_the_option_no_text_is_kept(place: Path, settings: Settings, sample_home: Path) -> None:
    session, messages = live(sample_home)
    one = Recorder(replace(settings, keep_text=False))
    spoken(one, session, [*messages, ASIDE])
    one.flush(60)
    assert texts(place) == {}
    assert Recording(place).extent().requests == 1


def test_what_the_database_holds_by_now_goes(place: Path, sample_home: Path) -> None:
    session, messages = live(sample_home)
    name = row_name(messages[0])
    home = str(sample_home.resolve())
    RequestTexts(home, place).keep([(name, session, "user", "soon stored")])
    assert set(texts(place)) == {name}
    assert RequestTexts(home, place).wanted([("other", session), (name, session)]) == ["other"]
    assert texts(place) == {}


def test_a_worker_that_is_missing_keeps_nothing_and_breaks_nothing(
    place: Path, settings: Settings, sample_home: Path
) -> None:
    session, messages = live(sample_home)
    one = Recorder(replace(settings, python="/nowhere/python"))
    spoken(one, session, [*messages, ASIDE])
    one.flush(60)
    assert texts(place) == {}
    assert Recording(place).extent().requests == 1


def test_the_option_goes_with_the_recorder(sample_home: Path) -> None:
    assert run(["plugin", "install", "--keep-text", "--home", str(sample_home), "--yes"]) == 2


def test_a_request_that_was_not_recorded_is_reported(place: Path, sample_home: Path) -> None:
    where = ["--session", TITLE, "--home", str(sample_home)]
    assert run(["plugin", "request", *where]) == 3
    assert run(["plugin", "request", "x", *where]) == 2


def test_what_was_stored_behind_the_request_goes_at_the_end(place: Path, sample_home: Path) -> None:
    session, messages = live(sample_home)
    home, name = str(sample_home.resolve()), row_name(messages[0])
    desk = RequestTexts(home, place)
    assert desk.wanted([("other", session)]) == ["other"]
    change_texts(place, home, [(name, session, "user", "stored by now")], ())
    RequestTexts(home, place).drop_held()
    assert set(texts(place)) == {name}  # of a conversation it was not asked about
    orders = [{"do": "wanted", "home": home, "state": str(place), "names": [("other", session)]}]
    serve(io.StringIO("".join(f"{json.dumps(order)}\n" for order in orders)), io.StringIO())
    assert texts(place) == {}
