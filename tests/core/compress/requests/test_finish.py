"""What a release adds to a summary by rule, where what was said looks like its own markers."""

from __future__ import annotations

import json

import pytest

from core.compress.messages.summary_row import END_MARKER
from core.compress.pruning.skills import lost_skills, mark
from core.compress.requests.additions import Finish, finished
from core.compress.summarise.answer_check import sections
from core.hermes.policy.policy import load_policy
from core.model.transcript.message import Message

BODY = "## Goal\nCount."
WRAPPED = (
    "[PRIOR CONTEXT — for reference only; not a new message]\nnine\n\n"
    "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n\nwhat was this?"
)
USERS = "User Messages (verbatim, newest first)"


def asked(text: str) -> list[Message]:
    return [Message({"role": "user", "content": text})]


def loaded(*names: str, size: int = 6000) -> list[Message]:
    """One row that loads skills, and their bodies."""
    calls = [
        {"id": name, "function": {"name": "skill_view", "arguments": json.dumps({"name": name})}}
        for name in names
    ]
    bodies = [Message({"role": "tool", "tool_call_id": name, "content": "x" * size}) for name in names]
    return [Message({"role": "assistant", "content": "", "tool_calls": calls}), *bodies]


def test_019_cuts_its_snapshot_where_the_request_quotes_a_wrapper() -> None:
    body = finished(BODY, Finish(asked(WRAPPED), load_policy("0.19"), lean=False))
    assert body.startswith("what was this?'")
    assert body.endswith(BODY)


def test_022_cuts_its_summary_where_the_request_quotes_the_end_of_one() -> None:
    turns = asked(f"what does {END_MARKER} mean?")
    body = finished(BODY, Finish(turns, load_policy("0.22"), lean=True, session="s1"))
    assert body.endswith("'what does")


@pytest.mark.parametrize(("release", "stays"), [("0.16", True), ("0.17", False), ("0.22", False)])
def test_an_end_marker_a_model_wrote_goes_from_017_on(release: str, stays: bool) -> None:
    body = finished(f"{BODY}\n\n{END_MARKER}", Finish((), load_policy(release), lean=False))
    assert (END_MARKER in body) is stays


def test_a_summary_made_by_rule_is_not_grounded_again() -> None:
    finish = Finish(asked("count the ledgers"), load_policy("0.19"), lean=False)
    assert finished(BODY, finish, grounds=False) == BODY


@pytest.mark.parametrize(("release", "is_request"), [("0.19", True), ("0.22", False)])
def test_a_continuation_is_a_request_to_019(release: str, is_request: bool) -> None:
    marker = "Continue from the compressed conversation context above. Nobody asked."
    body = finished(BODY, Finish(asked(marker), load_policy(release), lean=False))
    assert ("User asked" in body) is is_request


def test_user_rows_hermes_wrote_are_not_quoted() -> None:
    turns = [*asked("[ASYNC DELEGATION] done"), *asked("count the ledgers"), *asked("[CONTEXT cut")]
    found = sections(finished(BODY, Finish(turns, load_policy("0.22"), lean=True)))
    assert found[USERS] == "> count the ledgers"


def test_a_request_there_is_no_room_to_quote_is_left_out() -> None:
    turns = [*asked("o" * 300), *(row for _ in range(6) for row in asked("n" * 3990))]
    found = sections(finished(BODY, Finish(turns, load_policy("0.22"), lean=True)))
    assert "o" not in found[USERS]


@pytest.mark.parametrize("lean", [True, False])
def test_a_skill_whose_body_leaves_is_named_in_either_tail_mode(lean: bool) -> None:
    body = finished(BODY, Finish(loaded("git"), load_policy("0.22"), lean))
    assert sections(body)["Pruned Skills"] == mark("git")


def test_skills_named_before_stay_named_and_short_bodies_are_not_loss() -> None:
    assert lost_skills(loaded("git", size=90), mark("make")) == ["make"]


def test_of_skills_loaded_by_one_row_022_names_the_last() -> None:
    assert lost_skills(loaded("git", "make"), None) == ["make"]


@pytest.mark.parametrize("release", ["0.13", "0.19", "0.22"])
def test_blank_lines_around_a_body_do_not_part_it_from_what_is_added(release: str) -> None:
    finish = Finish(loaded("git"), load_policy(release), lean=False)
    assert finished(f"\n{BODY}\n\n", finish) == finished(BODY, finish)
