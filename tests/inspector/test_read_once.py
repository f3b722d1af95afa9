"""A command that says much of one conversation reads it and its configuration once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COUNTING = """
import collections, contextlib, io, json, sys
opened, rows = collections.Counter(), collections.Counter()

def heard(event, arguments):
    if event == "open" and str(arguments[0]).startswith(sys.argv[-1]):
        opened[str(arguments[0]).removeprefix(sys.argv[-1]).lstrip("/")] += 1

sys.addaudithook(heard)
from core.store import store
from core.store.conversations import conversation

def counted(name, read):
    def call(*arguments, **options):
        rows.update(arguments[2] if name == "messages" else [name])
        return read(*arguments, **options)
    return call

store.read_messages = counted("messages", store.read_messages)
conversation.read_segments = counted("outlines", conversation.read_segments)
from inspector.cli.main import run
with contextlib.redirect_stdout(io.StringIO()):
    code = run(sys.argv[1:])
print(json.dumps([code, opened, rows.pop("outlines"), sorted(set(rows.values()))]))
"""


@pytest.mark.parametrize(
    "title", ["Refactor the auth module", "Port the parser to Rust", "Spare parts for the heat pump"]
)
@pytest.mark.parametrize("command", ["export", "findings"])
def test_everything_is_read_once(sample_home: Path, command: str, title: str) -> None:
    call = [sys.executable, "-c", COUNTING, command, title, "--json", "--home", str(sample_home)]
    done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, check=True)
    code, opened, outlines, often = json.loads(done.stdout)
    assert code == 0
    assert outlines == 1
    assert often == [1]
    assert [times for name, times in opened.items() if name.endswith("config.yaml")] == [1]
    assert {times for name, times in opened.items() if name.endswith(".log")} == {1}
