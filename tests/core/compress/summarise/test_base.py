"""No summary holds a credential, whoever wrote it and wherever the credential stood."""

from __future__ import annotations

import pytest

from core.compress.summarise.base import (
    FailureKind,
    GivenSummary,
    OfflineSummariser,
    SummaryFailure,
    SummaryRequest,
)
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.compress.summarise.faithful.summariser import FaithfulSummariser
from tests.core.compress.builders import assistant
from tests.core.compress.summarise.extracts import OLD, session

OFFLINE = pytest.mark.parametrize("summariser", [ExtractiveSummariser(), FaithfulSummariser()])
LINES = [f"Mx{n:02}" + "EvQIBADANBgkqhkiG9w" * 3 for n in range(30)]
KEY = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(LINES) + "\n-----END PRIVATE KEY-----"


def test_a_given_summary_is_masked_before_anybody_stores_it() -> None:
    made = GivenSummary("## Active Task\nlog in with DB_PASSWORD=hunter2horse\n").summarise(
        SummaryRequest(turns=(), budget=1000, headings=())
    )
    assert made.body == "## Active Task\nlog in with DB_PASSWORD=[redacted:secret-value]\n"


@OFFLINE
def test_a_summary_offline_can_be_cancelled(summariser: OfflineSummariser) -> None:
    asked = SummaryRequest(tuple(session()), 2_000, OLD)
    with pytest.raises(SummaryFailure) as failure:
        summariser.summarise(asked, cancelled=lambda: True)
    assert failure.value.kind is FailureKind.CANCELLED


@OFFLINE
def test_a_key_of_many_lines_of_the_summary_before_is_masked_whole(summariser: OfflineSummariser) -> None:
    before = f"## Critical Context\n{KEY}\nThe shop listens on port 8443."
    body = summariser.summarise(SummaryRequest((assistant("Done."),), 700, OLD, previous_summary=before)).body
    assert "port 8443" in body
    assert not any(line in body for line in LINES)


@OFFLINE
def test_a_password_that_a_cut_leaves_without_its_end_is_masked(summariser: OfflineSummariser) -> None:
    asked = "postgres://admin:hunter2" + "horse" * 90 + "@db.example.org/shop"
    body = summariser.summarise(SummaryRequest((assistant("Done."),), 2_000, OLD, asked_before=asked)).body
    assert "(asked before this)" in body
    assert "hunter2" not in body
