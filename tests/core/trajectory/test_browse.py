"""The list of a file of trajectories, and one of them before and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.trajectory.browse import open_listed, survey
from core.trajectory.compress.plan import Settings
from core.trajectory.input.sources import find_input
from core.trajectory.shards.job import Job
from core.trajectory.summaries.base import SummarySpec
from tests.core.trajectory import sets


@pytest.mark.parametrize("now", [b"", b"no JSON\n"])
def test_an_entry_of_a_file_that_changed_since_is_one_that_cannot_be_read(tmp_path: Path, now: bytes) -> None:
    path = sets.written(tmp_path / "t.jsonl", sets.entries(3, 1))
    job = Job(find_input(str(path)).sources, Settings(), SummarySpec(), str(tmp_path / "parts"))
    (listed,) = survey(job)
    assert open_listed(job, listed) is not None
    path.write_bytes(now)
    assert open_listed(job, listed) is None
