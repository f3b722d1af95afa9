"""`plan`: the keys promised, the numbers supposed, and what happens when something is not known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.explain.home import refused_early
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli, Json, Text

KEYS = {
    "release", "group", "window", "threshold_percent", "threshold_tokens", "tail_budget", "summary_cap",
    "summary_budget", "estimated_tokens", "messages", "pruned", "head", "middle", "tail", "would_fire",
    "blocked_by", "arithmetic",
}  # fmt: skip
RELEASES = ["0.13", "0.14", "0.15", "0.16", "0.17", "0.18", "0.19", "0.22"]


def _conversation(turns: int, size: int = 4_000) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for turn in range(turns):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"Please look at part {turn}"},
            {"role": "assistant", "content": "Looking.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"{turn} " * (size // 3)},
            {"role": "assistant", "content": f"Part {turn} is fine."},
        ]
    return messages


@pytest.fixture
def long(tmp_path: Path) -> str:
    path = tmp_path / "long.json"
    path.write_text(json.dumps(_conversation(60)))
    return str(path)


def _plan(cli: Cli, *words: str) -> Any:
    shown = cli("plan", *words, "--json")
    assert shown.err == ""
    return json.loads(shown.out)


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_plans_a_file_without_any_database(long: str, release: str, cli: Cli) -> None:
    plan = _plan(cli, "--messages", long, "--window", "64000", "--release", release)
    assert set(plan) >= KEYS
    assert plan["release"] == release
    assert plan["window"] == 64_000
    assert plan["head"][0] == 0
    assert plan["head"][1] == plan["middle"][0]
    assert plan["middle"][1] == plan["tail"][0]
    assert plan["tail"][1] == plan["messages"] == 240
    assert plan["middle"][0] < plan["middle"][1]


def test_the_newest_release_is_the_default(long: str, cli: Cli) -> None:
    assert _plan(cli, "--messages", long, "--window", "64000")["release"] == RELEASES[-1]


@pytest.mark.parametrize(("text", "release"), [("0.18.2", "0.18"), ("v0.19.0", "0.19")])
def test_a_patch_version_means_its_release(long: str, text: str, release: str, cli: Cli) -> None:
    assert _plan(cli, "--messages", long, "--window", "64000", "--release", text)["release"] == release


def test_a_word_is_not_a_release(long: str, cli: Cli) -> None:
    assert "0.22" in cli("plan", "--messages", long, "--release", "newest", code=2).err


def test_the_threshold_of_a_mid_sized_window_is_raised(long: str, cli: Cli) -> None:
    plan = _plan(cli, "--messages", long, "--window", "200K", "--threshold", "50%", "--release", "0.19")
    assert plan["threshold_percent"] == 0.75
    assert plan["threshold_tokens"] == 150_000
    assert any("0.75" in line for line in plan["arithmetic"])


def test_without_a_window_the_plan_says_so(long: str, cli: Cli) -> None:
    plan = _plan(cli, "--messages", long)
    assert plan["window"] is None
    assert plan["middle"][0] == plan["middle"][1]
    assert any("window" in reason for reason in plan["blocked_by"])
    assert plan["would_fire"] is False


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_messages_leave_the_middle_empty_and_say_why(tmp_path: Path, count: int, cli: Cli) -> None:
    path = tmp_path / "few.json"
    path.write_text(json.dumps(_conversation(1)[:count]))
    plan = _plan(cli, "--messages", str(path), "--window", "200000")
    assert plan["middle"][0] == plan["middle"][1]
    assert plan["blocked_by"]
    assert plan["messages"] == count


def test_current_tokens_decide_whether_it_fires(long: str, cli: Cli) -> None:
    ask = ("--messages", long, "--window", "200000", "--release", "0.19")
    assert _plan(cli, *ask, "--current-tokens", "149999")["would_fire"] is False
    assert _plan(cli, *ask, "--current-tokens", "150000")["would_fire"] is True


def test_warm_and_protection_change_the_head(long: str, cli: Cli) -> None:
    ask = ("--messages", long, "--window", "64000", "--release", "0.19")
    assert _plan(cli, *ask)["head"] == [0, 3]
    assert _plan(cli, *ask, "--protect-first", "7")["head"][1] > 3
    assert _plan(cli, *ask, "--warm")["warm"] is True


def test_pruned_texts_come_on_request(long: str, cli: Cli) -> None:
    ask = ("--messages", long, "--window", "64000", "--release", "0.19")
    assert "pruned_messages" not in _plan(cli, *ask)
    plan = _plan(cli, *ask, "--pruned")
    assert [entry["index"] for entry in plan["pruned_messages"]] == plan["pruned_at"]
    assert all(len(entry["text"]) < 500 for entry in plan["pruned_messages"])


def test_a_sessions_plan_says_how_release_and_window_are_known(as_json: Json) -> None:
    plan = as_json("plan", "Refactor the auth module")
    assert set(plan) >= KEYS
    assert plan["generation"] == plan["generations"] == 3
    assert plan["release_detected"]["evidence"]
    assert plan["tail"][1] == plan["messages"]


def test_an_earlier_generation_can_be_planned(as_json: Json) -> None:
    found = as_json("plan", "Refactor the auth module", "--generation", "1")
    assert found["generation"] == 1
    assert found["headline"].startswith("Generation 1 of 3 has ended, with ")


def test_a_plan_for_people_names_the_parts_and_the_sums(as_text: Text) -> None:
    shown = as_text("plan", "Refactor the auth module")
    assert all(word in shown for word in ("head", "middle", "tail", "fires at"))


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["latest", "--messages", "x.json"],
        ["--messages", "x.json", "--generation", "1"],
        ["latest", "--release", ""],
    ],
)
def test_what_makes_no_question_is_refused(words: list[str], home: Path, cli: Cli) -> None:
    assert cli("plan", *words, "--home", home, code=2).err.count("\n") == 1


def test_a_conversation_with_rows_missing_is_planned_with_a_warning(tmp_path: Path, cli: Cli) -> None:
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("s", message_count=51)
        database.turn("s", "one")
    place = ["s", "--db", str(tmp_path / "state.db")]
    said = "counts 51 live messages, 4 of them could be read"
    assert said in _plan(cli, *place)["notes"][0]
    for command in ("plan", "show"):
        assert said in cli(command, *place).out


def test_a_plan_says_that_the_provider_refuses_before_the_threshold(tmp_path: Path, cli: Cli) -> None:
    refused_early(tmp_path)
    said = "the provider refuses beyond 40,000 tokens, before 54,400 are reached"
    assert any(said in note for note in _plan(cli, "S", "--home", str(tmp_path))["notes"])
    assert said in cli("plan", "S", "--home", tmp_path).out
    told = _plan(cli, "S", "--home", str(tmp_path))
    assert told["headline"].startswith("The provider refuses requests beyond 40K tokens, ")
    assert "so the 54.4K limit (0.85 of 64K) is never reached." in told["headline"]
    assert told["remedy"].startswith("The provider takes at most 40K tokens")
    now = next(
        line for line in cli("why", "S", "--home", tmp_path).out.splitlines() if line.startswith("now ")
    )
    assert "to go" not in now, "what the provider refuses is not still to go"
    assert "but the provider refuses beyond 40,000" in now


def test_a_sound_conversation_is_planned_without_a_warning(as_json: Json) -> None:
    assert as_json("plan", "Refactor the auth module")["notes"] == []


UNKNOWN = "Hermes {asked} are not known: those of {used} are used"
CUT_ONLY = "of Hermes {asked} only weights and cut are known"


@pytest.mark.parametrize(
    ("asked", "used", "said"),
    [
        *[("9.9", "0.22", UNKNOWN), ("0.23.1", "0.22", UNKNOWN), ("0.4", "0.13", UNKNOWN)],
        *[("0.20", "0.20.6", CUT_ONLY), ("0.21.3", "0.21.3", CUT_ONLY), ("0.18.0", "0.18.0", CUT_ONLY)],
    ],
)
def test_a_release_that_is_not_wholly_known_is_planned_by_what_is_and_says_so(
    long: str, asked: str, used: str, said: str, cli: Cli
) -> None:
    shown = cli("plan", "--messages", long, "--json", "--release", asked)
    plan = json.loads(shown.out)
    assert (plan["release"], plan["release_requested"]) == (used, asked)
    assert said.format(asked=asked, used=used) in shown.err


@pytest.mark.parametrize("asked", ["0.19", "0.15.2", "v0.22.1"])
def test_a_version_of_a_known_release_is_planned_without_a_word(long: str, asked: str, cli: Cli) -> None:
    assert _plan(cli, "--messages", long, "--release", asked)["release_requested"] == asked


def test_a_release_that_was_detected_was_not_asked_for(as_json: Json) -> None:
    assert as_json("plan", "Refactor the auth module")["release_requested"] is None
