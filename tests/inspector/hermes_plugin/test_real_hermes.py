"""Real releases of Hermes on our engine; HERMES_VENVS names a folder of virtual environments, as `0.19.0`.

Four prompts in four processes and one long turn are held with a scripted model, on our engine and also on
the built-in one; `-rP` shows the figures of both.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
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
PROMPTS, STEPS, LONG = 4, 22, 30
"""Prompts, each in a process of its own; tool calls of each; tool calls of the long turn."""
PRICE = 3e-6, 15e-6
"""Dollars a token, in and out, no cache: what the script would cost with a model of that price."""
Capture = pytest.CaptureFixture[str]
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
    words = [sys.executable, str(script), str(port), str(STEPS), str(tmp_path / "requests.jsonl")]
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


def requests_of(folder: Path, *, auxiliary: bool = False) -> list[dict[str, Any]]:
    """The requests of the main loop, or the side ones, oldest first."""
    rows = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    return [row for row in rows if row["auxiliary"] == auxiliary]


def converse(hermes: Path, folder: Path) -> list[int]:
    """Hold the conversation; how many compactions there were by the end of each process."""
    home, counted = folder / "home", []
    prompts = [f"Look into module {number}." for number in range(PROMPTS)]
    for number, text in enumerate((*prompts, f"Now all of it, in {LONG} steps.")):
        done = chat(hermes, folder, text, *(["--continue"] if number else []))
        assert done.returncode == 0, done.stdout + done.stderr
        counted.append(len(compactions(home)))
    return counted


def price(row: dict[str, Any]) -> float:
    """Of one request with its answer, in dollars."""
    return float(row["tokens"] * PRICE[0] + row["output"] * PRICE[1])


def figures(folder: Path, name: str, counted: list[int]) -> dict[str, Any]:
    """Compactions, calls, tokens, dollars at `PRICE`, and the share of facts each compaction kept."""
    from core.preview.past import past_event
    from core.store.database.locate import Location
    from core.store.store import Store

    home, sent, beside = folder / "home", requests_of(folder), requests_of(folder, auxiliary=True)
    place = Location(db=home / "state.db", home=home)
    connection = sqlite3.connect(f"{place.db.as_uri()}?mode=ro", uri=True)
    [newest] = connection.execute("SELECT id FROM sessions ORDER BY started_at DESC LIMIT 1").fetchone()
    connection.close()
    with Store(place) as store:
        conversation = store.conversation(newest)
    past = [past_event(place, conversation, one, lambda: False) for one in conversation.generations[:-1]]
    scores = [one.retention.score for one in past if one is not None and one.retention is not None]
    return {
        "engine": name,
        "compactions": counted,
        "calls": len(sent),
        "tokens": sum(row["tokens"] for row in sent),
        "beside": sum(row["tokens"] for row in beside),
        "dollars": round(
            sum(row["tokens"] * PRICE[0] + row["output"] * PRICE[1] for row in sent + beside), 4
        ),
        "largest": max(row["tokens"] for row in sent),
        "retention": [None if score is None else round(score, 2) for score in scores],
        "sizes": compactions(home),
    }


def planned(generation: int, warm: bool, where: list[str], capsys: Capture) -> dict[str, Any]:
    """What we say a compaction of a generation leaves."""
    again = ["--warm"] if warm else []
    capsys.readouterr()
    assert run(["compress", "latest", "--generation", str(generation), *again, *where, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def requests_as_planned(folder: Path, counted: list[int], where: list[str], capsys: Capture) -> int:
    """How many compactions left what we say, with a request after each that holds just that.

    In the middle of a turn a release that rotates has not stored all it compacts: those are passed over.
    """
    sizes, first = compactions(folder / "home"), {0, *counted}  # of a process
    every = [planned(i + 1, i not in first, where, capsys) for i in range(len(sizes))]
    told = [(one, size) for one, size in zip(every, sizes, strict=True) if one["before_messages"] == size[0]]
    assert [one["after_messages"] for one, _ in told] == [after for _, (_, after) in told]
    kept = [[row["tool_call_id"] for row in one["after"] if row["role"] == "tool"] for one, _ in told]
    sent = (row["results"] for row in requests_of(folder))
    assert [results for results in kept if results not in sent] == []  # each behind the one before
    return len(told)


def test_a_real_hermes_runs_on_our_engine(
    hermes: Path,
    model: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    home = home_for(tmp_path, model)
    config = (home / "config.yaml").read_bytes()
    where = ["--home", str(home)]
    assert run(["plugin", "install", "--engine", "--recorder", *where, "--yes"]) == 0
    counted = converse(hermes, tmp_path)
    requests = (tmp_path / "requests.jsonl").read_text().splitlines()
    assert sum(json.loads(line)["orphans"] for line in requests) == 0
    happened = compactions(home)
    assert counted[PROMPTS - 1] >= 3  # and a process that took each up
    assert len(happened) > counted[PROMPTS - 1]  # the long turn has its own
    assert requests_as_planned(tmp_path, counted, where, capsys) >= 3
    log = (home / "logs" / "agent.log").read_text(errors="replace")
    assert "Hermes Inspector" not in log  # it warns of its failures alone
    assert [line for line in log.splitlines() if " ERROR " in line] == []
    assert _explained(capsys, where) == len(happened)
    _check_recording(tmp_path, home, happened, len(requests))
    sys.stdout.write(f"{json.dumps(figures(tmp_path, 'inspector', counted))}\n")
    assert run(["plugin", "uninstall", *where, "--yes"]) == 0
    assert (home / "config.yaml").read_bytes() == config
    assert chat(hermes, tmp_path, "And without it, in 1 steps?", "--continue").returncode == 0


def test_the_built_in_engine_on_the_same_script(hermes: Path, model: int, tmp_path: Path) -> None:
    home_for(tmp_path, model)
    counted = converse(hermes, tmp_path)
    found = figures(tmp_path, "built-in", counted)
    sys.stdout.write(f"{json.dumps(found)}\n")
    assert found["calls"] >= PROMPTS * (STEPS + 1) + LONG + 1


def _explained(capsys: Capture, where: list[str]) -> int:
    """How many compactions `why` reports, none of them as a model's work."""
    capsys.readouterr()
    assert run(["why", "latest", *where, "--json"]) == 0
    events: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["events"]
    assert all(event["summary"]["status"] != "model" for event in events)
    return len(events)


def _check_recording(folder: Path, home: Path, happened: list[tuple[int, int]], requests: int) -> None:
    """What was recorded is what happened."""
    recording = Recording(folder / "state" / "hermes-inspector")
    connection = sqlite3.connect(f"{recording.path.as_uri()}?mode=ro", uri=True)
    measured = connection.execute("SELECT before, after FROM compactions ORDER BY id").fetchall()
    connection.close()
    assert [before for before, _ in measured] == [before for before, _ in happened]
    extent = recording.extent(home)
    assert 0 < extent.requests <= requests
    assert extent.dropped == 0
