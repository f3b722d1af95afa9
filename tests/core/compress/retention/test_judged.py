"""Against conversations that somebody read: good summaries score above bad ones, false claims are flagged."""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.core.compress.retention.judged import Judged, holds, judged, unpack_stored
from tests.shared import shared

pytestmark = pytest.mark.shared

SENTENCES = ("asks", "constraints", "decisions", "state", "open", "errors")


REPORTED = """
import sys
from pathlib import Path
from tests.core.compress.retention.judged import judged
print([one.report(one.deceiving) for one in judged(Path(sys.argv[1])) if one.name == "028"])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    for archive in ("cases", "claude-code-sessions"):
        with lzma.open(shared(f"data/{archive}.tar.xz")) as packed, tarfile.open(fileobj=packed) as bundle:
            bundle.extractall(folder, filter="data")
    unpack_stored(shared("data/small.db.xz"), folder)
    return folder


@pytest.fixture(scope="module")
def read(folder: Path) -> list[Judged]:
    found = list(judged(folder))
    assert len(found) >= 50
    return found


def test_the_order_in_which_python_walks_its_sets_changes_no_answer(folder: Path) -> None:
    answers = {
        subprocess.run(
            [sys.executable, "-c", REPORTED, str(folder)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[4])},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(answers) == 1
    assert len(*answers) > len("[]\n")


def test_a_faithful_summary_scores_above_a_sloppy_one_and_that_above_another_task_s(
    read: list[Judged],
) -> None:
    ordered, scores = 0, []
    for one in read:
        faithful, sloppy, other = (
            one.report(summary).score or 0.0 for summary in (one.faithful, one.sloppy, one.other)
        )
        ordered += faithful > sloppy + 0.1 and sloppy > other
        scores.append(faithful)
    assert ordered >= 0.94 * len(read)
    assert sum(scores) >= 0.7 * len(read)
    assert sum(score >= 0.55 for score in scores) >= 0.95 * len(read)


def test_what_a_reader_needs_is_counted_and_what_nobody_misses_is_not(read: list[Judged]) -> None:
    needed = counted = heavy = worthless = noise = 0
    for one in read:
        facts = one.counted
        top = facts[: max(len(one.needed), len(facts) // 3)]
        values = [anchor for anchor in facts if anchor.category not in SENTENCES]
        needed += len(one.needed)
        counted += sum(any(holds(anchor, fact) for anchor in facts) for fact in one.needed)
        heavy += sum(any(holds(anchor, fact) for anchor in top) for fact in one.needed)
        worthless += len(one.worthless)
        noise += sum(any(holds(anchor, fact) for anchor in values) for fact in one.worthless)
    assert counted >= 0.85 * needed
    assert heavy >= 0.6 * needed
    assert noise <= 0.15 * worthless


def test_false_claims_are_flagged_and_true_ones_are_not(read: list[Judged]) -> None:
    claims = flagged = 0
    for one in read:
        found = one.report(one.deceiving).unsupported
        claims += len(one.claims)
        flagged += sum(any(claim in found_one.where for found_one in found) for claim in one.claims)
        assert len(one.report(one.faithful).unsupported) <= 1, one.name
    assert flagged >= 0.8 * claims
