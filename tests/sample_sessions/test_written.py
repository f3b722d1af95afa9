"""One sample was compacted by this program, so that there is something to take back from the first minute."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.apply.journal import journal_of
from core.store.database.own_changes import undo_command
from core.support.own_files import cache_directory, journal_path
from inspector.cli.main import run
from sample_sessions.builder import build
from sample_sessions.scenario import scenarios
from tests.conftest import NOW

SAMPLE = "34-written-here"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """That sample alone, in the cache directory and under another name than it was built with."""
    workshop, home = cache_directory() / ".demo-new", cache_directory() / "demo-test"
    build(workshop, now=NOW, only=[scenario for scenario in scenarios() if scenario.name == SAMPLE])
    os.replace(workshop, home)
    return home


def rows(home: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / "profiles" / "work" / "state.db")) as db:
        return db.execute("SELECT id, role, content, active FROM messages ORDER BY id").fetchall()


def test_the_undo_screen_offers_it_without_a_session_being_named(demo: Path, tmp_path: Path) -> None:
    frame = tmp_path / "frame.svg"
    assert run(["--home", str(demo), "--screen", "undo", "--screenshot", str(frame)]) == 0
    assert "hermes-inspector&#160;undo&#160;" in frame.read_text("utf-8")


def test_undo_reverts_it_and_the_users_own_journal_stays_empty(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (entry,) = journal_of(demo / "profiles" / "work" / "state.db").entries()
    assert entry.replaced > entry.written > 3
    before = rows(demo)
    assert run(["undo", "--list"]) == 0
    assert "nothing on record" in capsys.readouterr().out
    assert run(undo_command(entry.id, entry.database).split()[1:]) == 0
    after = rows(demo)
    assert len(before) - len(after) == entry.written
    assert sum(bool(row[-1]) for row in after) == entry.replaced
    assert not journal_path().exists()


def test_it_is_known_as_written_here_when_read_under_another_account(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = str(demo / "profiles" / "work")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache of another"))
    assert run(["usage", "Number the survey maps", "--home", home, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lower_bound"] is False
