"""What a terminal shows while a command works."""

from __future__ import annotations

import io
import time

import pytest

from core.compress.summarise.base import RESTART, Endpoint
from inspector.terminal import waiting

SMALL = Endpoint("api.example.org", "small\x1b[31m", local=False)


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


def test_the_line_counts_seconds_and_characters_and_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr(waiting, "_EVERY", 0.0)
    with waiting.progress(SMALL) as line:
        assert line.on_text is not None
        assert line.cancelled is not None
        line.on_text("twelve chars")
        assert line.cancelled() is False
        line.on_text(RESTART)
        line.on_text("four")
        line.cancelled()
    assert "[31m is writing: 0 s, 12 characters so far" in shown.getvalue()
    assert "0 s, 4 characters so far" in shown.getvalue()
    assert shown.getvalue().endswith("\r\x1b[K")
    assert "\x1b[31m" not in shown.getvalue()


@pytest.mark.parametrize("endpoint", [None, SMALL])
def test_where_nobody_watches_nothing_is_written_or_streamed(
    monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint | None
) -> None:
    shown = Terminal() if endpoint is None else io.StringIO()
    monkeypatch.setattr("sys.stderr", shown)
    with waiting.progress(endpoint) as line:
        assert line.on_text is None
        assert line.cancelled is None
    assert shown.getvalue() == ""
