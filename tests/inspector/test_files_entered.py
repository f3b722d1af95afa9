"""How many files a reader enters to follow a command: those of which a function runs, imports not counted."""

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
from inspector.__main__ import main
code = main()
sys.setprofile(None)
ours = {file for file in entered if any(file.startswith(f"{root}/{room}/") for room in ("core", "inspector"))}
print(f"{code} {len(ours)}", file=sys.stderr)
"""


@pytest.mark.parametrize(("command", "most"), [("plan", 93), ("findings", 159), ("export", 168)])
def test_following_a_command_takes_no_more_files_than_this(
    sample_home: Path, command: str, most: int
) -> None:
    words = [command, "latest", "--json", "--home", str(sample_home)]
    call = [sys.executable, "-c", COUNTING, str(ROOT), *words]
    done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, check=True)
    code, entered = done.stderr.split()[-2:]
    assert code == "0"
    assert 0 < int(entered) <= most
