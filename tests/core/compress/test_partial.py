"""A boundary moved by hand: the last turns stay word for word, and every tool pair stays whole."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.measure import measure
from core.compress.partial import MOST_TURNS, clamped
from core.compress.plan import plan
from core.compress.preview import preview
from core.compress.salvage import estimate
from core.compress.summarise.static import StaticSummariser
from core.hermes.policy import documents, load_policy, releases
from core.model.message import Message
from core.model.settings import Settings
from tests.core.compress.conversations import messages

ROOMY = Settings(window=1_000_000)
"""A window in which no release would find a middle by itself in a short conversation."""


def asked(given: tuple[Message, ...]) -> list[int]:
    return [i for i, message in enumerate(given) if message.role == "user"]


def unpaired(after: tuple[Message, ...]) -> set[str]:
    calls = {call.id for message in after for call in message.tool_calls}
    results = {message.tool_call_id for message in after if message.role == "tool"}
    return {str(one) for one in calls ^ results}


@pytest.mark.parametrize("release", [*releases(), *documents()])
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 400), turns=st.integers(1, 8))
def test_the_kept_turns_stay_word_for_word(release: str, seed: int, turns: int) -> None:
    measured = measure(messages(seed), load_policy(release))
    found = plan(measured, replace(ROOMY, window=64_000), keep=turns)
    made = preview(measured, found, StaticSummariser(measured.policy), retention=False)
    assert found.head.end == found.middle.start
    assert found.middle.end == found.tail.start
    assert made.after_tokens == estimate(made.after, measured.policy)
    if found.kept_from is None or not found.middle.size or made.summary_index is None:
        return
    assert found.tail.start == found.kept_from == asked(measured.messages)[-turns]
    kept = measured.messages[found.kept_from :]
    # The summary may have been merged into the first of them.
    assert [message.wire for message in made.after[-len(kept) + 1 :]] == [
        message.wire for message in kept[1:]
    ] or len(kept) == 1
    assert unpaired(made.after) <= unpaired(measured.messages)


@pytest.mark.parametrize("release", releases())
def test_the_boundary_is_where_the_user_puts_it(release: str) -> None:
    measured = measure(_talk(20), load_policy(release))
    by_itself = plan(measured, ROOMY)
    moved = plan(measured, ROOMY, keep=3)
    assert moved.tail.start == asked(measured.messages)[-3]
    assert moved.middle != by_itself.middle
    assert moved.summary_budget is not None


def test_more_turns_than_there_are_compress_as_without_a_number() -> None:
    measured = measure(_talk(20), load_policy("0.19"))
    assert plan(measured, ROOMY, keep=90) == plan(measured, ROOMY)


def test_turns_that_reach_the_head_leave_no_middle() -> None:
    measured = measure(_talk(20), load_policy("0.19"))
    found = plan(measured, ROOMY, keep=19)
    assert not found.middle.size
    assert any("no middle" in reason for reason in found.blocked_by)


def test_turns_before_an_earlier_summary_are_not_counted() -> None:
    summary = Message({"role": "user", "content": "[CONTEXT SUMMARY]: so far"})
    measured = measure([*_talk(2), summary, *_talk(20)], load_policy("0.22"))
    found = plan(measured, ROOMY, keep=60)
    assert found.tail.start == 5


def test_kept_results_are_not_pruned_away() -> None:
    measured = measure(messages(11), load_policy("0.19"))
    tight = Settings(window=64_000, protect_last=1)
    start = plan(measured, tight, keep=4).kept_from
    assert start is not None
    assert any(i >= start for i in plan(measured, tight).pruned_at)
    assert all(i < start for i in plan(measured, tight, keep=4).pruned_at)


def test_the_number_of_turns_has_limits() -> None:
    assert [clamped(0), clamped(7), clamped(5000)] == [1, 7, MOST_TURNS]


def _talk(turns: int) -> list[Message]:
    pairs = (
        ({"role": "user", "content": f"ask {i}"}, {"role": "assistant", "content": f"answer {i}"})
        for i in range(turns)
    )
    return [Message(wire) for pair in pairs for wire in pair]
