"""Refused requests, attempt by attempt: as real releases did it, and what holds whatever the numbers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.explain.what_if.outcome import refused_words
from core.explain.what_if.recovery import Provider, Recovery, RecoveryEnd, recover, states_its_limit
from core.explain.what_if.scenarios import simulate
from core.hermes.policy.policy import load_policy, releases
from core.hermes.provider_errors.failure import ProviderFailure, failure_of
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message

RUNS = yaml.safe_load(Path(__file__).with_name("refused_runs.yaml").read_text())
BELIEVED = Settings(window=64_000, model="mock-model", provider="custom")
TEXTS = {
    "overflow": "Your input exceeds the context window of this model. Please adjust it.",
    "output": "max_tokens: 32000 > context_window: 64000 - input_tokens: 61000 = available_tokens: 3000",
}


def letters(seed: int, size: int) -> str:
    return "".join(random.Random(seed).choices("abcdefghij klmnop", k=size))


def working(rounds: int, result: int) -> list[Message]:
    """One request and tool calls whose results have a size."""
    found = [Message({"role": "user", "content": letters(0, 63)})]
    for number in range(rounds):
        function = {"name": "terminal", "arguments": letters(number + 1000, 180)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        found.append(Message({"role": "assistant", "content": "Step: looking.", "tool_calls": [call]}))
        content = letters(number, result)
        found.append(Message({"role": "tool", "tool_call_id": f"call_{number}", "content": content}))
    return found


def provider(says: str, limit: int) -> Provider:
    def ask(tokens: int) -> ProviderFailure | None:
        if tokens <= limit:
            return None
        if says == "large":
            return failure_of("Request Entity Too Large", status=413, provider="custom")
        return failure_of(TEXTS[says], status=400, provider="custom", base_url="http://127.0.0.1:8080/v1")

    return states_its_limit(limit, "custom") if says == "limit" else ask


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['release']}-{run['says']}-{run['limit']}")
def test_every_attempt_is_the_one_a_real_run_made(run: dict[str, Any]) -> None:
    found = recover(
        working(run["rounds"], run["result"]),
        load_policy(run["release"]),
        BELIEVED,
        provider(run["says"], run["limit"]),
        overhead=run["overhead"],
        summary_tokens=60,
    )
    steps = [[step.action, step.window, step.after_messages] for step in found.steps]
    assert (found.end.value, steps) == (run["end"], run["steps"])


def test_what_fits_takes_no_attempt() -> None:
    found = recover(working(1, 100), load_policy("0.19"), BELIEVED, states_its_limit(64_000))
    assert (found.end, found.steps) == (RecoveryEnd.FITS, ())


def test_attempts_used_earlier_in_the_turn_are_gone() -> None:
    found = recover(
        working(12, 9_000), load_policy("0.19"), BELIEVED, states_its_limit(30_000), overhead=2_000, used=3
    )
    assert found.end is RecoveryEnd.EXHAUSTED
    assert found.steps == ()


def test_with_compression_off_only_the_oldest_releases_compress() -> None:
    def ending(release: str) -> RecoveryEnd:
        off = Settings(window=64_000, enabled=False)
        return recover(working(12, 9_000), load_policy(release), off, states_its_limit(25_000)).end

    assert [ending(one) for one in ("0.15", "0.16", "0.22")] == [
        RecoveryEnd.FITS,
        RecoveryEnd.DISABLED,
        RecoveryEnd.DISABLED,
    ]


@settings(max_examples=40, deadline=None)
@example(release="0.19", rounds=3, limit=2_000, used=2)  # the check before the call would take a fourth
@given(
    release=st.sampled_from(releases()),
    rounds=st.integers(1, 14),
    limit=st.integers(1_100, 40_000),
    used=st.integers(0, 3),
)
def test_no_turn_takes_more_than_its_attempts(release: str, rounds: int, limit: int, used: int) -> None:
    found: Recovery = recover(
        working(rounds, 6_000), load_policy(release), BELIEVED, states_its_limit(limit), used=used
    )
    assert used + len(found.steps) <= max(load_policy(release).overflow.attempts, used)
    assert [step.number for step in found.steps] == list(range(used + 1, used + 1 + len(found.steps)))
    windows = [64_000, *(step.window for step in found.steps)]
    assert windows == sorted(windows, reverse=True)


def test_a_history_under_a_small_window_says_which_turn_is_refused() -> None:
    spoken = [*working(4, 9_000), *working(6, 9_000), *working(12, 9_000)]
    outcome = simulate(spoken, load_policy("0.13"), Settings(window=32_000), overhead=2_000)
    assert outcome.refused
    assert outcome.refused[0].turn in (2, 3)
    assert "would need" in refused_words(outcome) or "given up" in refused_words(outcome)
    assert any(firing.attempt for firing in outcome.firings)
