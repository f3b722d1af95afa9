"""A plan equals what the real release computes; the tables were written by the releases themselves."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from core.compress.assembly.assemble import pruned_rows
from core.compress.planning.measure import measure, measured_on
from core.compress.planning.plan import plan, plan_messages
from core.compress.sizing.estimate import Size, message_size
from core.hermes.policy.policy import documents, load_policy, newest_release, patches, releases
from core.hermes.policy.trigger_rules import EstimateRules
from core.model.compaction.plan import Gate, Plan, Settings
from core.model.transcript.message import Message, Wire
from tests.core.compress.conversations import conversation, damaged_rows, messages
from tests.shared import shared

FIXTURE = Path(__file__).parents[3] / "fixtures" / "plans.json"
SETTINGS = (
    Settings(window=64000),
    Settings(window=128000, threshold=0.75, protect_last=4),
    Settings(window=200000, target_ratio=0.1, max_output=65536),
    Settings(window=65536, protect_first=0),
    Settings(window=1000000, threshold=0.05, protect_last=40, warm=True),
)
"""The settings the fixture's numbers were computed for, by position."""
VERSIONS = {"0.15": "0.15.2", "0.18": "0.18.2", "0.22": "0.22.2"}
EVERY_POLICY = (*releases(), *patches(), *documents())


def cut_of(found: Plan) -> tuple[int | None, int | None]:
    return (found.middle.start, found.middle.end) if found.middle.size else (None, None)


def numbers(found: Plan) -> list[int | None]:
    return [
        found.threshold_tokens,
        found.tail_budget,
        found.summary_cap,
        found.summary_budget,
        found.estimated_tokens,
        found.pruned,
        *cut_of(found),
    ]


@pytest.mark.parametrize("release", [*releases(), *patches()])
def test_numbers_equal_those_of_the_release(release: str) -> None:
    table = json.loads(FIXTURE.read_text("utf-8"))["releases"][release]
    policy = load_policy(release)
    for seed, which, *expected in table:
        found = plan_messages(messages(seed), policy, SETTINGS[which])
        assert numbers(found) == expected, (seed, which)


