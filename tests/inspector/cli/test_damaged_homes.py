"""Damaged homes from a generator: commands and screens end in time, in one line, with a promised code."""

from __future__ import annotations

import random
import resource
import time
from pathlib import Path

import pytest

from inspector.base.named_screens import PAGES, PLACES, VIEWS
from inspector.cli.main import run
from tests.damaged_homes import DAMAGES, damage, name, sound, tables

COMMANDS = (
    *(("sessions",), ("show", "latest"), ("plan", "latest"), ("compress", "latest"), ("why", "latest")),
    *(("findings",), ("usage",), ("cache", "latest"), ("chain", "latest"), ("search", "ask"), ("doctor",)),
    *(("results", "latest"), ("recall", "latest", "came"), ("status",), ("engines",)),
)
SCREENS = ("sessions", *VIEWS, *PLACES, *PAGES)
PROMISED = (0, 3, 4, 5)
SECONDS, WAITED, KILOBYTES = 20.0, 180.0, 1_000_000
"""For one command: of work, and by the clock of a machine that is busy with others."""

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
