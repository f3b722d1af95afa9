"""Four questions of a user, answered by the installed program in a real terminal: how many keys, how long."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sample_sessions.demo import demo_home

PATIENCE = 60.0
"""Seconds a busy machine may take."""
PACE = 1 / 30
"""Between two keys of a fast typist."""
TOPIC = "refunds are never retried"

pytestmark = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux on this machine"),
    pytest.mark.skipif(sys.platform == "win32", reason="no such terminal there"),
]


class Terminal:
    """The program in a window of 120 columns and 40 rows, as a user has it.

    Attributes:
        pressed: Keys pressed so far, what was typed as an answer left out.
    """

    def __init__(self, folder: Path, cache: Path) -> None:
        self._name = f"inspector-{os.getpid()}-{folder.name}"
        self.pressed = 0
        late = (time.gmtime().tm_hour - 20) % 24  # it is evening there: "today" holds what the samples spent
        zone = f"TZ=EVE{late - 24 if late > 12 else late}"
        settings = [f"XDG_{name}_HOME={cache}" for name in ("CACHE", "CONFIG", "STATE")]
        command = [
            "env",
            "-u",
            "COLUMNS",
            "-u",
            "LINES",
            *settings,
            zone,
            "HOME=" + str(folder),
            sys.executable,
            "-m",
            "inspector",
            "demo",
        ]
        self._began = time.monotonic()
        self._run("new-session", "-d", "-x", "120", "-y", "40", "-s", "app", *command)

    def press(self, *keys: str) -> None:
        """Press keys one by one, whatever is on the screen."""
        for key in keys:
            self._run("send-keys", "-t", "app", key)
            self.pressed += 1
            time.sleep(PACE)

    def type(self, text: str) -> None:
        """Type an answer."""
        for character in text:
            self._run("send-keys", "-t", "app", "-l", character)
            time.sleep(PACE)

    def until(self, *words: str) -> tuple[str, float]:
        """Wait until all the words are on the screen; the screen, and the seconds since the start."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            shown = " ".join(self._run("capture-pane", "-p", "-t", "app").split())
            if all(word in shown for word in words):
                return shown, time.monotonic() - self._began
            time.sleep(0.1)
        raise AssertionError(f"{words} never appeared:\n{self._run('capture-pane', '-p', '-t', 'app')}")

    def close(self) -> None:
        """End the program and its window."""
        subprocess.run(["tmux", "-L", self._name, "kill-server"], capture_output=True, check=False)

    def _run(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-L", self._name, *words], capture_output=True, text=True, check=True)
        return done.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the samples, and settings that know the first card."""
    folder = tmp_path_factory.mktemp("cache")
    demo_home(folder / "hermes-inspector")
    return folder


@pytest.fixture
def terminal(tmp_path: Path, cache: Path) -> Iterator[Terminal]:
    """The program on the samples, its list on the screen and the first card closed."""
    opened = Terminal(tmp_path, cache)
    try:
        if not (cache / "welcomed").exists():
            opened.until("Any key closes")
            opened.press("Escape")
            (cache / "welcomed").touch()
        opened.until("Webhooks are delivered twice", "1 failed")
        opened.pressed = 0
        yield opened
    finally:
        opened.close()


@pytest.fixture
def report(terminal: Terminal, request: pytest.FixtureRequest) -> Callable[[float], None]:
    """Says what a job took, for whoever runs the tests with `-s`."""

    def tell(seconds: float) -> None:
        words = f"{request.node.name}: {terminal.pressed} keys, {seconds:.1f} s from start"
        sys.stdout.write(f"{words}\n")

    return tell


Report = Callable[[float], None]


def test_why_the_newest_automatic_compaction_fired(terminal: Terminal, report: Report) -> None:
    terminal.press("w")
    _, seconds = terminal.until("Compressed before your message: the request (~153K) had passed the 150K")
    report(seconds)
    assert terminal.pressed <= 2


def test_why_the_failed_one_failed_and_what_helps(terminal: Terminal, report: Report) -> None:
    terminal.press("f")
    _, seconds = terminal.until("Why is the deploy slow", "key was refused (401)", "auxiliary.compression")
    report(seconds)
    assert terminal.pressed <= 2


def test_a_preview_with_a_focus(terminal: Terminal, report: Report) -> None:
    terminal.press("Enter", "3", "f")
    asked = terminal.pressed
    terminal.type(TOPIC)
    terminal.press("Enter")
    _, seconds = terminal.until(TOPIC, "become one summary")
    report(seconds)
    assert asked <= 3


def test_what_today_cost_and_the_largest_cause(terminal: Terminal, report: Report) -> None:
    listed, _ = terminal.until("today ≥$")
    today = listed.split("today ≥")[1].split()[0]
    terminal.press("u")
    _, seconds = terminal.until(f"≥{today} today", "Largest: Webhooks are delivered twice, $", "cache read")
    report(seconds)
    assert terminal.pressed <= 1
