"""What an agent makes of a compacted list: open to-dos after it, a request in it, nothing larger."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.compress.assembly.agent_steps import as_next_request, open_todos
from core.compress.dry_run import NO_AGENT, preview
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.pruning.skills import mark
from core.compress.summarise.base import GivenSummary
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message

HEADER = "[Your active task list was preserved across context compression]"
SUMMARY = Message({"role": "user", "content": "[CONTEXT SUMMARY]: earlier\n## Goal\nG"})
ANSWER = Message({"role": "assistant", "content": "Done."})
BULK = Message({"role": "user", "content": "Read this. " * 900})
ASK = Message({"role": "user", "content": "Count the lanterns."})


def listed(*items: tuple[str, str, str], name: str = "todo") -> list[Message]:
    """A call of the to-do tool and its result: id, status and parent of each item."""
    todos = [
        {"id": key, "content": f"item {key}", "status": status, **({"parent": parent} if parent else {})}
        for key, status, parent in items
    ]
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    return [
        Message({"role": "assistant", "content": "", "tool_calls": [call]}),
        Message({"role": "tool", "tool_call_id": "c1", "content": json.dumps({"todos": todos})}),
    ]


def test_only_open_items_are_carried_over() -> None:
    text = open_todos(listed(("1", "completed", ""), ("2", "in_progress", ""), ("3", "pending", "")))
    assert text == f"{HEADER}\n- [>] 2. item 2 (in_progress)\n- [ ] 3. item 3 (pending)"


def test_a_finished_item_stays_above_its_open_parts() -> None:
    text = open_todos(listed(("1", "completed", ""), ("2", "pending", "1")))
    assert text == f"{HEADER}\n- [x] 1. item 1 (completed)\n  - [ ] 2. item 2 (pending)"


@pytest.mark.parametrize(
    "given",
    [
        [],
        listed(("1", "completed", "")),
        listed(("1", "pending", ""), name="other"),
        listed(("1", "pending", "1")),
    ],
    ids=["no result", "nothing open", "another tool", "an item that is its own part"],
)
def test_without_open_items_nothing_is_carried_over(given: list[Message]) -> None:
    assert open_todos(given) is None


@pytest.mark.parametrize("release", ["0.13", "0.19"])
def test_open_items_come_after_the_list(release: str) -> None:
    given = [ASK, *listed(("1", "pending", ""))]
    after = as_next_request((SUMMARY, ANSWER, ASK), given, load_policy(release))
    assert [m.role for m in after] == ["user", "assistant", "user", "user"]
    assert after[-1].text.startswith(HEADER)


def test_022_folds_them_into_the_request_the_list_ends_with() -> None:
    given = [ASK, *listed(("1", "pending", ""))]
    old = Message({"role": "user", "content": f"Count the lanterns.\n\n{HEADER}\n- [ ] 9. old (pending)"})
    after = as_next_request((SUMMARY, ANSWER, old), given, load_policy("0.22"))
    assert after[-1].text == f"Count the lanterns.\n\n{HEADER}\n- [ ] 1. item 1 (pending)"


def test_a_request_that_was_summarised_away_is_put_back_where_no_two_users_meet() -> None:
    after = as_next_request(
        (SUMMARY, ANSWER, *listed(("1", "completed", ""))), [ASK, ANSWER], load_policy("0.19")
    )
    assert [m.role for m in after] == ["user", "assistant", "user", "assistant", "tool"]
    assert after[2].text == ASK.text


@pytest.mark.parametrize(("release", "put_back"), [("0.17", False), ("0.18", False), ("0.19", True)])
def test_a_summary_is_no_request_of_the_user_from_019_on(release: str, put_back: bool) -> None:
    after = as_next_request((SUMMARY, ANSWER), [ASK, ANSWER], load_policy(release))
    assert (ASK.text in [m.text for m in after]) is put_back


def test_022_puts_the_newest_answer_back_where_it_was() -> None:
    later = Message({"role": "user", "content": "And the ledgers?"})
    after = as_next_request((SUMMARY, later), [BULK, ASK, ANSWER, later], load_policy("0.22"))
    assert [m.text for m in after[1:]] == [ANSWER.text, later.text]


@pytest.mark.parametrize(
    ("left", "given"),
    [
        ((SUMMARY, ANSWER, ASK), [ASK, ANSWER, ASK]),
        ((SUMMARY, Message({"role": "assistant", "content": "Older."}), ASK), [ANSWER, ASK]),
        ((SUMMARY, ASK), [ASK, Message({"role": "assistant", "content": " "})]),
    ],
    ids=["it is there", "another answer stands there", "nobody could read it"],
)
def test_an_answer_is_not_put_back(left: tuple[Message, ...], given: list[Message]) -> None:
    assert as_next_request(left, [BULK, *given], load_policy("0.22")) == left


def test_an_answer_whose_place_a_reused_id_hides_is_not_put_back() -> None:
    again = [row for _ in range(2) for row in listed(("1", "completed", ""))]
    given = [BULK, ASK, *again[:2], ANSWER, *again[2:]]
    assert as_next_request((SUMMARY, ASK, *again[2:]), given, load_policy("0.22"))[2:] == tuple(again[2:])


def test_an_answer_that_would_keep_the_list_from_shrinking_stays_out() -> None:
    long = Message({"role": "assistant", "content": "word " * 400})
    given = [ASK, long]
    left = (SUMMARY, ASK)
    assert as_next_request(left, given, load_policy("0.22")) == left


def test_the_newest_answer_of_a_part_kept_by_hand_stays_out() -> None:
    after = as_next_request((SUMMARY, ASK), [BULK, ASK, ANSWER, ASK], load_policy("0.22"), anchors=False)
    assert after == (SUMMARY, ASK)


@pytest.mark.parametrize(("release", "noted"), [("0.19", False), ("0.22", True)])
def test_open_items_name_the_skills_they_need_again(release: str, noted: bool) -> None:
    lost = Message({"role": "tool", "content": mark("git")})
    after = as_next_request((SUMMARY, ASK, lost), [ASK, *listed(("1", "pending", ""))], load_policy(release))
    assert ("skill_view(name='git')" in after[-1].text) is noted


@pytest.mark.parametrize(("shown", "hides"), [("{}", True), ('{"todos": []}', False)])
def test_items_only_a_running_agent_knows_are_stated_to_be_unknown(shown: str, hides: bool) -> None:
    call, result = listed(("1", "pending", ""))
    short = [Message({"role": role, "content": "word " * 90}) for role in ("user", "assistant") * 40]
    measured = measure([ASK, call, result.with_wire(content=shown), *short], load_policy("0.19"))
    made = preview(measured, plan(measured, Settings(window=8000)), GivenSummary("## Goal\nG"))
    assert made.summary_index is not None
    assert any(note.startswith("Unknown: open to-dos") for note in made.notes) is hides


def test_a_conversation_nobody_asked_anything_in_gets_a_marker() -> None:
    after = as_next_request((ANSWER,), [ANSWER], load_policy("0.19"))
    assert after[-1].text.startswith("Continue from the compressed conversation context above.")


def grown(**how: Any) -> Preview:
    short = [Message({"role": role, "content": "x"}) for role in ("user", "assistant") * 12]
    measured = measure(short, load_policy("0.22"))
    return preview(measured, plan(measured, Settings(window=64000)), GivenSummary("long " * 4000), **how)


def test_a_result_larger_than_its_input_is_refused_from_022_on() -> None:
    made = grown()
    assert made.after == made.before
    assert made.feedback.headline.startswith("Compression refused")


def test_the_compressor_alone_returns_it_and_the_preview_says_what_an_agent_would_do() -> None:
    made = grown(agent=NO_AGENT)
    assert made.summary_index is not None
    assert "An agent of this release would refuse this list" in made.notes[-1]
