"""A summary over which Hermes was stopped is found in the log, whose lines are read only if one may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.hermes.log import stopped
from core.hermes.log.stopped import stopped_summaries

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
def test_an_attempt_without_an_end_is_looked_into_wherever_its_line_is_cut(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopped, "_BLOCK", block)
    stopped_summaries(home(tmp_path, BEGUN + ENDED + BEGUN + AGAIN), tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir())


def test_the_lines_of_a_log_whose_attempts_all_ended_are_not_read(tmp_path: Path) -> None:
    assert stopped_summaries(home(tmp_path, (BEGUN + ENDED) * 3 + AGAIN), tmp_path / "cache") == frozenset()
    assert not (tmp_path / "cache").exists()
