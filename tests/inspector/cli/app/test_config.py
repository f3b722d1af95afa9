"""`config`, and the commands that heed what is set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.support.file_cache import config_directory
from inspector.cli.main import run


def write(text: str, name: str = "config.yaml") -> None:
    config_directory().mkdir(parents=True, exist_ok=True)
    (config_directory() / name).write_text(text, encoding="utf-8")


def test_show_tells_where_each_value_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    write("# mine\nalerts:\n  context: 0.5\n")
    assert run(["config", "show", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["settings"]}
    assert (rows["alerts.context"]["value"], rows["alerts.context"]["origin"]) == (0.5, "config.yaml:3")
    assert rows["theme"]["origin"] == "default"


def test_the_environment_goes_before_the_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("homes:\n  default: /one\n")
    monkeypatch.setenv("HERMES_HOME", "/two")
    assert run(["config", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["settings"]}
    assert (rows["homes.default"]["value"], rows["homes.default"]["origin"]) == ("/two", "$HERMES_HOME")


def test_check_names_the_line_and_exits_4(capsys: pytest.CaptureFixture[str]) -> None:
    write("theme: hermes-dark\nsummarizer:\n  name: static\n")
    assert run(["config", "check"]) == 4
    assert (
        "config.yaml:2: there is no setting 'summarizer'. Did you mean 'summariser'?"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(("name", "text"), [("keys.yaml", "no.such: x\n"), ("prices.yaml", "- nothing: 1\n")])
def test_check_looks_into_the_files_beside_it(
    name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(text, name)
    assert run(["config", "check", "--json"]) == 4
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert name in problem["path"]


def test_the_home_that_was_set_is_opened(sample_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(f"homes:\n  default: {sample_home}\n")
    assert run(["sessions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] > 5


def test_edit_without_a_terminal_says_where_the_file_lies(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "edit"]) == 2
    assert "config.yaml" in capsys.readouterr().err
    assert not (config_directory() / "config.yaml").exists()


ELSEWHERE = ["--summariser", "openai", "--base-url", "http://192.0.2.1/v1", "--model", "m", "--api-key", "k"]


@pytest.mark.parametrize(
    "words", [["compress", "latest"], ["compress", "latest", "--compare-focus", "tests"]]
)
def test_never_means_that_nothing_is_sent_whatever_was_agreed(
    words: list[str], sample_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("privacy:\n  send: never\n")
    session = [words[0], "Refactor the auth module", *words[2:]]
    assert run([*session, *ELSEWHERE, "--yes", "--home", str(sample_home)]) == 4
    assert "nothing is sent to 192.0.2.1" in capsys.readouterr().err


def test_the_summariser_that_was_set_is_taken_unless_an_option_names_another(
    sample_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("summariser:\n  name: static\n")
    words = ["compress", "Refactor the auth module", "--json", "--home", str(sample_home)]
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out)["summariser"] == "static"
    assert run([*words, "--summariser", "extractive"]) == 0
    assert json.loads(capsys.readouterr().out)["summariser"] == "extractive"


def test_the_model_that_was_set_is_the_one_that_would_be_asked(
    sample_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    write("summariser:\n  name: openai\n  model: mine\n  base_url: http://192.0.2.7/v1\n")
    monkeypatch.setattr("sys.stdin", None)
    assert run(["compress", "Refactor the auth module", "--home", str(sample_home), "--api-key", "k"]) == 2
    said = capsys.readouterr().err
    assert "192.0.2.7 (mine)" in said
