"""Damaged homes from a generator: commands and screens end in time, in one line, with a promised code."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inspector.base.named_screens import PAGES, PLACES, VIEWS
from inspector.cli.main import run
from tests.damaged_homes import DAMAGES, Damage, damage, large, name, sound, tables

COMMANDS = (
    *(("sessions",), ("show", "latest"), ("plan", "latest"), ("compress", "latest"), ("why", "latest")),
    *(("findings",), ("usage",), ("cache", "latest"), ("chain", "latest"), ("search", "ask"), ("doctor",)),
    *(("results", "latest"), ("recall", "latest", "came"), ("status",), ("engines",)),
)
SCREENS = ("sessions", *VIEWS, *PLACES, *PAGES)
PROMISED = (0, 3, 4, 5)
SECONDS, WAITED, KILOBYTES = 20.0, 180.0, 1_000_000
"""For one command: of work, and by the clock of a machine that is busy with others."""

MEASURED = """
import sys, time
from pathlib import Path
from inspector.cli.main import run
code = run(sys.argv[1:])
peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
print(time.process_time(), peak, file=sys.stderr)
sys.exit(code)
"""
"""A command, then its seconds and kilobytes; those of a child that is waited for count its parent's too."""

each_damage = pytest.mark.parametrize("seed", range(len(DAMAGES)), ids=lambda seed: name(DAMAGES[seed]))


@each_damage
def test_every_reading_command_ends_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    home = sound(tmp_path / "home")
    damage(home, seed)
    beside = set(home.glob("state.db*"))
    for command in COMMANDS:
        began, worked = time.monotonic(), time.process_time()
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        code = run([*command, "--home", str(home), "--json"])
        said = capsys.readouterr()
        assert code in PROMISED, (command, said.err)
        assert "Traceback" not in said.err
        assert len(said.err.splitlines()) <= 1, (command, said.err)
        assert said.out if code == 0 else "error" in said.err + said.out
        assert time.process_time() - worked < SECONDS, command
        assert time.monotonic() - began < WAITED, command
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held < KILOBYTES, command
    assert set(home.glob("state.db*")) == beside
    home.chmod(0o700)


@each_damage
def test_a_frame_of_any_screen_is_drawn_or_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    home = sound(tmp_path / "home")
    damage(home, seed)
    screen = random.Random(seed).choice(SCREENS)
    began, worked = time.monotonic(), time.process_time()
    frame = str(tmp_path / "frame.svg")
    code = run(["--home", str(home), "--screen", screen, "--session", "latest", "--screenshot", frame])
    assert code in PROMISED, (screen, capsys.readouterr().err)
    assert time.process_time() - worked < SECONDS
    assert time.monotonic() - began < WAITED
    home.chmod(0o700)


@pytest.mark.parametrize("seed", range(3))
def test_findings_says_once_why_every_conversation_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    home = sound(tmp_path / "home")
    for broken in (tables._names_for_rows, tables._collation):
        broken(home, random.Random(seed))
    assert run(["findings", "--home", str(home)]) in PROMISED
    assert len(capsys.readouterr().err.splitlines()) <= 1


@pytest.mark.skipif("HERMES_LARGE" not in os.environ, reason="HERMES_LARGE=1 makes homes of gigabytes")
@pytest.mark.parametrize(
    "chosen", [large._title, large._nested, large._made_title, large._log_line, large._many], ids=name
)
def test_what_is_far_too_large_ends_within_ten_seconds_and_half_a_gigabyte(
    tmp_path: Path, chosen: Damage
) -> None:
    home = sound(tmp_path / "home")
    chosen(home, random.Random(1))
    for command in COMMANDS:
        words = [*(("a" if word == "latest" else word) for word in command), "--home", str(home), "--json"]
        done = subprocess.run([sys.executable, "-c", MEASURED, *words], capture_output=True, check=False)
        seconds, kilobytes = map(float, done.stderr.split()[-2:])
        assert done.returncode in PROMISED, command
        assert seconds < 10, command
        assert kilobytes < 500_000, command
