"""Who asked, noticed or refused is held against who spoke."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

REFUSED = "The user doesn't want to proceed with this tool use. To tell you how, the user said:\n{}"
WORK = [
    user("Why does the ledger show a negative balance in March?"),
    assistant("Rounding. I set the ledger right in commit 4be1a20."),
    user("I do not see the negative balance of March in that commit, are you sure?"),
    assistant("You're right, I named the wrong commit for the negative balance; it is 91c7d3e."),
    *call("patch", REFUSED.format("do not touch the archive of 2019 in this branch"), path="archive.py"),
    assistant("The archive of 2019 stays as it is."),
]


def flagged(claim: str) -> list[str]:
    return [one.where for one in retention(WORK, f"The ledger.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "The assistant wondered why the ledger shows a negative balance in March.",
        "The assistant noticed by itself that it had named the wrong commit.",
        "The assistant refused to touch the archive of 2019.",
    ],
)
def test_what_another_asked_noticed_or_refused_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "The user asked why the ledger shows a negative balance in March.",
        "The user noticed that the commit was the wrong one.",
        "The user refused to have the archive of 2019 touched.",
    ],
)
def test_the_same_of_the_right_one_is_not(claim: str) -> None:
    assert flagged(claim) == []
