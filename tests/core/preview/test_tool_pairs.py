"""Tool results find their calls."""

from __future__ import annotations

from core.model.transcript.message import Message
from core.preview.generation import tool_pairs


def asks(*ids: str) -> Message:
    calls = [{"id": i, "type": "function", "function": {"name": f"tool-{i}", "arguments": "{}"}} for i in ids]
    return Message({"role": "assistant", "content": None, "tool_calls": calls})


def answers(call_id: str) -> Message:
    return Message({"role": "tool", "tool_call_id": call_id, "content": "done"})


def test_a_result_and_its_call_are_mates_of_each_other() -> None:
    pairs = tool_pairs([asks("a", "b"), answers("b"), answers("a")])
    assert pairs.mates(0) == {1, 2}
    assert pairs.mates(1) == pairs.mates(2) == {0}
    assert pairs.tools == {1: "tool-b", 2: "tool-a"}


def test_an_orphan_and_a_second_answer_have_no_mate() -> None:
    pairs = tool_pairs([answers("a"), asks("a"), answers("a"), answers("a")])
    assert pairs.mates(0) == pairs.mates(3) == frozenset()
    assert pairs.mates(2) == {1}


def test_a_call_id_used_twice_pairs_with_the_nearest_call() -> None:
    pairs = tool_pairs([asks("a"), answers("a"), asks("a"), answers("a")])
    assert pairs.mates(1) == {0}
    assert pairs.mates(3) == {2}


def test_no_message_under_the_cursor_has_no_mates() -> None:
    assert tool_pairs([]).mates(None) == frozenset()
