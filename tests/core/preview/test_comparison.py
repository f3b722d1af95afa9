"""Tool results find their calls."""

from __future__ import annotations

import pytest

from core.model.transcript.message import Message
from core.preview.comparison import ToolPairs


def asks(*ids: str) -> Message:
    calls = [{"id": i, "type": "function", "function": {"name": f"tool-{i}", "arguments": "{}"}} for i in ids]
    return Message({"role": "assistant", "content": None, "tool_calls": calls})


def answers(call_id: str | None) -> Message:
    return Message({"role": "tool", "tool_call_id": call_id, "content": "done"})


@pytest.fixture(params=[0, 1, 2])
def parted(request: pytest.FixtureRequest) -> int:
    """Where a list is parted: it grows as Hermes writes."""
    return int(request.param)


def pairs(talk: list[Message], parted: int) -> ToolPairs:
    return ToolPairs().grown(talk[:parted]).grown(talk[parted:])


def test_a_result_and_its_call_are_mates_of_each_other(parted: int) -> None:
    found = pairs([asks("a", "b"), answers("b"), answers("a")], parted)
    assert found.partners(0) == {1, 2}
    assert found.partners(1) == found.partners(2) == {0}
    assert [found.call_of(place) for place in (1, 2)] == [(0, "tool-b"), (0, "tool-a")]
    assert found.results_of(0) == {1: 1, 0: 2}


def test_an_orphan_and_a_second_answer_have_no_mate(parted: int) -> None:
    found = pairs([answers("a"), asks("a"), answers("a"), answers("a"), answers(None)], parted)
    assert found.partners(0) == found.partners(3) == found.partners(4) == frozenset()
    assert found.partners(2) == {1}


def test_a_call_id_used_twice_pairs_with_the_nearest_call(parted: int) -> None:
    found = pairs([asks("a"), answers("a"), asks("a"), answers("a")], parted)
    assert found.partners(0) == {1}
    assert found.partners(1) == {0}
    assert found.partners(3) == {2}


def test_no_message_under_the_cursor_has_no_mates() -> None:
    assert ToolPairs().partners(None) == frozenset()
