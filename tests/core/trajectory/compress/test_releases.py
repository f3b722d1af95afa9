"""Cuts and metrics equal to what the releases' own tool computes for the same trajectories."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from core.account.tokenizers.vocabularies import count_text
from core.trajectory.compress.settings import Settings
from core.trajectory.shards.compressor import Compressor, Done
from core.trajectory.summaries.base import Written
from tests.shared import shared

pytestmark = pytest.mark.shared

SUMMARY = "The agent read files and fixed the parser.\nNext: run the tests."
_count = lru_cache(maxsize=100_000)(count_text)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("trajectories") / "in.jsonl"
    subprocess.run(
        [sys.executable, str(shared("tools/make_trajectories.py")), "7", "60", str(path)], check=True
    )
    return {json.loads(line)["id"]: line for line in path.read_bytes().splitlines(keepends=True)}


@pytest.mark.parametrize("version", ["0.16.0", "0.19.0", "0.22.2"])
def test_a_release_computes_the_same(version: str, lines: dict[str, bytes]) -> None:
    path: Path = shared(f"vectors/trajectory/visible_{version}.json.gz")
    for case in json.loads(gzip.decompress(path.read_bytes())):
        settings = Settings(
            release=version[:4],
            target=case["target"],
            summary_target=case["summary_target"],
            protect_last=case["last"],
        )
        compressor = Compressor(settings, lambda text: _count(text, "o200k_base"))
        begun = compressor.begin(lines[case["id"]])
        done = begun if isinstance(begun, Done) else compressor.finish(begun, Written(SUMMARY))
        assert done.metrics is not None
        assert done.metrics.document() == case["metrics"]
        assert [turn["from"][0] for turn in json.loads(done.data)["conversations"]] == case["roles"]
