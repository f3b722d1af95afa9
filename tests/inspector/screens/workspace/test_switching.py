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


@pytest.mark.parametrize("view", ["map", "why"])
async def test_a_conversation_that_was_left_is_let_go(samples: Location, view: str) -> None:
    with Store(samples) as store:
        ids = [row.tip.id for row in store.conversations().rows][:9]
    app = InspectorApp([samples], now=lambda: NOW)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for one in ids:
            app.open_conversation(samples, one, view=view)
            await settle(pilot)
            await press(pilot, "escape")
        gc.collect()
        held = [one for one in gc.get_objects() if isinstance(one, WorkspaceScreen)]
        assert len(held) <= 4  # those of the last half second may still be at work
