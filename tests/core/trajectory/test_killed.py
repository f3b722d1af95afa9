"""The command, killed at random moments and run again: the same bytes, nothing left behind."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.core.trajectory import sets

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Several shards of entries that are large on disk and quick to count."""
    found = [{**entry, "blob": "x" * 60_000} for entry in sets.entries(11, 240)]
    return sets.written(tmp_path_factory.mktemp("killed") / "in.jsonl", found)


def command(source: Path, name: str) -> list[str]:
    words = ("--target", "900", "--summary-target", "60", "--summariser", "static", "--jobs", "2", "--json")
    return [
        sys.executable,
        "-m",
        "inspector.cli.main",
        "trajectory",
        str(source),
        str(source.with_name(name)),
        *words,
    ]


@pytest.fixture(scope="module")
def usual(source: Path) -> float:
    """Seconds of a run that nobody kills, which leaves `whole.jsonl`."""
    began = time.monotonic()
    subprocess.run(command(source, "whole.jsonl"), cwd=ROOT, check=True, capture_output=True)
    return time.monotonic() - began


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_run_is_taken_up_by_the_same_command(seed: int, source: Path, usual: float) -> None:
    name, draw = f"out{seed}.jsonl", random.Random(seed)
    for _ in range(2):
        child = subprocess.Popen(
            command(source, name), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(draw.uniform(0.3, 0.95) * usual)
        child.kill()
        child.wait()
    done = subprocess.run(command(source, name), cwd=ROOT, check=True, capture_output=True)
    assert source.with_name(name).read_bytes() == source.with_name("whole.jsonl").read_bytes()
    assert json.loads(done.stdout)["summary"]["total_trajectories"] == 240
    left = sorted(path.name for path in source.parent.glob(f"{name}*"))
    assert left == [name, f"{name}.manifest.jsonl"]
