"""What a summary puts into one commit when the messages have it in another is flagged."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("Mend the currency table, then the column widths, a commit each."),
    *call("terminal", "[main 4be1a20] mend the currency table", command="git commit -am 'currency table'"),
    *call("terminal", "[main 91c7d3e] widths of columns", command="git commit -am 'column widths'"),
    assistant("Currency table: 4be1a20. Column widths: 91c7d3e."),
]


def flagged(claim: str) -> list[str]:
    return [one.where for one in retention(WORK, f"Two commits.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "The currency table was mended in 91c7d3e.",
        "4be1a20 fixes the column widths.",
    ],
)
def test_what_is_told_of_another_commit_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "The currency table was mended in 4be1a20.",
        "91c7d3e fixes the column widths.",
        "Both were committed, the last as 91c7d3e.",
    ],
)
def test_what_is_told_of_its_own_is_not(claim: str) -> None:
    assert flagged(claim) == []
