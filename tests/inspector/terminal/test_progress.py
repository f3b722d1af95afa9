"""While a model writes, a terminal shows that it does; nothing else is written to."""

from __future__ import annotations

import io

import pytest

from core.compress.summarise.base import RESTART, Endpoint
from inspector.terminal import progress as module
from inspector.terminal.progress import progress

SMALL = Endpoint("api.example.org", "small\x1b[31m", local=False)


class Terminal(io.StringIO):
    """A standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


def test_the_line_counts_seconds_and_characters_and_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr(module, "_EVERY", 0.0)
    with progress(SMALL) as line:
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
    with progress(endpoint) as line:
        assert line.on_text is None
        assert line.cancelled is None
    assert shown.getvalue() == ""