def vectors(release: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    with gzip.open(shared("vectors/cases.json.gz")) as file:
        cases = {case["id"]: case for case in json.load(file)}
    version = VERSIONS.get(release, f"{release}.0")
    for row in json.loads(shared(f"vectors/out_{version}.json").read_text("utf-8")):
        yield cases[row["id"]], row


@pytest.mark.shared
@pytest.mark.parametrize("release", releases())
def test_the_published_vectors_hold(release: str) -> None:
    policy = load_policy(release)
    for case, row in vectors(release):
        measured = measure([Message(wire) for wire in case["messages"]], policy)
        for mode in ("legacy", None) if "legacy" in row else (None,):
            expected = {**row, **row.get("legacy", {})} if mode else row
            found = plan(measured, Settings(window=case["context_length"], tail_mode=mode))
            wanted = [
                expected[key] for key in ("threshold", "tail", "maxsum", "est", "pruned", "start", "end")
            ]
            values = numbers(found)
            assert [*values[:3], *values[4:]] == wanted, (case["id"], mode)


any_settings = st.builds(
    Settings,
    window=st.none() | st.integers(1, 1_200_000),
    threshold=st.floats(0.01, 1),
    target_ratio=st.floats(0, 1),
    protect_first=st.integers(0, 9),
    protect_last=st.integers(0, 60),
    max_output=st.none() | st.integers(-1, 200_000),
    warm=st.booleans(),
    current_tokens=st.none() | st.integers(0, 10**6),
    aux_window=st.none() | st.integers(1, 300_000),
    threshold_cap=st.none() | st.integers(1, 500_000),
    tail_mode=st.sampled_from((None, "lean", "legacy")),
    min_tail_user_messages=st.integers(1, 4),
    api_mode=st.sampled_from(("", "chat_completions", "codex_responses", "anthropic_messages")),
)
policies = st.sampled_from(EVERY_POLICY).map(load_policy)


@tuned(max_examples=40, deadline=None)
@given(st.integers(0, 40), policies, any_settings)
def test_head_middle_and_tail_cover_the_list(seed: int, policy: Any, chosen: Settings) -> None:
    given_messages = messages(seed)
    found = plan_messages(given_messages, policy, chosen)
    assert found.head.start == 0
    assert found.head.end == found.middle.start
    assert found.middle.end == found.tail.start
    assert found.tail.end == len(given_messages)
    assert found.middle.size or found.blocked_by


@tuned(max_examples=40, deadline=None)
@given(st.integers(0, 40), any_settings, st.sampled_from(("0.19", "0.22")))
def test_from_019_on_the_tail_never_opens_with_a_tool_result(
    seed: int, chosen: Settings, release: str
) -> None:
    given_messages = messages(seed)
    found = plan_messages(given_messages, load_policy(release), chosen)
    if found.middle.size and found.tail.size:
        assert given_messages[found.tail.start].role != "tool"


@tuned(max_examples=40, deadline=None)
@given(damaged_rows(), policies, any_settings)
def test_damaged_rows_are_planned_all_the_same(rows: list[Message], policy: Any, chosen: Settings) -> None:
    found = plan_messages(rows, policy, chosen)
    assert found.messages == len(rows)
    assert found.estimated_tokens >= 0
    assert len(found.weights) == len(found.estimates) == len(rows)


@tuned(max_examples=20, deadline=None)
@given(st.integers(0, 40), policies, any_settings, any_settings)
def test_planning_again_equals_a_fresh_plan(
    seed: int, policy: Any, first: Settings, second: Settings
) -> None:
    measured = measure(messages(seed), policy)
    plan(measured, first)
    assert plan(measured, second) == plan_messages(messages(seed), policy, second)


@tuned(max_examples=60, deadline=None)
@given(st.integers(0, 40), policies, st.floats(0, 1))
def test_a_list_that_grew_measures_as_one_measured_at_once(seed: int, policy: Any, share: float) -> None:
    rows, begun = messages(seed), round(share * len(messages(seed)))
    grown = measured_on(measure(rows[:begun], policy), rows[begun:])
    assert grown in (None, measure(rows, policy))


def test_of_a_list_that_grew_the_new_messages_alone_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Wire] = []

    def counted(wire: Wire, rules: EstimateRules) -> Size:
        asked.append(wire)
        return message_size(wire, rules)

    monkeypatch.setattr("core.compress.planning.measure.message_size", counted)
    policy, rows = (
        load_policy("0.19"),
        [Message({"role": "user", "content": f"{n} words"}) for n in range(500)],
    )
    before = measure(rows, policy)
    asked.clear()
    grown = measured_on(before, messages(2))
    assert grown is not None
    assert grown.messages[:500] == tuple(rows)
    assert len(asked) <= 2 * len(messages(2))


@tuned(max_examples=20, deadline=None)
@given(damaged_rows(), policies, st.floats(0, 1))
def test_damaged_rows_that_grew_do_too(rows: list[Message], policy: Any, share: float) -> None:
    begun = round(share * len(rows))
    grown = measured_on(measure(rows[:begun], policy), rows[begun:])
    assert grown in (None, measure(rows, policy))


@tuned(max_examples=20, deadline=None)
@given(st.integers(0, 40), policies, any_settings)
def test_the_messages_given_stay_as_they_are(seed: int, policy: Any, chosen: Settings) -> None:
    rows = conversation(seed)
    measured = measure([Message(row) for row in rows], policy)
    pruned_rows(measured, plan(measured, chosen))
    assert rows == conversation(seed)


def test_without_a_window_nothing_is_cut() -> None:
    found = plan_messages(messages(1), load_policy("0.19"), Settings())
    assert found.threshold_tokens is None
    assert found.middle.size == 0
    assert any("window is not known" in reason for reason in found.blocked_by)
    assert not found.would_fire


def test_a_short_conversation_says_how_many_messages_it_lacks() -> None:
    short = [Message({"role": "user", "content": "hello"}), Message({"role": "assistant", "content": "hi"})]
    found = plan_messages(short, load_policy("0.13"), Settings(window=200000))
    assert found.blocked_by == ("only 2 messages; more than 7 are needed",)


def test_an_empty_conversation_has_an_empty_plan() -> None:
    found = plan_messages([], load_policy(newest_release()), Settings(window=200000))
    assert (found.messages, found.pruned, found.estimated_tokens) == (0, 0, 0)
    assert found.middle == (0, 0)


def test_it_fires_at_the_threshold_and_not_below() -> None:
    measured = measure(messages(2), load_policy("0.19"))
    at = plan(measured, Settings(window=200000, current_tokens=150000))
    below = plan(measured, Settings(window=200000, current_tokens=149999))
    assert (at.would_fire, below.would_fire) == (True, False)


