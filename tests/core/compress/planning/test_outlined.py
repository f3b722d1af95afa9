"""A list whose texts were let go plans, and grows, as one that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from core.compress.planning.measure import Measured, measure, measured_on
from core.compress.planning.outlined import outlined
from core.compress.planning.plan import plan
from core.hermes.policy.policy import Policy, load_policy, releases
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from tests.core.compress.conversations import damaged_rows

policies = st.sampled_from(releases()).map(load_policy)
places = st.tuples(st.floats(0, 1), st.floats(0, 1))
SETTINGS = Settings(window=64_000, protect_last=4)


def worked(seed: int, rounds: int = 30) -> list[Message]:
    """Requests, thoughts, calls and results, no two of them alike; some users send nothing."""
    chance, rows = Random(seed), list[Message]()
    for number in range(rounds):
        said = "" if chance.random() < 0.1 else f"request {number} " + "word " * chance.randrange(400)
        function = {"name": "read_file", "arguments": f'{{"path": "{number}{"x" * chance.randrange(900)}"}}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        thought = "because " * chance.randrange(60)
        rows += [
            Message({"role": "user", "content": said}),
            Message({"role": "assistant", "content": "", "tool_calls": [call], "reasoning": thought}),
            Message(
                {
                    "role": "tool",
                    "content": f"{number} " * chance.randrange(900),
                    "tool_call_id": f"c{number}",
                }
            ),
            Message({"role": "assistant", "content": f"answer {number}", "reasoning_content": thought}),
        ]
    return rows


def grown(rows: Sequence[Message], policy: Policy, parts: tuple[float, float]) -> Measured | None:
    """A list that grew twice, its texts dropped each time; None if it must be measured again."""
    one, two = sorted(round(part * len(rows)) for part in parts)
    begun = outlined(measure(rows[:one], policy))
    on = measured_on(begun, rows[one:two])
    if on is None:
        return None
    return measured_on(outlined(on, min(one, max(0, begun.columns.newest_assistant))), rows[two:])


@tuned(max_examples=60, deadline=None)
@given(st.integers(0, 99), policies, places)
def test_it_is_planned_alike(seed: int, policy: Policy, parts: tuple[float, float]) -> None:
    rows = worked(seed)
    found = grown(rows, policy, parts)
    assert found is not None
    assert plan(found, SETTINGS) == plan(measure(rows, policy), SETTINGS)


@tuned(max_examples=40, deadline=None)
@given(damaged_rows(), policies, places)
def test_damaged_rows_are_planned_alike(
    rows: list[Message], policy: Policy, parts: tuple[float, float]
) -> None:
    found = grown(rows, policy, parts)
    assert found is None or plan(found, SETTINGS) == plan(measure(rows, policy), SETTINGS)


def test_no_text_is_left_but_that_of_the_newest_answer() -> None:
    rows = worked(1)
    lean = outlined(measure(rows, load_policy("0.22")))
    held = [message.text for message in lean.messages]
    assert held.pop(lean.columns.newest_assistant) == "answer 29"
    assert sum(map(len, held)) <= len(rows)
    assert [message.role for message in lean.messages] == [row.role for row in rows]
    assert all(len(call.arguments) < 300 for message in lean.messages for call in message.tool_calls)


@pytest.mark.parametrize("again", [2, 4])
def test_a_result_that_comes_again_or_late_has_all_measured_again(again: int) -> None:
    rows, policy = worked(1), load_policy("0.22")
    lean = outlined(measure(rows, policy))
    late = Message({**rows[2].wire, "content": "late " * again * 100})
    assert measured_on(lean, [late]) is None


def test_a_conversation_that_loads_skills_keeps_its_texts() -> None:
    policy = next(one for one in map(load_policy, releases()) if one.prune.skill_window)
    rows = worked(1, 2)
    function = {"name": "skill_view", "arguments": '{"name": "tables"}'}
    loads = Message({"role": "assistant", "content": "", "tool_calls": [{"id": "s", "function": function}]})
    assert outlined(measure([*rows, loads], policy)).whole
    assert measured_on(outlined(measure(rows, policy)), [loads]) is None
