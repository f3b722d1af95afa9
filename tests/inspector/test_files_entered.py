"""How many files a reader enters to follow a command or a key: those that run, not the imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COUNTING = """
import pathlib, sys, threading
root, entered, named = sys.argv.pop(1), set(), 1  # the flag of code that has a name of its own: no class body

def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_flags & named and code.co_name[0] != "<":
        entered.add(code.co_filename)

threading.setprofile(note)
sys.setprofile(note)
{followed}
sys.setprofile(None)
rooms = tuple(f"{{root}}/{{room}}/" for room in ("core", "inspector"))
ours = {{file for file in entered if file.startswith(rooms)}}
print(f"{{code}} {{len(ours)}}", file=sys.stderr)
"""
COMMAND = """
from inspector.cli.main import main
code = main()
"""
FOCUS = """
import asyncio
from textual.message_pump import MessagePump
from core.store.database.locate import locate
from inspector import screenshot
from tests.inspector.driving import press, settled
from tests.inspector.screens.conftest import open_app

repeat = MessagePump.set_interval
MessagePump.set_interval = lambda host, _, *does, **so: repeat(host, 999, *does, **so)  # no clocks

async def follow():
    samples = locate(home=sys.argv[1], profile="default")[0]
    app = open_app(samples, "Split the tenant settings table", "preview")
    app.live.paused = True
    async with settled(app, 140, 40) as pilot:
        await press(pilot, "f", *"settings")
        entered.clear()
        await press(pilot, "enter")
        return 0, entered - {screenshot.__file__}  # in it the test waits

code, entered = asyncio.run(follow())
"""


def entered(followed: str, *words: str) -> int:
    call = [sys.executable, "-c", COUNTING.format(followed=followed), str(ROOT), *words]
    done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, check=True)
    code, files = done.stderr.split()[-2:]
    assert code == "0"
    return int(files)


@pytest.mark.parametrize(("command", "most"), [("plan", 75), ("findings", 153), ("export", 167)])
def test_following_a_command_takes_no_more_files_than_this(
    sample_home: Path, command: str, most: int
) -> None:
    assert 0 < entered(COMMAND, command, "latest", "--json", "--home", str(sample_home)) <= most


def test_following_a_topic_typed_into_the_preview_takes_no_more_files_than_this(sample_home: Path) -> None:
    assert 0 < entered(FOCUS, str(sample_home)) <= 78
