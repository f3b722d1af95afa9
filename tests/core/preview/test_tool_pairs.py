"""Tool results find their calls."""

from __future__ import annotations

from core.model.transcript.message import Message
from core.preview.generation import call_of, mates, results_of


def asks(*ids: str) -> Message:
    calls = [{"id": i, "type": "function", "function": {"name": f"tool-{i}", "arguments": "{}"}} for i in ids]
    return Message({"role": "assistant", "content": None, "tool_calls": calls})


def answers(call_id: str) -> Message:
    return Message({"role": "tool", "tool_call_id": call_id, "content": "done"})


def test_a_result_and_its_call_are_mates_of_each_other() -> None:
    talk = [asks("a", "b"), answers("b"), answers("a")]
    assert mates(talk, 0) == {1, 2}
    assert mates(talk, 1) == mates(talk, 2) == {0}
    assert [call_of(talk, place) for place in (1, 2)] == [(0, "tool-b"), (0, "tool-a")]
    assert results_of(talk, 0) == {"b": 1, "a": 2}


def test_an_orphan_and_a_second_answer_have_no_mate() -> None:
    talk = [answers("a"), asks("a"), answers("a"), answers("a")]
    assert mates(talk, 0) == mates(talk, 3) == frozenset()
    assert mates(talk, 2) == {1}


def test_a_call_id_used_twice_pairs_with_the_nearest_call() -> None:
    talk = [asks("a"), answers("a"), asks("a"), answers("a")]
    assert mates(talk, 0) == {1}
    assert mates(talk, 1) == {0}
    assert mates(talk, 3) == {2}


def test_no_message_under_the_cursor_has_no_mates() -> None:
    assert mates([], None) == frozenset()
