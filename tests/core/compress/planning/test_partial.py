"""A boundary moved by hand: what precedes the last turns is compressed as if it were all there is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.dry_run import preview
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.planning.summary_window import MAX_TURNS, clamped, rejoined
from core.compress.sizing.estimate import transcript_tokens
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.hermes.policy.policy import documents, load_policy, releases
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from tests.core.compress.conversations import messages

SMALL = Settings(window=64_000)


def asked(given: tuple[Message, ...]) -> list[int]:
    return [i for i, message in enumerate(given) if message.role == "user"]


@pytest.mark.parametrize("release", [*releases(), *documents()])
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 400), turns=st.integers(1, 8))
def test_the_part_before_the_kept_turns_is_compressed_on_its_own(release: str, seed: int, turns: int) -> None:
    policy = load_policy(release)
    measured = measure(messages(seed), policy)
    found = plan(measured, SMALL, keep=turns)
    made = preview(measured, found, StaticSummariser(policy), retention=False)
    assert (found.head.end, found.middle.end) == (found.middle.start, found.tail.start)
    assert found.tail.end == found.messages == len(measured.messages) == len(found.weights)
    assert made.before == measured.messages
    if found.kept_from is None:
        assert found == plan(measured, SMALL)
        return
    assert found.kept_from == asked(measured.messages)[-turns:][0]
    part = measure(measured.messages[: found.kept_from], policy)
    alone = preview(part, plan(part, SMALL), StaticSummariser(policy), retention=False)
    assert made.after == rejoined(alone.after, measured.messages[found.kept_from :])
    assert (made.summary, made.summary_index) == (alone.summary, alone.summary_index)
    assert made.written_tokens == transcript_tokens(made.after, policy.estimate)


@pytest.mark.parametrize("release", releases())
def test_the_boundary_is_where_the_user_puts_it(release: str) -> None:
    measured = measure(_talk(40), load_policy(release))
    moved = plan(measured, SMALL, keep=3)
    assert moved.kept_from == asked(measured.messages)[-3]
    assert moved.middle.size
    assert moved.tail.start < moved.kept_from
    made = preview(measured, moved, StaticSummariser(measured.policy), retention=False)
    assert made.after[-6:] == measured.messages[-6:]


def test_turns_that_reach_the_beginning_compress_as_without_a_number() -> None:
    measured = measure(_talk(20), load_policy("0.19"))
    assert plan(measured, SMALL, keep=90) == plan(measured, SMALL)


def test_turns_that_reach_the_head_leave_no_middle() -> None:
    measured = measure(_talk(20), load_policy("0.19"))
    found = plan(measured, SMALL, keep=19)
    assert not found.middle.size
    assert any("needed" in reason for reason in found.blocked_by)


def test_kept_results_are_not_pruned_away() -> None:
    measured = measure(messages(11), load_policy("0.19"))
    tight = Settings(window=64_000, protect_last=1)
    start = plan(measured, tight, keep=4).kept_from
    assert start is not None
    assert any(i >= start for i in plan(measured, tight).pruned_at)
    assert all(i < start for i in plan(measured, tight, keep=4).pruned_at)


def test_the_number_of_turns_has_limits() -> None:
    assert [clamped(0), clamped(7), clamped(5000)] == [1, 7, MAX_TURNS]


def test_two_messages_of_one_speaker_never_meet() -> None:
    said, asks = Message({"role": "user", "content": "so far"}), Message({"role": "user", "content": "go on"})
    seen = Message({"role": "user", "content": [{"type": "text", "text": "look"}]})
    answer, result = (
        Message({"role": "assistant", "content": "yes"}),
        Message({"role": "tool", "content": ""}),
    )
    assert rejoined((answer,), (asks,)) == (answer, asks)
    assert rejoined((said,), (asks, answer)) == (said.with_wire(content="so far\n\ngo on"), answer)
    bridge = Message({"role": "assistant", "content": ""})
    assert rejoined((said,), (seen, answer)) == (said, bridge, seen, answer)
    assert rejoined((result,), (result,)) == (result, result)
    assert rejoined((), (asks,)) == (asks,)


def _talk(turns: int) -> list[Message]:
    pairs = (
        ({"role": "user", "content": f"ask {i}"}, {"role": "assistant", "content": f"answer {i}"})
        for i in range(turns)
    )
    return [Message(wire) for pair in pairs for wire in pair]
