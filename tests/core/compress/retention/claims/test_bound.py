"""What a summary puts into one commit or file when the messages have it in another is flagged."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("Mend the currency table, then the column widths, a commit each."),
    *call("read_file", "func roundRate(rate float64) float64 {", path="src/rates.go"),
    *call("read_file", "func drawColumns(widths []int) {", path="src/table.go"),
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
        "`roundRate` is defined in src/table.go.",
        "drawColumns lives in rates.go.",
    ],
)
def test_what_is_told_of_another_commit_or_file_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "The currency table was mended in 4be1a20.",
        "91c7d3e fixes the column widths.",
        "`roundRate` is defined in src/rates.go.",
        "drawColumns lives in table.go.",
        "Both were committed, the last as 91c7d3e.",
    ],
)
def test_what_is_told_of_its_own_is_not(claim: str) -> None:
    assert flagged(claim) == []
