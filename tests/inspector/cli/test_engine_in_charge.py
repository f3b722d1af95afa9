"""Another context engine in charge: whose figures these are, and no writing unless it is forced by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inspector.cli.main import run
from tests.core.compress.engines.builders import FIRST_TWO, engine
from tests.inspector.cli.conftest import Cli

SAID = "the context engine is 'lcm' (config.yaml:"


@pytest.fixture
def taken_over(home: Path, tmp_path: Path) -> list[str]:
    """Options that name a home in which another engine decides."""
    home = Path(shutil.copytree(home, tmp_path / "home"))
    path = home / "config.yaml"
    before = path.read_text() if path.exists() else "model:\n  context_length: 64000\n"
    path.write_text(f"{before}\ncontext:\n  engine: lcm\n")
    return ["--home", str(home)]


def test_plan_and_compress_say_whose_rules_the_figures_are(taken_over: list[str], cli: Cli) -> None:
    for command in ("plan", "compress"):
        found = cli(command, "latest", *taken_over, "--json").json
        assert any(note.startswith(SAID) for note in found["notes"])
        assert SAID in cli(command, "latest", *taken_over).out


def test_figures_by_an_engine_are_not_said_to_be_by_hermes_own_rules(
    taken_over: list[str], tmp_path: Path, cli: Cli
) -> None:
    words = ["plan", "latest", *taken_over, "--engine", str(engine(tmp_path / "engines", FIRST_TWO))]
    assert not any(note.startswith(SAID) for note in cli(*words, "--json").json["notes"])
    assert SAID not in cli(*words).out


def test_writing_is_refused_until_it_is_forced_by_name(taken_over: list[str], cli: Cli) -> None:
    words = ["compress", "latest", *taken_over, "--apply", "--yes", "--window", "8000", "--json"]
    others = "--force=writer,activity,schema"
    assert "puts the context engine 'lcm' in charge" in cli(*words, others, code=5).err
    assert run([*words, f"{others},engine"]) == 0


@pytest.mark.parametrize("screen", ["map", "preview"])
def test_map_and_preview_say_so(taken_over: list[str], tmp_path: Path, screen: str) -> None:
    frame = tmp_path / "frame.svg"
    words = [*taken_over, "--screen", screen, "--session", "latest", "--screenshot", str(frame)]
    assert run(words) == 0
    assert "decides" in frame.read_text()


def test_hermes_own_engine_is_no_news(home: Path, cli: Cli) -> None:
    assert not any("engine" in note for note in cli("plan", "latest", "--home", home, "--json").json["notes"])


def test_a_plan_does_not_say_when_another_engine_fires(taken_over: list[str], cli: Cli) -> None:
    found = cli("plan", "latest", *taken_over, "--json").json
    assert found["headline"].startswith("The context engine 'lcm' decides here")
    assert ": by Hermes' own rules it would " in cli("plan", "latest", *taken_over).out


def test_why_counts_no_tokens_down_to_a_limit_that_another_engine_never_named(
    taken_over: list[str], cli: Cli
) -> None:
    now = next(line for line in cli("why", "latest", *taken_over).out.splitlines() if line.startswith("now "))
    assert "the limit is unknown, the engine lcm decides" in now
    assert "fires at" not in now
    told = cli("why", "latest", *taken_over, "--json").json["now"]["headline"]
    assert told.startswith("The engine lcm decides when it is compressed")
    assert "tokens, limit unknown ·" in cli("status", "latest", *taken_over).out


def test_the_limit_of_this_program_s_engine_is_known_as_it_follows_the_release(
    taken_over: list[str], cli: Cli
) -> None:
    config = Path(taken_over[1]) / "config.yaml"
    config.write_text(config.read_text().replace("engine: lcm", "engine: inspector"))
    why = cli("why", "latest", *taken_over, "--json").json["now"]
    assert why["threshold"] is not None
    assert cli("status", "latest", *taken_over, "--json").json["threshold"] == why["threshold"]
    assert "is unknown" not in cli("why", "latest", *taken_over).out


def test_an_answer_in_a_chat_names_no_limit_of_hermes_own(taken_over: list[str], cli: Cli) -> None:
    told = cli("plugin", "answer", "plan", *taken_over).out
    assert "messages; the engine lcm decides when it is compressed." in told
    assert "fires at" not in told
