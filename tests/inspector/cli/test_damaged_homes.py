"""Damaged homes from a generator: every reading command ends in time, in one line, with a promised code."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from inspector.base.named_screens import PAGES, PLACES, VIEWS
from inspector.cli.main import run
from tests.damaged_homes import DAMAGES, damage, sound

COMMANDS = (
    *(("sessions",), ("show", "latest"), ("plan", "latest"), ("compress", "latest"), ("why", "latest")),
    *(("findings",), ("usage",), ("cache", "latest"), ("chain", "latest"), ("search", "ask"), ("doctor",)),
)
SCREENS = ("sessions", *VIEWS, *PLACES, *PAGES)
PROMISED = (0, 3, 4, 5)
SECONDS = 60.0
"""For one command, on a machine that is busy with others; alone each takes a fraction of one."""


@pytest.mark.parametrize("seed", range(len(DAMAGES)), ids=lambda seed: DAMAGES[seed].__name__.strip("_"))
def test_every_reading_command_ends_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    home = sound(tmp_path / "home")
    damage(home, seed)
    for command in COMMANDS:
        began = time.monotonic()
        code = run([*command, "--home", str(home), "--json"])
        said = capsys.readouterr()
        assert code in PROMISED, (command, said.err)
        assert "Traceback" not in said.err
        assert said.out if code == 0 else "error" in said.err + said.out
        assert time.monotonic() - began < SECONDS, command
    home.chmod(0o700)


@pytest.mark.parametrize("seed", range(len(DAMAGES)), ids=lambda seed: DAMAGES[seed].__name__.strip("_"))
def test_a_frame_of_any_screen_is_drawn_or_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    home = sound(tmp_path / "home")
    damage(home, seed)
    screen = random.Random(seed).choice(SCREENS)
    began = time.monotonic()
    frame = str(tmp_path / "frame.svg")
    code = run(["--home", str(home), "--screen", screen, "--session", "latest", "--screenshot", frame])
    assert code in PROMISED, (screen, capsys.readouterr().err)
    assert time.monotonic() - began < SECONDS
    home.chmod(0o700)
