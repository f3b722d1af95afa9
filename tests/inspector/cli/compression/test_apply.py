"""`compress --apply` and `undo`: confirmed, checked, written, and undone to the row."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from inspector.cli.main import run
from tests.inspector.cli.conftest import Cli

SLOW = "Why is the deploy slow"
APPLY = ("compress", SLOW, "--apply", "--json", "--force", "activity,writer")
Call = Callable[..., Any]


class Usage(NamedTuple):
    """What `shutil.disk_usage` returns."""

    total: int
    used: int
    free: int


@pytest.fixture
def copy(home: Path, tmp_path: Path) -> Path:
    """A home of the samples that may be written to."""
    for side in home.glob("state.db-*"):
        side.unlink()
    return Path(shutil.copytree(home, tmp_path / "home"))


@pytest.fixture
def call(copy: Path, cli: Cli) -> Call:
    """Runs a command on the copy and reads its JSON."""

    def command(*words: str) -> Any:
        place = () if words[0] == "undo" else ("--home", str(copy))
        return cli(*words, *place).json

    return command


def _dump(home: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{home / 'state.db'}?mode=ro", uri=True)) as db:
        tables = ("sessions", "messages", "session_model_usage")
        return [row for table in tables for row in db.execute(f"SELECT * FROM {table} ORDER BY 1")]


def test_what_is_applied_is_what_was_previewed_and_undo_reverts_it(copy: Path, call: Call) -> None:
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
    planned = call("plan", title, option, "3", "--json")
    applied = call("compress", title, *APPLY[2:], "--yes", option, "3")
    assert {name: applied["plan"][name] for name in ("head", "middle", "tail", "kept_from")} == {
        name: planned[name] for name in ("head", "middle", "tail", "kept_from")
    }
    assert applied["plan"]["tail"][0] <= applied["plan"]["kept_from"] == start
    shown = call("show", title, "--generation", "last", "--json")["generations"][0]["messages"]
    kept = [one["message"].get("content") for one in before[start:]]
    found = [one["message"].get("content") for one in shown[-len(kept) :]]
    assert found == kept


def test_turns_to_keep_and_a_focus_exclude_each_other(cli: Cli) -> None:
    for focus in ("--focus", "--compare-focus"):
        assert "takes none" in cli("compress", SLOW, "--keep", "2", focus, "tenants", code=2).err


def test_the_newest_is_undone_when_none_is_named(copy: Path, call: Call) -> None:
    before = _dump(copy)
    applied = call(*APPLY, "--yes")
    assert call("undo", "--list", "--json")["entries"][0]["id"] == applied["undo_id"]
    assert call("undo", "--json")["entries"][0]["id"] == applied["undo_id"]
    assert _dump(copy) == before


def test_a_record_is_deleted_by_the_beginning_of_its_id(copy: Path, call: Call, cli: Cli) -> None:
    applied = call(*APPLY, "--yes")
    beginning = applied["undo_id"][:-2]
    assert [one["id"] for one in call("undo", beginning, "--prune", "--json")["entries"]] == [
        applied["undo_id"]
    ]
    assert call("undo", "--list", "--json")["entries"] == []
    assert beginning in cli("undo", beginning, "--prune", code=3).err


def test_a_fork_leaves_the_session_as_it_was(copy: Path, call: Call) -> None:
    applied = call(*APPLY, "--yes", "--mode", "fork")
    assert applied["target"] != applied["session"]
    assert len(call("sessions", "--json", "--filter", SLOW)["sessions"]) == 2


def test_nothing_is_written_unless_the_user_agrees(
    copy: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _dump(copy)
    monkeypatch.setattr("sys.stdin", None)
    assert "--yes" in cli(*APPLY, "--home", copy, code=2).err
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
    cli: Cli,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.json").write_text("[]")
    cli(*words, "--home", copy, code=2)


def test_there_is_nothing_to_undo_at_first(cli: Cli) -> None:
    assert run(["undo"]) == 3
    assert cli("undo", "260101-ffff", code=3).err.count("\n") == 2


@pytest.mark.parametrize(
    ("names", "target", "stand_in", "said"),
    [
        ("activity,room", "shutil.disk_usage", lambda path: Usage(10, 10, 1_000), "Make room on the disk"),
        ("activity,writable", "os.access", lambda path, mode: mode != os.W_OK, "read-only"),
        ("lock", "core.apply.checks.guards.QUIET", timedelta(days=9_999), "--force activity"),
        (
            "activity",
            "core.apply.checks.database.live_messages",
            lambda store, session: (),
            "Preview it again",
        ),
    ],
)
def test_a_refusal_is_one_line_and_says_what_helps(
    copy: Path,
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
    names: str,
    target: str,
    stand_in: object,
    said: str,
) -> None:
    before = _dump(copy)
    monkeypatch.setattr(target, stand_in)
    last = cli(*APPLY[:3], "--yes", "--force", names, "--home", copy, code=5).err.splitlines()[-1]
    assert last.startswith("hermes-inspector: ")
    assert said in last
    assert _dump(copy) == before


def test_what_is_on_record_fits_a_narrow_terminal(
    copy: Path, call: Call, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    applied = call(*APPLY, "--yes")
    listed = cli("undo", "--list").out
    assert all(len(line) <= 80 for line in listed.splitlines())
    assert f"{applied['rows_written']}" in listed.splitlines()[1].split("→")[1]
    assert str(copy / "state.db") in cli("undo", "--show", applied["undo_id"]).out
