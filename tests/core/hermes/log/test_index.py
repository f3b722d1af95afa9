"""Whether a log begins an attempt that it does not end is told by its bytes alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.hermes.log import index
from core.hermes.log.index import may_be_open

START = "2026-05-28 10:00:00,000 INFO [s] agent.context_compressor: "
BEGUN = f"{START}context compression started: session=s messages=40 tokens=~90,000 model=m focus=None\n"
ENDED = f"{START}context compression done: session=s messages=40->12 tokens=~30,000\n"
AGAIN = """2026-05-28 10:09:00,000 INFO hermes_cli.main: Hermes Agent v0.22.2 starting
2026-05-28 10:09:05,000 INFO [s] agent.turn_context: conversation turn: session=s model=m history=40
"""


def home(tmp_path: Path, text: str) -> Path:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "agent.log").write_text(text)
    return tmp_path


@pytest.mark.parametrize("block", [1, 7, 64, 4096])
def test_an_attempt_without_an_end_is_found_wherever_its_line_is_cut(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_BLOCK", block)
    assert may_be_open(home(tmp_path, BEGUN + ENDED + BEGUN + AGAIN))


def test_a_log_whose_attempts_all_ended_holds_none(tmp_path: Path) -> None:
    assert not may_be_open(home(tmp_path, (BEGUN + ENDED) * 3 + AGAIN))
