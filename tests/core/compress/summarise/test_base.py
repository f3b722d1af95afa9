"""A summary from a file follows the same rule as a model's: it contains no credential."""

from __future__ import annotations

from core.compress.summarise.base import GivenSummary, SummaryRequest


def test_a_given_summary_is_masked_before_anybody_stores_it() -> None:
    made = GivenSummary("## Active Task\nlog in with DB_PASSWORD=hunter2horse\n").summarise(
        SummaryRequest(turns=(), budget=1000, headings=())
    )
    assert made.body == "## Active Task\nlog in with DB_PASSWORD=[redacted:secret-value]\n"
