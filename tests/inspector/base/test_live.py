"""How often what Hermes writes is read again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from inspector.base import live


def test_one_dear_reading_holds_nothing_up_and_many_do(monkeypatch: pytest.MonkeyPatch) -> None:
    now = SimpleNamespace(at=100.0, spent=0.0)
    clock = SimpleNamespace(monotonic=lambda: now.at, process_time=lambda: now.spent)
    for name, value in (("time", clock), ("in_sight", lambda host: True), ("at_work", lambda host: False)):
        monkeypatch.setattr(live, name, value)
    host: Any = None
    rhythm = live.Rhythm(host)

    def waited(cost: float, idle: float = 0.0) -> float:
        rhythm.begin()
        now.spent += cost
        began = float(now.at)
        while not rhythm.due:
            now.at += 0.01
        took = float(now.at) - began
        now.at, now.spent = now.at + idle, now.spent + idle
        return took

    assert [waited(0.05) for _ in range(9)][-1] == pytest.approx(live.MIN_PAUSE, abs=0.02)
    assert waited(0.2) == pytest.approx(live.MIN_PAUSE, abs=0.02)
    assert waited(0.05, idle=3600) == pytest.approx(live.MIN_PAUSE, abs=0.02)
    assert waited(0.05) == pytest.approx(live.MIN_PAUSE, abs=0.02)
    assert [waited(0.2) for _ in range(20)][-1] == pytest.approx(0.2 * live.SHARE, abs=0.05)
