"""What was printed is printed again only while nothing it was made of has changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.support import program_files
from core.support.own_files import cache_directory, config_directory
from inspector.cli import printed_cache as kept
from inspector.cli.arguments import target
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli

Ask = Callable[..., Any]


@pytest.fixture
def lone_home(tmp_path: Path) -> Path:
    folder = tmp_path / "lone"
    (folder / "logs").mkdir(parents=True)
    with SessionDatabase(folder / "state.db") as database:
        database.session("s", title="First")
        database.turn("s", "1")
    return folder


@pytest.fixture
def ask(lone_home: Path, cli: Cli) -> Ask:
    def call(*words: str) -> Any:
        return cli(*words, "--home", lone_home, "--json").json

    return call


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on no database may be opened."""

    def close() -> None:
        monkeypatch.setattr(target, "opened", lambda *_: pytest.fail("a database was opened"))

    return close


@pytest.mark.parametrize("words", [["sessions"], ["sessions", "--limit", "1"], ["why", "latest"], ["usage"]])
def test_the_same_question_is_answered_without_opening_the_database(
    words: list[str], ask: Ask, closed: Callable[[], None]
) -> None:
    first = ask(*words)
    closed()
    assert ask(*words) == first


def test_the_lines_of_why_are_kept_for_people_too(
    lone_home: Path, closed: Callable[[], None], cli: Cli
) -> None:
    def shown() -> str:
        return cli("why", "latest", "--home", lone_home).out

    first = shown()
    closed()
    assert "it is unknown when it will be compressed" in first
    assert shown() == first


def new_title(home: Path) -> None:
    with closing(sqlite3.connect(home / "state.db", isolation_level=None)) as database:
        database.execute("UPDATE sessions SET title = 'Second'")


@pytest.mark.parametrize(
    "change",
    [
        new_title,
        lambda home: (home / "config.yaml").write_text("model: x\n"),
        lambda home: (home / "context_length_cache.yaml").write_text("{}\n"),
        lambda home: (home / "logs" / "agent.log").write_text("line\n"),
        lambda home: (home / "state.db").chmod(0o640),
    ],
    ids=["a row", "the configuration", "the window cache", "the log", "the permissions"],
)
def test_any_change_is_asked_about_again(
    change: Callable[[Path], object], lone_home: Path, ask: Ask, closed: Callable[[], None]
) -> None:
    ask("sessions")
    change(lone_home)
    closed()
    with pytest.raises(pytest.fail.Exception):
        ask("sessions")


@pytest.mark.parametrize("question", [["sessions"], ["why", "latest"], ["usage"]])
def test_a_table_of_the_program_that_was_worked_on_is_asked_again(
    question: list[str], ask: Ask, closed: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "program" / "core" / "deep" / "rules.yaml"
    table.parent.mkdir(parents=True)
    monkeypatch.setattr(program_files, "_ROOMS", (tmp_path / "program" / "core",))
    program_files.of_program.cache_clear()
    table.write_text("one rule", "utf-8")
    ask(*question)
    program_files.of_program.cache_clear()
    table.write_text("another", "utf-8")
    closed()
    with pytest.raises(pytest.fail.Exception):
        ask(*question)
    program_files.of_program.cache_clear()


def test_a_changed_row_is_seen(lone_home: Path, ask: Ask) -> None:
    assert ask("sessions")["sessions"][0]["title"] == "First"
    new_title(lone_home)
    assert ask("sessions")["sessions"][0]["title"] == "Second"


@pytest.mark.parametrize("other", [["sessions", "--limit", "1"], ["sessions", "--sort", "title"]])
def test_another_question_is_another_document(other: list[str], ask: Ask, closed: Callable[[], None]) -> None:
    ask("sessions")
    closed()
    with pytest.raises(pytest.fail.Exception):
        ask(*other)


def test_new_prices_are_asked_about_again(ask: Ask, closed: Callable[[], None]) -> None:
    ask("usage")
    config_directory().mkdir(parents=True, exist_ok=True)
    (config_directory() / "prices.yaml").write_text("- model: x\n  input: 3\n")
    closed()
    with pytest.raises(pytest.fail.Exception):
        ask("usage")


@pytest.mark.parametrize("words", [["sessions", "--since", "7d"], ["usage", "--since", "7d"]])
def test_what_depends_on_the_time_of_day_is_not_kept(words: list[str], ask: Ask) -> None:
    ask(*words)
    assert not (cache_directory() / "printed").exists()


def test_what_several_databases_say_is_not_kept(lone_home: Path, ask: Ask) -> None:
    (lone_home / "profiles" / "work").mkdir(parents=True)
    SessionDatabase(lone_home / "profiles" / "work" / "state.db").connection.close()
    ask("sessions")
    assert not (cache_directory() / "printed").exists()


def test_a_long_document_is_not_kept(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LARGEST", 10)
    ask("sessions")
    assert not (cache_directory() / "printed").exists()


def test_only_the_user_can_read_it_and_what_is_damaged_counts_as_nothing(ask: Ask) -> None:
    first = ask("sessions")
    (document,) = (cache_directory() / "printed").iterdir()
    assert document.stat().st_mode & 0o777 == 0o600
    document.write_bytes(b"\xff\xfe")
    assert ask("sessions") == first


def test_without_a_folder_to_keep_it_in_the_answer_is_the_same(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/none")
    assert ask("sessions") == ask("sessions")
