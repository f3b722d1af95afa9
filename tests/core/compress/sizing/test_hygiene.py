"""What the gateway does about a large transcript before the agent runs, release by release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.compress.sizing.hygiene import failure_pauses, hygiene
from core.hermes.config.config import load_config
from core.hermes.policy.policy import load_policy, releases
from core.model.transcript.message import Message
from tests.shared import shared

VERSIONS = ("0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2")
CALL = {"type": "function", "function": {"name": "terminal", "arguments": "{}"}}
ROWS = [Message({"role": "user", "content": "x"})] * 6


def rows(case: dict[str, Any]) -> list[Message]:
    found = []
    for group in case["rows"]:
        for index in range(group["count"]):
            content = None if group["chars"] is None else "x" * group["chars"]
            wire: dict[str, Any] = {"role": group["role"], "content": content}
            if group["role"] == "assistant" and group.get("tool_calls"):
                wire["tool_calls"] = [{"id": f"c{index}", **CALL}]
            if group["role"] == "tool":
                wire["tool_call_id"] = f"c{index}"
            found.append(Message(wire))
    return found


@pytest.mark.shared
@pytest.mark.parametrize("version", VERSIONS)
def test_each_release_decides_as_its_gateway_does(version: str, tmp_path: Path) -> None:
    cases = json.loads(shared("vectors/defences/hygiene.json").read_text())["cases"]
    release, told = version.rpartition(".")[0], {}
    for case in cases:
        answer = case["answers"][version]
        answer = case["answers"][answer["same_as"]] if "same_as" in answer else answer
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(case["config"]))
        config = load_config(tmp_path)
        found = hygiene(
            rows(case),
            load_policy(release),
            enabled=config.value("compression.enabled", release),
            window=config.value("model.context_length", release) or case["context"],
            hard_limit=config.value("compression.hygiene_hard_message_limit", release),
            last_prompt=case["last_prompt_tokens"],
            paused=(case.get("cooldown") or 0) > 0 or bool(case.get("in_flight")),
        )
        ours = {"checked": found.checked, "fires": found.fires, "by": found.by}
        if found.checked:
            for key in ("threshold", "hard_limit", "warn", "tokens", "source", "messages"):
                ours[key] = getattr(found, key)
        if any(answer.get(key) != value for key, value in ours.items()):
            told[case["id"]] = (answer, ours)
    assert told == {}


@pytest.mark.parametrize("release", releases())
def test_the_threshold_of_the_agent_does_not_move_that_of_the_gateway(release: str) -> None:
    policy = load_policy(release)
    at, below = (
        hygiene(ROWS, policy, enabled=True, window=200_000, last_prompt=tokens)
        for tokens in (170_000, 169_999)
    )
    assert (at.fires, at.by, at.threshold) == (True, "tokens", 170_000)
    assert not below.fires


def test_without_a_last_count_only_the_newest_goes_by_the_stored_usage() -> None:
    sources = {
        name: hygiene(ROWS, load_policy(name), enabled=True, window=200_000, anchored=171_000).source
        for name in ("0.19", "0.22")
    }
    assert sources == {"0.19": "estimated", "0.22": "anchored"}
    counted = hygiene(
        ROWS, load_policy("0.22"), enabled=True, window=200_000, anchored=171_000, last_prompt=9
    )
    assert (counted.source, counted.fires) == ("actual", False)


def test_a_pause_holds_back_only_a_release_that_heeds_it() -> None:
    old, new = (
        hygiene(ROWS, load_policy(name), enabled=True, window=200_000, last_prompt=180_000, paused=True)
        for name in ("0.19", "0.22")
    )
    assert (old.fires, old.by) == (True, "tokens")
    assert (new.fires, new.by, new.checked) == (False, "blocked", True)


def test_failures_in_a_row_pause_longer_up_to_an_hour() -> None:
    assert failure_pauses(load_policy("0.22"), 500) == (500, 1500, 3600)
    assert failure_pauses(load_policy("0.19"), 500) == ()


@pytest.mark.parametrize("value", [0, -4, "abc", None])
def test_a_limit_that_is_none_leaves_the_default(value: object, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        yaml.safe_dump({"compression": {"hygiene_hard_message_limit": value}})
    )
    assert load_config(tmp_path).value("compression.hygiene_hard_message_limit", "0.19") == 5_000
