"""`--linear`: the app as lines and numbers over a pipe."""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from inspector.cli.app.linear import ABOUT_ONE
from tests.core.live.writer import Writer
from tests.inspector.cli.conftest import Cli


@pytest.fixture
def home(tmp_path: Path) -> Path:
    writer = Writer(tmp_path / "home")
    for number in range(6):
        writer.message(f"words {number}", "assistant" if number % 2 else "user")
    writer.call()
    writer.database.connection.close()
    return writer.home


def said(
    monkeypatch: pytest.MonkeyPatch,
    cli: Cli,
    home: Path,
    *answers: str,
    word: str = "",
) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{answer}\n" for answer in answers)))
    return cli("--home", home, *([word] if word else [])).out


def test_a_number_opens_a_conversation_and_every_answer_has_something_to_say(
    home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    numbers = [str(number) for number in range(1, len(ABOUT_ONE) + 1)]
    out = said(monkeypatch, cli, home, "1", *numbers, "b", "q", word="--linear")
    assert "1. Watched. Where: cli. Model: gpt-5.2." in out
    assert out.count("Conversation: Watched") == len(ABOUT_ONE) + 1
    assert out.count("Conversations 1 to 1 of 1.") == 2
    assert "\x1b" not in out
    parts = out.split("Type a number, b to go back, q to quit: ")
    assert all(len(part.splitlines()) > 12 for part in parts[1:-1])


def test_the_list_says_what_fails_and_what_is_not_known(
    home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    with closing(sqlite3.connect(home / "state.db")) as database:
        database.execute(
            "UPDATE sessions SET compression_failure_error = 'HTTP 401', estimated_cost_usd = NULL"
        )
        database.commit()
    (line,) = (
        one for one in said(monkeypatch, cli, home, "q", word="--linear").splitlines() if "1. Watched" in one
    )
    assert line.startswith("1. Watched. Compression fails. Where: cli.")
    assert line.endswith("Cost: unknown")


def test_it_begins_with_what_today_cost_and_what_fails_and_lists_what_the_app_lists(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    out = said(monkeypatch, cli, sample_home, "/tool", "q", word="--linear")
    today, listed, failing, *rest = out.splitlines()
    assert today.startswith(("Today: ", "Since yesterday: ", "Nothing was spent "))
    assert listed == "Conversations 1 to 20 of 31."
    assert failing.startswith("Compression fails in Why is the deploy slow; Nightly triage. ")
    assert any(" Sort the photo archive. " in line and line.endswith("Cost: nothing") for line in rest)
    assert "Conversations 1 to 2 of 2, containing tool." in out  # a filter also finds sub-agents


def test_it_may_be_asked_for_by_the_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.setenv("HERMES_INSPECTOR_LINEAR", "1")
    assert "Conversations 1 to 1 of 1." in said(monkeypatch, cli, home, "q")


@pytest.mark.parametrize(
    ("options", "answered"),
    [
        (("--screen", "why"), "Conversation: "),
        (("--session", "latest", "--screen", "map"), "Conversation: "),
        (("--screen", "findings"), "Conversations 1 to 1 of 1."),
        (("--screen", "spending"), "Conversations 1 to 1 of 1."),
    ],
)
def test_a_screen_that_is_named_is_answered_first(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Cli,
    options: tuple[str, ...],
    answered: str,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    first, _, rest = cli("--home", home, "--linear", *options).out.partition(answered)
    assert len(first.splitlines()) > 4
    assert "quit: " in rest


def test_a_wrong_number_an_empty_line_and_the_end_of_the_pipe_are_not_errors(
    home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    out = said(monkeypatch, cli, home, "9", "", "²", "/nothing like it", "1", "f", "u", word="--linear")
    assert "Not a choice here: 9." in out
    assert "Conversations 0 to 0 of 0, containing nothing like it." in out
    assert "Traceback" not in out


def test_over_a_real_pipe_nothing_is_drawn(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "--linear", "--home", str(home)],
        input="1\n1\nq\n", capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "Not compressed yet" in done.stdout


def test_a_profile_that_can_be_read_only_in_part_hides_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    bad = Writer(home / "profiles" / "bad")
    bad.checkpoint()
    (page,) = bad.database.connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'")
    (size,) = bad.database.connection.execute("PRAGMA page_size").fetchone()
    bad.database.connection.close()
    with (bad.home / "state.db").open("r+b") as stream:
        stream.seek((page[0] - 1) * size)
        stream.write(b"\xff" * size)
    assert "1. Watched. Profile: default. " in said(monkeypatch, cli, home, "q", word="--linear")
