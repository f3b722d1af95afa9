"""Going through many conversations takes no more memory than a few."""

from __future__ import annotations

import gc

import pytest

from core.store.database.locate import Location
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.screens.workspace.screen import WorkspaceScreen
from tests.conftest import NOW
from tests.inspector.driving import press, settle

FEW, PATIENCE = 4, 40


@pytest.mark.parametrize("view", ["map", "why"])
async def test_a_conversation_that_was_left_is_let_go(samples: Location, view: str) -> None:
    with Store(samples) as store:
        ids = [row.tip.id for row in store.conversations().rows][:9]
    app, before = InspectorApp([samples], now=lambda: NOW), held()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for one in ids:
            app.open_conversation(samples, one, view=view)
            await settle(pilot)
            await press(pilot, "escape")
        for _ in range(PATIENCE):  # those of the last moments may still be at work
            if held() - before <= FEW:
                break
            await pilot.pause(0.2)
        assert held() - before <= FEW


def held() -> int:
    """Screens of conversations anywhere in this process."""
    gc.collect()
    return sum(isinstance(one, WorkspaceScreen) for one in gc.get_objects())
