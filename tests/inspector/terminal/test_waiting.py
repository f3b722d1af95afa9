"""What a terminal shows while a command works."""

from __future__ import annotations

import io
import time

import pytest

from inspector.terminal import waiting


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, animations: str) -> str:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(waiting, "PATIENCE", 0.01)
    monkeypatch.setattr(waiting, "_EVERY", 0.01)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", animations)
    with waiting.waiting("reading"):
        time.sleep(0.3)
    return stream.getvalue()


def test_long_work_says_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "reading" in shown(monkeypatch, "full")


def test_without_animations_no_line_is_drawn_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, "none") == ""


def test_the_line_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_columns", lambda: 12)
    assert "readi · 0 s" in shown(monkeypatch, "full")
