"""How a list is put in order before a request: the list a compaction in the middle of a turn is given."""

from __future__ import annotations

from typing import Any

import pytest

from core.compress.messages.request_order import requested
from core.hermes.policy.policy import load_policy, releases
from core.model.transcript.message import Message
from tests.core.compress.conversations import SHAPES

ALL = pytest.mark.parametrize("release", releases())
FROM_018 = pytest.mark.parametrize("release", ["0.18", "0.19", "0.22"])


def user(text: Any, **more: Any) -> Message:
    return Message({"role": "user", "content": text, **more})


def answer(text: str, *calls: str, **more: Any) -> Message:
    made = [{"id": name, "type": "function", "function": {"name": "t", "arguments": "{}"}} for name in calls]
    return Message({"role": "assistant", "content": text, **({"tool_calls": made} if made else {}), **more})


def result(name: str, text: str = "ok") -> Message:
    return Message({"role": "tool", "tool_call_id": name, "content": text})


def told(messages: list[Message], release: str) -> list[tuple[str | None, Any]]:
    return [(m.role, m.content) for m in requested(messages, load_policy(release))]


@ALL
def test_two_requests_in_a_row_become_one(release: str) -> None:
    assert told([user("a"), user(""), user("b"), answer("c")], release) == [
        ("user", "a\n\nb"),
        ("assistant", "c"),
    ]


@ALL
def test_pictures_are_never_joined(release: str) -> None:
    rows = [user("a"), user([{"type": "text", "text": "b"}]), user("c")]
    assert requested(rows, load_policy(release)) == tuple(rows)


@ALL
def test_a_result_nobody_asked_for_goes(release: str) -> None:
    rows = [user("a"), answer("", "c1"), result("c1"), result("c2"), user("b"), result("c1")]
    assert [role for role, _ in told(rows, release)] == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize(("release", "joined"), [("0.17", False), ("0.18", True)])
def test_two_answers_in_a_row_become_one_from_018_on(release: str, joined: bool) -> None:
    rows = [user("a"), answer("b ", "c1"), answer("c", "c2"), result("c1"), result("c2")]
    after = requested(rows, load_policy(release))
    assert (after[1].text == "b\nc") is joined
    assert len(after[1].tool_calls) == 1 + joined


@FROM_018
def test_a_call_has_one_result(release: str) -> None:
    rows = [user("a"), answer("", "c1"), result("c1", "first"), result("c1", "again"), answer("b")]
    assert ("tool", "again") not in told(rows, release)


def test_an_answer_that_had_to_be_verified_gives_way_from_019_on() -> None:
    rows = [user("a"), answer("draft", finish_reason="verification_required"), answer("final")]
    assert told(rows, "0.19")[1:] == [("assistant", "final")]
    assert told(rows, "0.18")[1:] == [("assistant", "draft\nfinal")]


def test_022_drops_calls_that_were_never_answered() -> None:
    rows = [
        user("a"),
        answer("", "c1"),
        answer("b", "c2", codex_message_items=[{}]),
        user("c"),
        answer("d", "c3"),
    ]
    after = requested(rows, load_policy("0.22"))
    assert [(m.role, m.text, len(m.tool_calls)) for m in after] == [
        ("user", "a", 0),
        ("assistant", "b", 1),
        ("user", "c", 0),
        ("assistant", "d", 0),
    ]


def test_022_joins_no_request_to_a_summary() -> None:
    rows = [user("[CONTEXT SUMMARY]: earlier"), user("a")]
    assert len(requested(rows, load_policy("0.22"))) == 2
    assert len(requested(rows, load_policy("0.19"))) == 1


@ALL
def test_a_list_in_order_stays_as_it_is(release: str) -> None:
    policy = load_policy(release)
    for make in SHAPES:
        once = requested([Message(row) for row in make(7)], policy)
        assert requested(once, policy) == once


@pytest.mark.parametrize("release", ["0.19", "0.22"])
def test_a_result_that_names_no_call_stays_from_022_on(release: str) -> None:
    unnamed = Message({"role": "tool", "content": "ok"})
    rows = [user("a"), answer("", "c1"), result("c1"), unnamed, user("b"), unnamed]
    assert len(requested(rows, load_policy(release))) == (6 if release == "0.22" else 4)


def test_022_takes_all_ids_of_a_call_for_one() -> None:
    call = {"id": "fc_1", "call_id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    rows = [Message({"role": "assistant", "content": "", "tool_calls": [call]}), result("fc_1"), result("c1")]
    assert len(requested(rows, load_policy("0.22"))) == 2
    assert len(requested(rows, load_policy("0.19"))) == 3


@pytest.mark.parametrize(("text", "left"), [("\n", 1), ("b", 2)])
def test_022_drops_a_row_whose_calls_nobody_answered_and_that_says_nothing(text: str, left: int) -> None:
    assert len(requested([user("a"), answer(text, "c1")], load_policy("0.22"))) == left


@ALL
@pytest.mark.parametrize(
    "calls", [float("nan"), 7, True, {"id": "c1"}, "c1", [{"id": ["c1"]}, {"id": {}}, None, 3]]
)
def test_calls_that_are_no_list_of_calls_have_no_results(release: str, calls: Any) -> None:
    rows = [user("a"), Message({"role": "assistant", "content": "b", "tool_calls": calls}), result("c1")]
    assert [role for role, _ in told(rows, release)][:2] == ["user", "assistant"]
