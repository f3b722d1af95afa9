"""Real releases of Hermes on our engine; HERMES_VENVS names a folder of virtual environments, as `0.19.0`.

A conversation of several processes is held with a scripted model until it has been compacted, and resumed.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.recordings.read import Recording
from inspector.cli.main import run

VENVS = Path(os.environ.get("HERMES_VENVS") or "/nowhere")
RELEASES = ("0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2")
PROMPTS = 5
DONE = re.compile(r"context compression done: .*messages=(\d+)->(\d+)")


@pytest.fixture(params=RELEASES)
def hermes(request: pytest.FixtureRequest) -> Path:
    command: Path = VENVS / str(request.param) / "bin" / "hermes"
    if not command.exists():
        pytest.skip("HERMES_VENVS names no such release")
    return command


@pytest.fixture
def model(tmp_path: Path) -> Iterator[int]:
    """The port of a scripted model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    script = Path(__file__).with_name("scripted_model.py")
    words = [sys.executable, str(script), str(port), "9", str(tmp_path / "requests.jsonl")]
    server = subprocess.Popen(words)
    time.sleep(0.5)
    yield port
    server.terminate()
    server.wait()


def home_for(folder: Path, port: int) -> Path:
    home = folder / "home"
    home.mkdir()
    (home / "config.yaml").write_text(
        "model:\n  default: scripted\n  provider: custom\n"
        f"  base_url: http://127.0.0.1:{port}/v1\n  api_key: none\n  context_length: 64000\n"
        "compression:\n  enabled: true\n"
    )
    return home


def chat(hermes: Path, folder: Path, text: str, *more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HERMES_HOME": str(folder / "home"), "HOME": str(folder), "NO_COLOR": "1"}
    return subprocess.run(
        [str(hermes), "chat", "-Q", "-q", text, "--yolo", "-t", "terminal", *more],
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def compactions(home: Path) -> list[tuple[int, int]]:
    log = (home / "logs" / "agent.log").read_text(errors="replace")
    return [(int(before), int(after)) for before, after in DONE.findall(log)]


def test_a_real_hermes_runs_on_our_engine(
    hermes: Path,
    model: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    home = home_for(tmp_path, model)
    config = (home / "config.yaml").read_bytes()
    where = ["--home", str(home)]
    assert run(["plugin", "install", "--engine", "--recorder", *where, "--yes"]) == 0
    for number in range(PROMPTS):
        done = chat(hermes, tmp_path, f"Look into module {number}.", *(["--continue"] if number else []))
        assert done.returncode == 0, done.stdout + done.stderr
    requests = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text().splitlines()]
    assert sum(request["orphans"] for request in requests) == 0
    happened = compactions(home)
    assert happened
    log = (home / "logs" / "agent.log").read_text(errors="replace")
    assert "Hermes Inspector" not in log  # it warns of its failures alone
    assert _explained(capsys, where) == len(happened)
    _check_recording(tmp_path, home, happened, len(requests))
    assert run(["plugin", "uninstall", *where, "--yes"]) == 0
    assert (home / "config.yaml").read_bytes() == config
    assert chat(hermes, tmp_path, "And without it?", "--continue").returncode == 0


def _explained(capsys: pytest.CaptureFixture[str], where: list[str]) -> int:
    """How many compactions `why` tells of, none of them as a model's work."""
    capsys.readouterr()
    assert run(["why", "latest", *where, "--json"]) == 0
    events: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["events"]
    assert all(event["summary"]["status"] != "model" for event in events)
    return len(events)


def _check_recording(folder: Path, home: Path, happened: list[tuple[int, int]], requests: int) -> None:
    """What was recorded is what happened."""
    import sqlite3

    recording = Recording(folder / "state" / "hermes-inspector")
    connection = sqlite3.connect(f"{recording.path.as_uri()}?mode=ro", uri=True)
    measured = connection.execute("SELECT before, after FROM compactions ORDER BY id").fetchall()
    connection.close()
    assert [before for before, _ in measured] == [before for before, _ in happened]
    extent = recording.extent(home)
    assert 0 < extent.requests <= requests
    assert extent.dropped == 0
