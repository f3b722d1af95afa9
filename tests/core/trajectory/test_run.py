"""Runs: the same bytes however the work is cut and whenever it was broken off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import UsageError
from core.trajectory.compress.plan import Settings
from core.trajectory.engines.local import LocalEngine
from core.trajectory.input.sources import find_input
from core.trajectory.run import Listener, Outcome, OutputFault, Target, foresee, run
from core.trajectory.shards.job import Job
from core.trajectory.summaries.base import FILE, SummarySpec
from tests.core.trajectory import sets

ROOT = Path(__file__).parents[3]
SETTINGS = Settings(release="0.22", target=900, summary_target=60)


class Heard:
    """What a run reported."""

    def __init__(self) -> None:
        self.problems: list[tuple[str, int, str]] = []
        self.entries = 0
        self.listener = Listener(self._report, lambda *one: self.problems.append(one), lambda _: None)

    def _report(self, entries: int, tokens: int, read: int) -> None:
        self.entries += entries


def compress(source: Path, output: Path, heard: Heard | None = None, **changes: Any) -> Outcome:
    jobs, restart = changes.pop("jobs", 1), changes.pop("restart", False)
    target = Target(str(output), changes.pop("folder", False), changes.pop("keep_parts", False))
    job = Job(
        find_input(str(source)).sources, SETTINGS, SummarySpec(FILE, text="All went well."), target.parts
    )
    job = replace(job, size=changes.pop("size", 20_000), **changes)
    return run(job, target, LocalEngine(jobs), (heard or Heard()).listener, restart=restart)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return sets.written(tmp_path / "in.jsonl", sets.entries(1, 60))


@pytest.fixture
def whole(source: Path, tmp_path: Path) -> bytes:
    output = tmp_path / "whole.jsonl"
    compress(source, output, size=10**9)
    return output.read_bytes()


@pytest.mark.parametrize(("size", "jobs"), [(1, 1), (777, 1), (20_000, 2), (10**9, 2)])
def test_shards_and_processes_change_no_byte(
    size: int, jobs: int, source: Path, whole: bytes, tmp_path: Path
) -> None:
    output = tmp_path / "out.jsonl"
    outcome = compress(source, output, size=max(size, 500), jobs=jobs)
    assert output.read_bytes() == whole
    assert outcome.metrics.total_trajectories == 60
    assert not (tmp_path / "out.jsonl.parts").exists()


def test_order_and_other_fields_stay(source: Path, whole: bytes) -> None:
    before = [json.loads(line) for line in source.read_bytes().splitlines()]
    after = [json.loads(line) for line in whole.splitlines()]
    assert [one["id"] for one in before] == [one["id"] for one in after]
    for old, new in zip(before, after, strict=True):
        assert {key: new[key] for key in ("ratio", "x")} == {key: old[key] for key in ("ratio", "x")}
        assert ("compression_metrics" in new) == (new["conversations"] != old["conversations"])


def test_running_again_on_the_output_leaves_what_is_under_the_target(whole: bytes, tmp_path: Path) -> None:
    once = tmp_path / "once.jsonl"
    once.write_bytes(b"".join(line for line in whole.splitlines(keepends=True) if not _over(line)))
    compress(once, tmp_path / "twice.jsonl")
    assert (tmp_path / "twice.jsonl").read_bytes() == once.read_bytes()


def _over(line: bytes) -> bool:
    return bool(json.loads(line).get("compression_metrics", {}).get("still_over_limit"))


class BrokenOffError(Exception):
    """The moment of a crash."""


def _break_after(monkeypatch: pytest.MonkeyPatch, shards: int) -> None:
    from core.trajectory.shards import manifest

    add = manifest.Manifest.add
    seen = 0

    def adding(self: manifest.Manifest, result: Any) -> None:
        nonlocal seen
        seen += 1
        if seen > shards:
            raise BrokenOffError
        add(self, result)

    monkeypatch.setattr(manifest.Manifest, "add", adding)


def test_a_run_that_was_broken_off_is_taken_up(
    source: Path, whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.jsonl"
    with monkeypatch.context() as patch:
        _break_after(patch, 2)
        with pytest.raises(BrokenOffError):
            compress(source, output)
    parts = sorted((tmp_path / "out.jsonl.parts").iterdir())
    before = [part.stat().st_mtime_ns for part in parts[:2]]
    manifest = tmp_path / "out.jsonl.manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes() + b'{"shard": 2, "torn')
    (tmp_path / "out.jsonl.4711.unfinished").write_bytes(b"half of it")
    kept: list[list[int]] = []
    monkeypatch.setattr("core.trajectory.run.join", _noting(kept, parts[:2]))
    outcome = compress(source, output)
    assert output.read_bytes() == whole
    assert outcome.taken_up == 2
    assert list(tmp_path.glob("*.unfinished")) == []
    assert kept == [before]
    assert outcome.metrics.total_trajectories == 60


def _noting(kept: list[list[int]], parts: Sequence[Path]) -> Any:
    from core.trajectory.shards.part import join

    def noting(*words: Any) -> int:
        kept.append([part.stat().st_mtime_ns for part in parts])
        return join(*words)

    return noting


def test_another_input_other_options_or_a_changed_file_are_refused(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    compress(source, output)
    with pytest.raises(UsageError, match="target was 900 and is 800"):
        compress(source, output, settings=replace(SETTINGS, target=800))
    with pytest.raises(UsageError, match="had another INPUT"):
        compress(sets.written(tmp_path / "other.jsonl", sets.entries(2, 5)), output)
    sets.written(source, sets.entries(3, 5))
    with pytest.raises(UsageError, match="before it changed"):
        compress(source, output)
    compress(source, output, restart=True)
    assert len(output.read_bytes().splitlines()) == 5


def test_a_finished_run_is_not_done_again(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    first = compress(source, output)
    stamp = output.stat().st_mtime_ns
    second = compress(source, output)
    assert second.taken_up == second.shards
    assert output.stat().st_mtime_ns == stamp
    assert second.metrics == first.metrics
    output.unlink()
    assert compress(source, output).metrics == first.metrics
    assert output.exists()


def test_parts_that_a_stopped_run_did_not_get_to_remove_go_with_the_next(
    source: Path, tmp_path: Path
) -> None:
    output, parts = tmp_path / "out.jsonl", tmp_path / "out.jsonl.parts"
    compress(source, output)
    parts.mkdir()
    (parts / "part-000001.jsonl").write_bytes(b"left")
    assert compress(source, output).taken_up > 1
    assert not parts.exists()


def test_what_cannot_be_compressed_stays_and_is_named_with_its_line(tmp_path: Path) -> None:
    good = sets.entries(4, 8)
    source = sets.written(
        tmp_path / "in.jsonl", [good[0], "no json", *good[1:5], "", '{"conversations": 3}', *good[5:]]
    )
    heard = Heard()
    outcome = compress(source, tmp_path / "out.jsonl", heard, size=2_000, jobs=2)
    assert [(line, what.split(":")[0]) for _, line, what in heard.problems] == [
        (2, "not JSON"),
        (8, "`conversations` is not a list"),
    ]
    lines = (tmp_path / "out.jsonl").read_bytes().split(b"\n")
    assert lines[1] == b"no json"
    assert lines[6] == b""
    assert lines[7] == b'{"conversations": 3}'
    assert (outcome.metrics.total_trajectories, outcome.metrics.trajectories_failed) == (10, 2)


def test_a_folder_gives_a_file_for_each(tmp_path: Path) -> None:
    folder = tmp_path / "sets"
    folder.mkdir()
    for seed in (5, 6):
        sets.written(folder / f"{seed}.jsonl", sets.entries(seed, 6))
    compress(folder, tmp_path / "out", folder=True)
    compress(folder, tmp_path / "one.jsonl")
    written = [(tmp_path / "out" / f"{seed}.jsonl").read_bytes() for seed in (5, 6)]
    assert b"".join(written) == (tmp_path / "one.jsonl").read_bytes()


def test_a_dry_run_writes_nothing(source: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    job = Job(find_input(str(source)).sources, SETTINGS, SummarySpec(), "", dry=True)
    outcome = foresee(job, LocalEngine(1), Heard().listener)
    assert outcome.metrics.trajectories_compressed > 0
    assert sorted(tmp_path.iterdir()) == before


def test_a_sample_keeps_the_order_and_its_size(source: Path, whole: bytes, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    compress(source, output, sample=25.0, seed=3)
    lines = output.read_bytes().splitlines()
    assert len(lines) == 15
    places = [whole.splitlines().index(line) for line in lines]
    assert places == sorted(places)


def test_an_output_that_cannot_be_written_is_one_clear_fault(source: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputFault) as fault:
        compress(source, tmp_path / "in.jsonl" / "out.jsonl")
    assert fault.value.exit_code == 5


def test_a_device_or_a_pipe_is_not_replaced_by_a_file(source: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="a device or a pipe"):
        compress(source, pipe, restart=True)
    assert pipe.is_fifo()


def test_a_full_disk_ends_with_5_and_what_was_finished_is_taken_up_once_there_is_room(
    tmp_path: Path, whole: bytes, source: Path
) -> None:
    """A limit on file size simulates the full disk: the shards are smaller, the output is not."""
    output = tmp_path / "out.jsonl"
    code = "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    code += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(whole) // 2},) * 2); "
    code += "from pathlib import Path; from tests.core.trajectory.test_run import compress; "
    code += "from core.trajectory.run import OutputFault\n"
    code += "try: compress(Path(sys.argv[1]), Path(sys.argv[2]))\n"
    code += "except OutputFault as fault: sys.exit(fault.exit_code)"
    done = subprocess.run([sys.executable, "-c", code, str(source), str(output)], cwd=ROOT, timeout=120)
    assert done.returncode == 5
    assert not output.exists()
    outcome = compress(source, output)
    assert outcome.taken_up == outcome.shards > 1
    assert output.read_bytes() == whole
