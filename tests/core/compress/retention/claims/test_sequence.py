"""An order that edits, commits, runs and calls turn round is flagged."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("A row of the ledger is counted twice; cancel KX31LQ too, and rebase at the end."),
    *call("patch", "ok", path="tests/test_ledger.py", new_string="assert total == 3"),
    *call("terminal", "1 failed", command="pytest tests"),
    *call("patch", "ok", path="src/ledger.py", old_string="rows * 2", new_string="rows"),
    *call("terminal", "4 passed", command="pytest tests"),
    *call("terminal", "[main 4be1a20] count rows once", command="git commit -am 'count rows once'"),
    *call("cancel_booking", "done", booking="KX31LQ"),
    *call("terminal", "[main 91c7d3e] changelog", command="git commit -am changelog"),
    *call("terminal", "0 issues", command="ruff check src"),
    *call("terminal", "Successfully rebased", command="git rebase main"),
    assistant("All of it is done."),
]


def flagged(claim: str) -> list[str]:
    return [one.where for one in retention(WORK, f"The ledger.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "The fix was made first and the test was added afterwards.",
        "The test was written after the fix.",
        "91c7d3e was committed first, 4be1a20 afterwards.",
        "The rebase came before KX31LQ was cancelled.",
        "The lint run came before the first test run.",
    ],
)
def test_what_came_the_other_way_round_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "The test was written first and the fix was made afterwards.",
        "4be1a20 was committed first, 91c7d3e afterwards.",
        "KX31LQ was cancelled before the rebase.",
        "The lint run came after the first test run.",
        "The rebase was to be done first, and the commit later.",
    ],
)
def test_the_right_order_is_not(claim: str) -> None:
    assert flagged(claim) == []
