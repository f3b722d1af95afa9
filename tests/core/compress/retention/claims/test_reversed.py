"""A pair that the messages tell the other way round is flagged."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, user

WORK = [
    user("Pack the logs with gzip instead of zstd, then move them from staging to archive."),
    assistant("Packed with gzip. I ran migrate before seed."),
]


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("The logs are packed with gzip instead of zstd.", False),
        ("The logs are packed with zstd instead of gzip.", True),
        ("They were moved from staging to archive.", False),
        ("They were moved from archive to staging.", True),
        ("First seed before migrate.", True),
    ],
)
def test_a_pair_told_the_other_way_round_is_flagged(claim: str, wrong: bool) -> None:
    found = [one.where for one in retention(WORK, f"The logs.\n{claim}").unsupported]
    assert found == ([claim] if wrong else [])
