"""The command, killed at random moments and run again: the same bytes, nothing left behind."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.trajectory import sets

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Several shards of entries that are large on disk and quick to count."""
    found = [{**entry, "blob": "x" * 60_000} for entry in sets.entries(11, 240)]
    return sets.written(tmp_path_factory.mktemp("killed") / "in.jsonl", found)


def command(source: Path, name: str, jobs: int) -> list[str]:
    words = ("--target", "900", "--summary-target", "60", "--summariser", "static", "--json")
    return [
        sys.executable,
        "-m",
        "inspector",
        "trajectory",
        str(source),
        str(source.with_name(name)),
        *words,
        "--jobs",
        str(jobs),
    ]


@pytest.fixture(scope="module")
def usual(source: Path) -> float:
    """Seconds of a run that nobody kills, which leaves `whole.jsonl`."""
    began = time.monotonic()
    subprocess.run(command(source, "whole.jsonl", 2), cwd=ROOT, check=True, capture_output=True)
    return time.monotonic() - began


@pytest.mark.parametrize(("seed", "jobs"), [(0, 2), (1, 2), (2, 1)])
def test_a_killed_run_is_taken_up_by_the_same_command(
    seed: int, jobs: int, source: Path, usual: float
) -> None:
    name, moment = f"out{seed}.jsonl", random.Random(seed).uniform(0.3, 0.95) * usual
    kill(command(source, name, jobs), lambda since: since > moment)
    manifest = source.with_name(f"{name}.manifest.jsonl")
    shards = finished(source.with_name("whole.jsonl.manifest.jsonl"))
    kill(command(source, name, jobs), lambda since: finished(manifest) == shards)  # while parts are joined
    done = subprocess.run(command(source, name, jobs), cwd=ROOT, check=True, capture_output=True)
    assert source.with_name(name).read_bytes() == source.with_name("whole.jsonl").read_bytes()
    assert json.loads(done.stdout)["summary"]["total_trajectories"] == 240
    left = sorted(path.name for path in source.parent.glob(f"{name}*"))
    assert left == [name, f"{name}.manifest.jsonl"]


def kill(words: list[str], due: Callable[[float], bool]) -> None:
    """Start a command and kill it after some seconds."""
    began = time.monotonic()
    child = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while child.poll() is None and not due(time.monotonic() - began):
        time.sleep(0.001)
    child.kill()
    child.wait()


def finished(manifest: Path) -> int:
    return manifest.read_bytes().count(b'{"shard"') if manifest.exists() else 0
