"""Whole frames, compared with those stored next to this file. `pytest --snapshot-update` accepts changes."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.widgets.bars.answer_and_keys import KeyBar
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import settle

Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def _one_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same hours on every machine."""
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()


def after(*keys: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def press(pilot: Pilot[None]) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        # The keys have tests of their own; a new command must not change every frame.
        pilot.app.screen.query_one(KeyBar).display = False
        await pilot.pause()

    return press


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=["80x24", "120x40", "200x60"])
def test_the_session_list(app: MakeApp, home: Path, snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app(home), terminal_size=size, run_before=after("j"))


@pytest.mark.parametrize("theme", ["hermes-light", "hermes-safe"])
def test_the_session_list_in_other_themes(
    app: MakeApp, home: Path, snap_compare: Compare, theme: str
) -> None:
    assert snap_compare(app(home, theme=theme), terminal_size=(100, 20), run_before=after("j", "space"))


def test_the_session_list_without_colour(
    app: MakeApp, home: Path, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(app(home), terminal_size=(100, 20), run_before=after("j"))