def test_the_arithmetic_names_the_raise() -> None:
    found = plan_messages(messages(2), load_policy("0.19"), Settings(window=200000))
    assert found.arithmetic[0] == "0.50 configured, raised to 0.75 because window 200,000 < 512,000"
    assert "0.75 × 200,000 = 150,000" in found.arithmetic


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("release", "gate", "blocked"),
    [
        ("0.13", Gate(ineffective_count=2), True),
        ("0.13", Gate(now=NOW, cooldown_until=NOW + timedelta(minutes=1)), False),
        ("0.18", Gate(now=NOW, cooldown_until=NOW + timedelta(minutes=1)), True),
        ("0.18", Gate(now=NOW, cooldown_until=NOW - timedelta(minutes=1)), False),
        ("0.18", Gate(fallback_streak=2), False),
        ("0.19", Gate(fallback_streak=2), True),
        ("0.22", Gate(fallback_streak=2), False),
        ("0.22", Gate(now=NOW, ineffective_count=2, recovery_deadline=NOW - timedelta(seconds=1)), False),
        ("0.22", Gate(now=NOW, ineffective_count=2, recovery_deadline=NOW + timedelta(seconds=1)), True),
        ("0.19", Gate(lock_holder="pid=7"), True),
    ],
)
def test_each_release_has_its_own_blocks(release: str, gate: Gate, blocked: bool) -> None:
    measured = measure(messages(2), load_policy(release))
    found = plan(measured, Settings(window=200000, current_tokens=190000), gate)
    assert bool(found.blocked_by) == blocked
    assert found.would_fire != blocked


def test_a_summary_model_with_too_small_a_window_is_a_block() -> None:
    found = plan_messages(messages(2), load_policy("0.19"), replace(SETTINGS[0], aux_window=50000))
    assert any("below the minimum of 64,000" in reason for reason in found.blocked_by)


def test_a_release_that_refuses_such_a_model_only_once_in_a_process_is_not_blocked() -> None:
    settings = replace(SETTINGS[0], aux_window=50000)
    found = plan_messages(messages(2), load_policy("0.15"), settings)
    alone = plan_messages(messages(2), load_policy("0.15"), SETTINGS[0])
    assert (found.blocked_by, found.threshold_tokens) == (alone.blocked_by, alone.threshold_tokens)
    assert plan_messages(messages(2), load_policy("0.16"), settings).blocked_by != alone.blocked_by


def test_compression_that_is_switched_off_is_a_block() -> None:
    found = plan_messages(messages(2), load_policy("0.19"), replace(SETTINGS[0], enabled=False))
    assert "compression.enabled is false" in found.blocked_by


ARGUMENTS = {
    '["ls", "-la"]': True,
    "42": True,
    '"ls"': True,
    "null": True,
    "{bad": False,
    "": False,
    "{}": False,
}
"""Of each whether 0.13 to 0.18 fail on it, as the releases themselves were seen to."""


@pytest.mark.parametrize("release", releases())
@pytest.mark.parametrize(("arguments", "fails"), ARGUMENTS.items())
def test_arguments_that_are_no_object_end_older_releases(release: str, arguments: str, fails: bool) -> None:
    rows: list[Wire] = [{"role": "user", "content": "go"}]
    for number in range(30):
        function = {"name": "terminal", "arguments": arguments if number == 2 else "{}"}
        rows.append(
            {
                "role": "assistant",
                "content": "look",
                "tool_calls": [{"id": f"c{number}", "function": function}],
            }
        )
        rows.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"r{number} " * 1_500})
    rows.append({"role": "assistant", "content": "done"})
    found = plan_messages(list(map(Message, rows)), load_policy(release), Settings(window=64_000))
    older = releases().index(release) < releases().index("0.19")
    assert found.fails_at == (6 if fails and older else None)
    assert any("JSON, but no object" in reason for reason in found.blocked_by) == (fails and older)


def test_a_result_too_short_or_too_new_to_be_shortened_ends_no_release() -> None:
    def answered(size: int, after: int) -> Plan:
        call = {"id": "c", "function": {"name": "terminal", "arguments": "[1]"}}
        rows: list[Wire] = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "look", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "r" * size},
            *({"role": "user", "content": "go on " * 800} for _ in range(after)),
        ]
        return plan_messages(list(map(Message, rows)), load_policy("0.13"), Settings(window=64_000))

    assert answered(300, 40).fails_at == 2
    assert answered(200, 40).fails_at is None
    assert answered(300, 5).fails_at is None
