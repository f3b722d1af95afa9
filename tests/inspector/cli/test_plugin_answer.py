"""`plugin answer`, which is what `/inspect` says in a chat."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inspector.cli.conftest import Cli

TITLE = "Refactor the auth module"


def said(home: Path, cli: Cli, *words: str) -> list[str]:
    return cli("plugin", "answer", *words, "--session", TITLE, "--home", home).out.splitlines()


@pytest.mark.parametrize("words", [(), ("why",), ("plan",), ("cost",), ("lost", "auth")])
def test_an_answer_is_a_few_plain_lines(sample_home: Path, cli: Cli, words: tuple[str, ...]) -> None:
    lines = said(sample_home, cli, *words)
    assert 1 <= len(lines) <= 6
    assert all(line.strip() for line in lines)


def test_what_it_does_not_know_names_what_it_knows(sample_home: Path, cli: Cli) -> None:
    [line] = said(sample_home, cli, "sing")
    assert "why | plan | cost | lost TOPIC" in line


def test_a_script_gets_the_same_lines(sample_home: Path, cli: Cli) -> None:
    asked = ("plugin", "answer", "cost", "--session", TITLE, "--home", sample_home)
    assert cli(*asked, "--json").json == {"lines": cli(*asked).out.splitlines()}


def test_a_topic_nobody_spoke_of_is_stated_so(sample_home: Path, cli: Cli) -> None:
    assert said(sample_home, cli, "lost", "zyxwvut") == ["No message mentions 'zyxwvut'."]


def test_a_topic_that_was_never_dropped_is_stated_so(sample_home: Path, cli: Cli) -> None:
    every = cli("sessions", "--all", "--home", sample_home, "--json").json["sessions"]
    whole = next(one for one in every if one["conversation"]["generations"] == 1 and one["messages"] > 4)
    assert cli(
        "plugin", "answer", "lost", "the", "--session", whole["id"], "--home", sample_home
    ).out.startswith("Nothing about it was dropped:\n")


def test_options_are_before_behind_and_between_the_words(sample_home: Path, cli: Cli) -> None:
    home, session = ["--home", str(sample_home)], ["--session", TITLE]
    answers = set()
    for words in (
        ["answer", "lost", "auth", *home, *session],
        [*home, "answer", *session, "lost", "auth"],
        ["answer", "lost", *home, "auth", *session],
        [*home, *session, "--", "answer", "lost", "auth"],
    ):
        answers.add(cli("plugin", *words).out)
    assert len(answers) == 1
