"""Tallies and totals of a summary are compared figure by figure: nobody words them anew."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

AUDIT = [
    user("Audit the parts of the paper, please."),
    *call("terminal", "2 failed, 14 passed in 3.1 s\nERROR: agent type not known", command="pytest"),
    *call("terminal", "PROMOTE: 4\nREVISE: 48", command="review"),
    *call("terminal", "5 promote, 20 revise", command="review --old"),
    assistant("The verdict: **3 verified, 7 partial, 5 blocked**, and it is called a rough draft."),
]


def unsupported(summary: str) -> list[str]:
    return [claim.value for claim in retention(AUDIT, summary).unsupported]


@pytest.mark.parametrize("false", ["9 verified, 4 partial and 2 blocked", "4 failed, 12 passed"])
def test_a_tally_that_the_messages_give_with_other_figures_is_flagged(false: str) -> None:
    assert false in unsupported(f"It ended with {false}.")


@pytest.mark.parametrize(
    "true",
    [
        "3 verified, 7 partial and 5 blocked",
        "14 passed",
        "2 failed and 14 passed",
        "4 PROMOTE, 48 REVISE",
        "6 sections, 2 figures",  # the writer's own count
    ],
)
def test_a_tally_that_stands_there_or_that_nobody_else_gives_is_not(true: str) -> None:
    assert unsupported(f"It ended with {true}.") == []


CHECKED = [
    user("Check the figures of the paper."),
    *call(
        "terminal", "82 checks consistent, 5 flagged, 87 total\n19/19 tests passed", command="python audit.py"
    ),
    *call("terminal", "=== 3 failed, 60 passed in 2.1 s ===", command="pytest"),
    *call("terminal", "12 errors fixed\n14 passed", command="pytest tests/unit"),
    assistant("82 of the checks are consistent, 5 are flagged. Three tests fail."),
]


@pytest.mark.parametrize(
    "false", ["All 87 checks of the figures passed", "all 63 tests passed", "All of the 87 checks are green"]
)
def test_of_so_many_of_which_some_failed_not_all_passed(false: str) -> None:
    assert retention(CHECKED, f"It ended well: {false}.").unsupported != ()


@pytest.mark.parametrize("true", ["All 14 unit tests passed", "all 19 tests passed", "All 82 checks passed"])
def test_what_a_program_counted_as_passed_are_all_of_them(true: str) -> None:
    assert retention(CHECKED, f"It ended well: {true}.").unsupported == ()


def test_a_total_whose_figure_is_flagged_already_is_one_claim() -> None:
    summary = "See src/never.py and src/nowhere.py. All 63 tests passed in the end."
    found = [one.value for one in retention(CHECKED, summary).unsupported]
    assert [value for value in found if "63" in value] == ["All 63 tests passed"]
