"""`engines`, and `--engine` of `plan` and `compress`."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from inspector.cli.engines.lookup import home_of
from tests.core.compress.engines.builders import FIRST_TWO, conversation, engine
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli
from tests.own_settings import write_own_settings

DROPS_IDS = 'return [{k: v for k, v in row.items() if k != "tool_call_id"} for row in messages[:5]]'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    engine(place / "plugins", FIRST_TWO)
    engine(place / "plugins", FIRST_TWO, name="loud", before="raise RuntimeError('no')\n")
    (place / "config.yaml").write_text("context:\n  engine: small\nplugins:\n  enabled: [small]\n")
    return place


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(conversation(80)))
    return path


def test_engines_lists_what_hermes_would_find(home: Path, cli: Cli) -> None:
    told = cli("engines", "--home", home, "--json").json
    assert (told["selected"], told["in_force"], told["why"]) == ("small", "small", None)
    by_name = {one["name"]: one for one in told["engines"]}
    assert list(by_name) == ["compressor", "loud", "small"]
    assert by_name["small"]["loads"]
    assert (by_name["small"]["kind"], by_name["small"]["version"]) == ("plugin", "1.2.3")
    assert not by_name["loud"]["loads"]
    assert by_name["loud"]["error"] == "RuntimeError: no"
    assert by_name["loud"]["accepted_by"] == []


def test_an_engine_that_is_not_there_leaves_the_built_in_one_in_force(home: Path, cli: Cli) -> None:
    (home / "config.yaml").write_text("context:\n  engine: gone\n")
    told = cli("engines", "--home", home, "--json", code=None).json
    assert (told["selected"], told["in_force"]) == ("gone", "compressor")
    assert "no engine of that name" in told["why"]


def test_a_home_that_is_not_there_is_not_found(tmp_path: Path, cli: Cli) -> None:
    assert "no such HERMES_HOME" in cli("engines", "--home", tmp_path / "gone", code=3).err


@pytest.mark.parametrize(
    "line",
    [
        ("engines", "--home", "~nobody-here"),
        ("sessions", "--home", "~nobody-here"),
        ("findings", "--fleet", "~nobody-here"),
        ("trajectory", "~nobody-here/a.jsonl", "out.jsonl"),
    ],
)
def test_the_home_of_a_user_whom_this_machine_does_not_know_is_not_found(
    line: tuple[str, ...], cli: Cli
) -> None:
    assert "~nobody-here" in cli(*line, code=3).err


def test_plan_takes_another_engine_s_cut(home: Path, messages: Path, cli: Cli) -> None:
    line = ["plan", "--messages", str(messages), "--window", "64000", "--home", str(home)]
    told = cli(*line, "--engine", "small", "--json").json
    assert told["middle"] == [2, 162]
    assert told["engine"]["name"] == "small"
    assert told["engine"]["kept"] == 2


def test_compress_says_what_the_engine_left_and_what_is_broken(
    tmp_path: Path, messages: Path, cli: Cli
) -> None:
    place = engine(tmp_path, DROPS_IDS, name="broken")
    line = ["compress", "--messages", str(messages), "--window", "64000", "--engine", str(place)]
    told = cli(*line, "--json").json
    assert told["after_messages"] == 5
    assert told["engine"]["valid"] is False
    assert "tool_call_id" in str(told["engine"]["problems"])


def test_engines_are_side_by_side_and_one_that_fails_affects_nothing(
    home: Path, messages: Path, cli: Cli
) -> None:
    line = ["compress", "--messages", str(messages), "--window", "64000", "--home", str(home), "--json"]
    names = ["builtin", "small", "loud"]
    ours, small, loud = cli(*line, *(word for name in names for word in ("--compare-engine", name))).json[
        "compare"
    ]
    assert [one["engine"] for one in (ours, small, loud)] == names
    assert ours["error"] is None
    assert small["kept"] == 2
    assert "RuntimeError" in loud["error"]["what"]


def test_our_engine_in_a_comparison_leaves_what_the_preview_leaves(sample_home: Path, cli: Cli) -> None:
    """Both name the session in the notes that the agent adds."""
    line = ["compress", "Queue incident of Tuesday", "--home", str(sample_home), "--json"]
    (compared,) = cli(*line, "--compare-engine", "builtin").json["compare"]
    assert compared["after_tokens"] == cli(*line).json["after_tokens"]


def test_a_name_nobody_has_is_not_found(home: Path, messages: Path, cli: Cli) -> None:
    line = ["plan", "--messages", str(messages), "--window", "64000", "--home", str(home)]
    assert "no context engine is called 'gone'" in cli(*line, "--engine", "gone", code=3).err


def test_a_name_that_only_the_config_knows_is_told_as_one_whose_code_is_missing(
    home: Path, messages: Path, cli: Cli
) -> None:
    (home / "config.yaml").write_text("context:\n  engine: gone\n")
    line = ["plan", "--messages", str(messages), "--window", "64000", "--home", str(home)]
    said = cli(*line, "--engine", "gone", code=3).err
    assert "config.yaml:2 names the context engine 'gone', but its code is not there" in said
    assert "--engine PATH" in said
    assert "no context engine is called 'other'" in cli(*line, "--engine", "other", code=3).err


def test_the_list_of_another_engine_is_never_written(home: Path, cli: Cli) -> None:
    with SessionDatabase(home / "state.db") as made:
        made.session("s")
        made.turn("s", "1")
    asked = ("compress", "s", "--engine", "small", "--apply", "--home", home)
    assert "not written to a session" in cli(*asked, code=2).err


@pytest.mark.parametrize("name", ["builtin", "compressor", "inspector"])
def test_hermes_own_compressor_may_write_by_any_of_its_names(messages: Path, cli: Cli, name: str) -> None:
    told = cli("compress", "--messages", str(messages), "--engine", name, "--apply", code=2).err
    assert "a file of messages has no database" in told


def test_a_home_of_the_settings_counts_also_before_it_has_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HERMES_HOME", raising=False)
    (tmp_path / "own").mkdir()
    write_own_settings(f"homes: {{default: {tmp_path / 'own'}}}\n")
    assert home_of(Namespace(db=None, home=None, profile=None)) == tmp_path / "own"
