"""A cluster of two workers gives the bytes that one process gives, also when a worker is killed."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError
from core.trajectory.compress.plan import Settings
from core.trajectory.engines.local import LocalEngine
from core.trajectory.engines.ray_cluster import RayEngine
from core.trajectory.input.sources import find_input
from core.trajectory.run import Listener, Target, run
from core.trajectory.shards.job import Job
from core.trajectory.summaries.base import FILE, SummarySpec
from tests.core.trajectory import sets

QUIET = Listener(lambda *done: None, lambda *problem: None, lambda result: None)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("ray")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    words = ["start", "--head", "--block", "--node-ip-address=127.0.0.1", f"--port={port}", "--num-cpus=2"]
    words += ["--include-dashboard=false", "--disable-usage-stats"]
    head = subprocess.Popen(
        [sys.executable, "-m", "ray.scripts.scripts", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(port)
        yield f"127.0.0.1:{port}"
    finally:
        head.send_signal(signal.SIGTERM)
        head.wait(60)


def _wait_for(port: int) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                time.sleep(5)
                return
        time.sleep(0.5)
    pytest.skip("no cluster came up in time")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return sets.written(tmp_path / "in.jsonl", sets.entries(7, 400))


def compress(source: Path, name: str, engine: Any) -> bytes:
    output = source.with_name(name)
    target = Target(str(output), folder=False, keep_parts=False)
    settings = Settings(release="0.22", target=900, summary_target=60)
    summary = SummarySpec(FILE, text="All went well.")
    job = Job(find_input(str(source)).sources, settings, summary, target.parts, size=100_000)
    run(job, target, engine, QUIET, restart=False)
    return output.read_bytes()


def test_a_cluster_gives_the_bytes_of_one_process(source: Path, cluster: str) -> None:
    alone = compress(source, "alone.jsonl", LocalEngine(1))
    assert compress(source, "cluster.jsonl", RayEngine(cluster)) == alone


def test_a_worker_that_is_killed_half_way_costs_nothing_but_time(
    source: Path, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = compress(source, "alone.jsonl", LocalEngine(1))
    stop = threading.Event()
    killed: list[int] = []
    killer = threading.Thread(target=_kill_workers, args=(stop, killed))
    killer.start()
    try:
        assert compress(source, "cluster.jsonl", RayEngine(cluster)) == alone
    finally:
        stop.set()
        killer.join()
    assert killed
    assert not capsys.readouterr().out  # where --json goes


def _kill_workers(stop: threading.Event, killed: list[int]) -> None:
    while not stop.is_set() and len(killed) < 2:
        found = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _is_ours(pid)]
        if found:
            pid = random.choice(found)
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        time.sleep(0.3)


def _is_ours(pid: int) -> bool:
    """Whether a process is a worker of Ray in the middle of one of our shards."""
    try:
        return b"ray::compress_shard" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_without_ray_or_without_a_cluster_there_is_one_clear_line(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match="needs Ray"):
        compress(source, "out.jsonl", RayEngine("auto"))
