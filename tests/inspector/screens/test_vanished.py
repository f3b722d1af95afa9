"""A database that is taken away while a conversation of it is open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inspector.conftest import MakeApp
from tests.inspector.driving import press, settled
from tests.inspector.screens.conftest import drawn


@pytest.mark.parametrize(
    ("view", "key"),
    [
        ("map", "o"),
        ("map", "e"),
        ("why", "t"),
        ("why", "c"),
        ("why", "f"),
        *(("why", key) for key in "13456"),
        ("chain", "equals_sign"),
        ("why", "ctrl+f"),
    ],
)
async def test_what_is_opened_then_says_what_is_missing_and_waits_for_nothing(
    app: MakeApp, home: Path, view: str, key: str
) -> None:
    async with settled(running := app(home, session="twice", view=view), 120, 40) as pilot:
        running.live.paused = True
        for file in home.glob("state.db*"):
            file.unlink()
        await press(pilot, key)
        await pilot.resize_terminal(140, 40)
        shown = drawn(pilot)
        assert "no such database" in shown
        assert " …" not in shown
