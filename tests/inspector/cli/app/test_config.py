"""`config`, and the commands that heed what is set."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.support.own_files import config_directory
from tests.inspector.cli.conftest import Cli


def write(text: str, name: str = "config.yaml") -> None:
    config_directory().mkdir(parents=True, exist_ok=True)
    (config_directory() / name).write_text(text, encoding="utf-8")


def test_show_says_where_each_value_comes_from(cli: Cli) -> None:
    write("# mine\nalerts:\n  context: 0.5\n")
    rows = {row["name"]: row for row in cli("config", "show", "--json").json["settings"]}
    assert (rows["alerts.context"]["value"], rows["alerts.context"]["origin"]) == (0.5, "config.yaml:3")
    assert rows["theme"]["origin"] == "default"


def test_the_environment_goes_before_the_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write("homes:\n  default: /one\n")
    monkeypatch.setenv("HERMES_HOME", "/two")
    rows = {row["name"]: row for row in cli("config", "--json").json["settings"]}
    assert (rows["homes.default"]["value"], rows["homes.default"]["origin"]) == ("/two", "$HERMES_HOME")


def test_check_names_the_line_and_exits_4(cli: Cli) -> None:
    write("theme: hermes-dark\nsummarizer:\n  name: static\n")
    assert (
        "config.yaml:2: there is no setting 'summarizer'. Did you mean 'summariser'?"
        in cli("config", "check", code=4).out
    )


@pytest.mark.parametrize(("name", "text"), [("keys.yaml", "no.such: x\n"), ("prices.yaml", "- nothing: 1\n")])
def test_check_looks_into_the_files_next_to_it(name: str, text: str, cli: Cli) -> None:
    write(text, name)
    (problem,) = cli("config", "check", "--json", code=4).json["problems"]
    assert name in problem["path"]


def test_the_home_that_was_set_is_opened(sample_home: Path, cli: Cli) -> None:
    write(f"homes:\n  default: {sample_home}\n")
    assert cli("sessions", "--json").json["total"] > 5


def test_edit_without_a_terminal_says_where_the_file_lies(cli: Cli) -> None:
    assert "config.yaml" in cli("config", "edit", code=2).err
    assert not (config_directory() / "config.yaml").exists()


ELSEWHERE = ["--summariser", "openai", "--base-url", "http://192.0.2.1/v1", "--model", "m", "--api-key", "k"]


@pytest.mark.parametrize(
    "words", [["compress", "latest"], ["compress", "latest", "--compare-focus", "tests"]]
)
def test_never_means_that_nothing_is_sent_whatever_was_agreed(
    words: list[str], sample_home: Path, cli: Cli
) -> None:
    write("privacy:\n  send: never\n")
    session = [words[0], "Refactor the auth module", *words[2:]]
    assert (
        "nothing is sent to 192.0.2.1"
        in cli(*session, *ELSEWHERE, "--yes", "--home", sample_home, code=4).err
    )


def test_the_summariser_that_was_set_is_taken_unless_an_option_names_another(
    sample_home: Path, cli: Cli
) -> None:
    write("summariser:\n  name: static\n")
    words = ["compress", "Refactor the auth module", "--json", "--home", str(sample_home)]
    assert cli(*words).json["summariser"] == "static"
    assert cli(*words, "--summariser", "extractive").json["summariser"] == "extractive"


def test_the_model_that_was_set_is_the_one_that_would_be_asked(
    sample_home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    write("summariser:\n  name: openai\n  model: mine\n  base_url: http://192.0.2.7/v1\n")
    monkeypatch.setattr("sys.stdin", None)
    said = cli("compress", "Refactor the auth module", "--home", sample_home, "--api-key", "k", code=2).err
    assert "192.0.2.7 (mine)" in said


def test_a_path_is_one_line_however_narrow_the_terminal_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert cli("config", "path").out == f"{config_directory() / 'config.yaml'}\n"
