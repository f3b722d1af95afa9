"""What the recorder keeps of a real Hermes' requests is what the provider counted, to the token.

HERMES_VENVS names a folder of virtual environments, as `0.19.0`. The second wire needs the SDK of Anthropic
there, or in a folder of PYTHONPATH.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.model.accounting.amounts import Buckets
from core.recordings.read import Recording
from core.store.database.connect import open_readonly
from inspector.cli.main import run

VENVS = Path(os.environ.get("HERMES_VENVS") or "/nowhere")
RELEASES = ("0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2")
BUCKETS = ("input", "output", "cache_read", "cache_write")
PROMPTS, STEPS = 2, 3
WIRES = {"chat_completions": "/v1", "anthropic_messages": ""}


def speaks(hermes: Path, wire: str) -> bool:
    """The environment has the SDK of a wire; Hermes would else install it there."""
    if wire != "anthropic_messages":
        return True
    words = [str(hermes.with_name("python")), "-c", "import anthropic"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def config(port: int, wire: str) -> str:
    return (
        f"model:\n  default: m\n  provider: custom\n  base_url: http://127.0.0.1:{port}{WIRES[wire]}\n"
        f"  api_key: none\n  api_mode: {wire}\n  context_length: 64000\n"
    )


def chat(hermes: Path, folder: Path) -> None:
    env = {**os.environ, "HERMES_HOME": str(folder / "home"), "HOME": str(folder), "NO_COLOR": "1"}
    words = [str(hermes), "chat", "-Q", "-q", "Look.", "--yolo", "-t", "terminal"]
    done = subprocess.run(
        words,
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def recorded(folder: Path) -> list[Buckets | None]:
    """What is kept of the requests of the main loop, as it is read."""
    recording = Recording(folder / "state" / "hermes-inspector")
    with closing(open_readonly(folder / "home" / "state.db")) as connection:
        sessions = tuple(name for (name,) in connection.execute("SELECT id FROM sessions"))
    return [request.usage for request in recording.requests(folder / "home", sessions) if not request.task]


def told(billed: dict[str, Any], release: str) -> Buckets:
    """What a release hands on of it: reasoning since 0.18 only, and none where it is 0."""
    reasoning = billed["reasoning"] if release >= "0.18" else 0
    return Buckets(**{name: billed[name] for name in BUCKETS}, reasoning=reasoning or None)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("wire", WIRES)
def test_recorded_buckets_are_the_provider_s(
    release: str,
    wire: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hermes = VENVS / release / "bin" / "hermes"
    if not hermes.exists() or not speaks(hermes, wire):
        pytest.skip("HERMES_VENVS names no such release, or it has no SDK of that wire")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    home, log = tmp_path / "home", tmp_path / "billed.jsonl"
    home.mkdir()
    (home / "config.yaml").write_text(config(port, wire))
    assert run(["plugin", "install", "--recorder", "--keep-text", "--home", str(home), "--yes"]) == 0
    script = Path(__file__).with_name("metered_model.py")
    server = subprocess.Popen([sys.executable, str(script), str(port), str(STEPS), str(log)])
    time.sleep(0.5)
    try:
        for _ in range(PROMPTS):
            chat(hermes, tmp_path)
    finally:
        server.terminate()
        server.wait()
    billed = [json.loads(line) for line in log.read_text().splitlines()]
    counted = [told(one, release) for one in billed if not one["beside"]]
    assert len(counted) >= PROMPTS * 2
    assert recorded(tmp_path) == counted
    check_shape(home, release, capsys)


def check_shape(home: Path, release: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The newest request is described message by message, and no text is kept that the database holds."""
    capsys.readouterr()
    assert run(["plugin", "request", "--home", str(home), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    if release < "0.16":
        assert told["messages"] is None  # a hook is not shown them there
        return
    if release >= "0.17":  # before, tools are cut
        assert sum(told["tools"]["schemas"].values()) == told["request"]["characters"]["tools"] > 0
    said = [one for one in told["messages"] if one["role"] != "system"]
    rows = [one["row"] for one in said]
    assert len(rows) >= STEPS
    assert rows == sorted(set(rows))
    assert {(one["as_stored"], one["text"]) for one in said} == {(True, None)}
