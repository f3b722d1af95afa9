"""`compress --apply` and `undo`: asked for, checked, written, and taken back to the row."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import run

SLOW = "Why is the deploy slow"
APPLY = ("compress", SLOW, "--apply", "--json", "--force", "activity,writer")
Call = Callable[..., Any]


@pytest.fixture
def copy(home: Path, tmp_path: Path) -> Path:
    """A home of the samples that may be written to."""
    for side in home.glob("state.db-*"):
        side.unlink()
    return Path(shutil.copytree(home, tmp_path / "home"))


@pytest.fixture
def call(copy: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command on the copy and reads its JSON."""

    def command(*words: str) -> Any:
        place = () if words[0] == "undo" else ("--home", str(copy))
        assert run([*words, *place]) == 0
        return json.loads(capsys.readouterr().out)

    return command


def _dump(home: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{home / 'state.db'}?mode=ro", uri=True)) as db:
        tables = ("sessions", "messages", "session_model_usage")
        return [row for table in tables for row in db.execute(f"SELECT * FROM {table} ORDER BY 1")]


def test_what_is_applied_is_what_was_previewed_and_undo_takes_it_back(copy: Path, call: Call) -> None:
    before = _dump(copy)
    applied = call(*APPLY, "--yes")
    assert applied["applied"] is True
    shown = call("show", SLOW, "--generation", "last", "--json")["generations"][0]
    assert [message["role"] for message in shown["messages"]] == [
        message["role"] for message in applied["after"]
    ]
    assert _dump(copy) != before
    undone = call("undo", applied["undo_id"], "--json")["entries"][0]
    assert undone["state"] == "undone"
    assert _dump(copy) == before


@pytest.mark.parametrize("option", ["--keep", "--here"])
def test_the_last_turns_of_the_user_can_be_kept(call: Call, option: str) -> None:
    title = "Refactor the auth module"
    before = call("show", title, "--generation", "last", "--json")["generations"][0]["messages"]
    start = [i for i, message in enumerate(before) if message["role"] == "user"][-3]
    applied = call("compress", title, *APPLY[2:], "--yes", option, "3")
    assert applied["plan"]["tail"][0] == applied["plan"]["kept_from"] == start
    shown = call("show", title, "--generation", "last", "--json")["generations"][0]["messages"]
    kept = [one["message"].get("content") for one in before[start:]]
    found = [one["message"].get("content") for one in shown[-len(kept) :]]
    # The summary may lie in the first of them, where roles would clash.
    assert kept[0] in found[0]
    assert found[1:] == kept[1:]


def test_the_newest_is_undone_when_none_is_named(copy: Path, call: Call) -> None:
    before = _dump(copy)
    applied = call(*APPLY, "--yes")
    assert call("undo", "--list", "--json")["entries"][0]["id"] == applied["undo_id"]
    assert call("undo", "--json")["entries"][0]["id"] == applied["undo_id"]
    assert _dump(copy) == before


def test_a_fork_leaves_the_session_as_it_was(copy: Path, call: Call) -> None:
    applied = call(*APPLY, "--yes", "--mode", "fork")
    assert applied["target"] != applied["session"]
    assert len(call("sessions", "--json", "--filter", SLOW)["sessions"]) == 2


def test_nothing_is_written_unless_the_user_agrees(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _dump(copy)
    monkeypatch.setattr("sys.stdin", None)
    assert run([*APPLY, "--home", str(copy)]) == 2
    assert "--yes" in capsys.readouterr().err
    assert _dump(copy) == before


def test_without_apply_nothing_is_written(copy: Path, call: Call) -> None:
    before = _dump(copy)
    assert call("compress", SLOW, "--json")["applied"] is False
    assert _dump(copy) == before
    assert call("undo", "--list", "--json")["entries"] == []


@pytest.mark.parametrize(
    "words",
    [
        ["compress", "--messages", "x.json", "--apply"],
        ["compress", "latest", "--apply", "--generation", "1"],
        ["compress", "latest", "--mode", "fork"],
        ["compress", "latest", "--apply", "--force", "everything"],
    ],
)
def test_what_cannot_be_applied_is_refused(
    words: list[str],
    copy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.json").write_text("[]")
    assert run([*words, "--home", str(copy)]) == 2
    capsys.readouterr()


def test_there_is_nothing_to_undo_at_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["undo"]) == 3
    assert run(["undo", "260101-ffff"]) == 3
    assert capsys.readouterr().err.count("\n") == 2
