"""Going through many conversations takes no more memory than a few."""

from __future__ import annotations

import gc

import pytest
from textual._styles_cache import StylesCache
from textual.widget import Widget

from core.store.database.locate import Location
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.screens.workspace.screen import WorkspaceScreen
from tests.conftest import NOW
from tests.inspector.driving import press, settle, settled

FEW, MANY, PATIENCE = 4, 40, 30


@pytest.mark.parametrize("view", ["map", "why"])
async def test_a_conversation_that_was_left_is_released(samples: Location, view: str) -> None:
    with Store(samples) as store:
        ids = [row.tip.id for row in store.conversations().rows][:9]
    app, before = InspectorApp([samples], now=lambda: NOW), held()
    async with settled(app, 100, 30) as pilot:
        for one in ids:
            app.open_conversation(samples, one, view=view)
            await settle(pilot)
            await press(pilot, "escape")
        for _ in range(PATIENCE):  # a timer that was stopped holds its screen to its end
            if held() - before <= FEW and drawn_of_others() <= MANY:
                break
            await pilot.pause(0.2)
        assert held() - before <= FEW
        assert drawn_of_others() <= MANY


def held() -> int:
    """Screens of conversations anywhere in this process."""
    gc.collect()
    return sum(isinstance(one, WorkspaceScreen) for one in gc.get_objects())


def drawn_of_others() -> int:
    """Widgets that are gone and whose lines are still held as they were drawn."""
    there = gc.get_objects()
    own = {id(one._styles_cache) for one in there if isinstance(one, Widget)}
    return sum(isinstance(one, StylesCache) and id(one) not in own for one in there)
