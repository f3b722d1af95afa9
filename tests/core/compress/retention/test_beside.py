"""Figures, ids and places that a summary tells of one thing and the messages of another are flagged."""

from __future__ import annotations

import time

import pytest

from core.compress.retention.score import retention
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("The importer of orders fails now and then. Retry it, and log who started it."),
    *call(
        "patch", "ok", path="src/orders/importer.py", old_string="load()", new_string="with_patience(load)"
    ),
    assistant("with_patience() tries the importer again, up to 5 attempts with a pause between them."),
    *call("terminal", "[main 4be1a20] a second chance", command="git commit -am 'a second chance'"),
    *call("patch", "ok", path="src/orders/audit.py", old_string="pass", new_string="note_starter()"),
    *call("terminal", "[main 91c7d3e] audit of starters", command="git commit -am 'audit of starters'"),
    *call("terminal", "3 skipped tests\n14 passed tests", command="pytest tests/orders"),
    assistant("Both are done. The run of the importer for session 2026-01-06-c93f3533 went through."),
]


def flagged(claim: str, middle: list[Message] = WORK) -> list[str]:
    return [one.value for one in retention(middle, f"The importer failed.\n{claim}").unsupported]


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("with_patience() tries the importer up to 8 attempts.", "8 attempts"),
        ("with_patience() tries the importer up to nine attempts.", "nine attempts"),
        ("The audit of starters was committed as 4be1a20.", "4be1a20"),
        ("with_patience() was put into src/orders/audit.py.", "with_patience"),
        ("It went through for session 2026-01-06-914e68cc.", "2026-01-06-914e68cc"),
    ],
)
def test_a_value_told_of_something_else_is_flagged(claim: str, value: str) -> None:
    assert flagged(claim) == [value]


@pytest.mark.parametrize(
    "claim",
    [
        "with_patience() tries the importer up to five attempts.",
        "with_patience() tries the importer about 8 attempts.",
        "The audit of starters was committed as 91c7d3e.",
        "with_patience() was put into src/orders/importer.py.",
        "It went through for session 2026-01-06-c93f3533.",
        "Two files and 40 lines were changed.",
    ],
)
def test_the_same_told_rightly_is_not(claim: str) -> None:
    assert flagged(claim) == []


def test_a_long_sentence_is_checked_in_no_time() -> None:
    long = "the 3 " * 20_000 + "before " * 5_000 + "because " * 5_000 + "user's a-1 " * 5_000
    began = time.process_time()
    flagged(long)
    flagged(f"The user {'really ' * 130}proposed {'src/a.py ' * 10}before then because of 4be1a20.")
    assert time.process_time() - began < 3
