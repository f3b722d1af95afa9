"""`/inspect` as Hermes calls it: one string of words in, a few lines out, from our own interpreter."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.store.database.connect import open_readonly
from inspector.hermes_plugin.stub.command import InspectCommand
from inspector.hermes_plugin.stub.hooks import SessionMemory
from inspector.hermes_plugin.stub.settings import Settings

ROOT = Path(__file__).parents[4]
TITLE = "Refactor the auth module"


def command(home: Path, python: str = sys.executable) -> InspectCommand:
    with closing(open_readonly(home / "state.db")) as connection:
        [session] = connection.execute("SELECT id FROM sessions WHERE title = ?", (TITLE,)).fetchone()
    memory = SessionMemory()
    memory.note(session_id=session)
    return InspectCommand(Settings(str(home), python, str(ROOT), "", True, True, {}), memory)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "compression fires at"),
        ("plan", "compression fires at"),
        ("why", "compression fires at"),
        ("cost", "Hermes recorded"),
        ("lost auth", "auth"),
        ("lost  zyxwvut  qq", "zyxwvut qq"),
        ("sing", "is not a question"),
        ("--json", "is not a question"),
        ("lost -- --home /nowhere", "No message mentions"),
    ],
)
def test_it_answers_what_was_typed(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(sample_home))
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    assert said in command(sample_home)(text)


def test_before_the_first_message_the_newest_conversation_is_reported_and_said_to_be(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(sample_home))
    made = InspectCommand(Settings("", sys.executable, str(ROOT), "", True, True, {}), SessionMemory())
    first, *_, last = made("plan").splitlines()
    assert "compression fires at" in first
    assert last.startswith("That is the newest conversation")


def test_in_a_terminal_no_word_is_broken(sample_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(sample_home))
    whole = command(sample_home)("why")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "__stdout__", SimpleNamespace(isatty=lambda: True))
    wrapped = command(sample_home)("why")
    assert max(map(len, wrapped.splitlines())) < 40 < max(map(len, whole.splitlines()))
    assert wrapped.split() == whole.split()


def test_an_interpreter_that_is_gone_is_reported_in_the_chat(sample_home: Path) -> None:
    assert command(sample_home, "/nowhere/python")("why").startswith("Hermes Inspector cannot answer: ")
