"""A list that lacks what one would expect says so; one that says nothing lacks nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from core.compress.assembly.feedback import caveats, focus_caveats
from core.compress.dry_run import preview
from core.compress.messages.kinds import is_summary
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.retention.score import retention
from core.compress.summarise.base import GivenSummary
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings
from core.model.compaction.preview import FactCount
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant
from tests.core.compress.conversations import SHAPES
from tests.core.compress.planning.test_plan import any_settings, policies

OLD = Message({"role": "user", "content": "[CONTEXT SUMMARY]: what was before"})
NEW = Message({"role": "assistant", "content": "[CONTEXT SUMMARY]: what is now"})
ASK = Message({"role": "user", "content": "Light the lantern."})
BEFORE = (OLD, assistant("One."), ASK, assistant("Two."))


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ((OLD, NEW, ASK), ["The old summary stays next to the new one"]),
        (
            (NEW, Message({"role": "user", "content": "Something else."})),
            ["The newest request is summarised"],
        ),
        ((ASK, NEW), ["The newest request is before the summary"]),
        ((ASK, assistant("Two."), NEW, ASK), ["The summary is next to another assistant message"]),
        ((ASK, NEW, ASK), []),
    ],
)
def test_each_departure_is_one_sentence(after: tuple[Message, ...], said: list[str]) -> None:
    found = list(caveats(BEFORE, after, after.index(NEW), load_policy("0.19")))
    assert [one[: len(start)] for one, start in zip(found, said, strict=True)] == said


def test_what_a_chat_template_skips_is_not_a_neighbour() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    calling = Message({"role": "assistant", "content": "", "tool_calls": [call]})
    result = Message({"role": "tool", "tool_call_id": "c1", "content": "ok"})
    after = (ASK, NEW, calling, result, ASK)
    assert not list(caveats(BEFORE, after, 1, load_policy("0.22")))
    assert list(caveats(BEFORE, after, 1, load_policy("0.19")))


@tuned(max_examples=40, deadline=None)
@given(st.sampled_from(SHAPES), st.integers(0, 60), policies, any_settings)
def test_a_preview_without_notes_has_one_summary_and_the_newest_request_behind_it(
    shape: Any, seed: int, policy: Any, chosen: Settings
) -> None:
    measured = measure([Message(row) for row in shape(seed)], policy)
    made = preview(measured, plan(measured, chosen), GivenSummary("## Goal\nLamps."), retention=False)
    if made.summary_index is None:
        assert made.notes == ()
    elif not made.notes:
        summaries = [is_summary(message.wire, policy.summary) for message in made.after]
        assert summaries.count(True) == 1
        asked = [m.text for m in made.before if m.role == "user" and not is_summary(m.wire, policy.summary)]
        newest = next((text.strip() for text in reversed(asked) if text.strip()), "")
        assert any(newest in message.text for message in made.after[made.summary_index :])


def noted(focus: str) -> tuple[str, ...]:
    rows = [
        ASK,
        *(assistant("The lantern is lit.") for _ in range(4)),
        assistant("Hm, the shore."),
        *(assistant(f"The lantern {n} is lit.") for n in range(40)),
    ]
    measured = measure([*rows, ASK], load_policy("0.19"))
    found = plan(measured, Settings(window=64000))
    return preview(measured, found, GivenSummary("## Goal\nLight."), focus).notes


@pytest.mark.parametrize(
    ("focus", "said"),
    [
        ("harbour", ()),
        ("lantren", ("No message to summarise mentions 'lantren'. Did you mean lantern?",)),
        ("  ", ()),
        ("shore", ()),  # a message says it, though no fact is about it
    ],
)
def test_of_a_topic_nobody_mentions_the_notes_say_only_what_was_meant(
    focus: str, said: tuple[str, ...]
) -> None:
    assert tuple(note for note in noted(focus) if "mention" in note) == said


def test_a_summary_the_release_does_not_know_is_stated() -> None:
    foreign = Message({"role": "user", "content": "[CONTEXT COMPACTION] an early form"})
    assert "does not recognise it" in next(caveats(BEFORE, (foreign, NEW, ASK), 1, load_policy("0.19")))


def test_a_topic_of_everything_is_stated() -> None:
    one = FactCount(kept=1, paraphrased=0, lost=0)
    none = FactCount(kept=0, paraphrased=0, lost=0)
    kept = retention([ASK], "Light the lantern.")
    assert "favours nothing" in next(focus_caveats("lantern", replace(kept, focus=one, rest=none), ()))
