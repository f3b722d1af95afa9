from __future__ import annotations

from pathlib import Path

import pytest

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.sessions.data.column_sets import GAP, SETS, layout
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.settings.state import RememberedState
from tests.conftest import NOW
from tests.inspector.screens.conftest import press, settle


@pytest.mark.parametrize("chosen", SETS)
@pytest.mark.parametrize("width", [40, 58, 76, 80, 104, 120, 160, 200, 240])
def test_the_columns_of_every_set_fit_every_width_and_the_title_is_there(chosen: str, width: int) -> None:
    shown = layout(width, profiles=True, chosen=chosen)
    assert sum(cells for _, cells in shown) + GAP * (len(shown) - 1) == width
    assert "conversation" in [column.title for column, _ in shown]
    assert shown[0][0].title == "last"


def test_sixty_columns_have_room_for_the_size_of_a_conversation() -> None:
    titles = [column.title for column, _ in layout(57)]
    assert titles == ["last", "conversation", "context used", "cost"]


def test_the_buckets_are_there_at_eighty_columns_for_who_asks() -> None:
    titles = [column.title for column, _ in layout(80, chosen="tokens")]
    assert titles == ["last", "conversation", "uncached", "read", "write", "output", "hit", "cost"]


async def test_columns_and_tab_are_the_same_in_the_next_run(samples: Location, tmp_path: Path) -> None:
    def app() -> InspectorApp:
        state = RememberedState(tmp_path / "app.json")
        state.remember("welcomed", True)
        return InspectorApp([samples], state=state, now=lambda: NOW)

    first = app()
    async with first.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "c", "enter")
        await press(pilot, "5")
    second = app()
    async with second.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert second.screen.query_one(SessionsList).columns == "tokens"
        await press(pilot, "enter")
        assert isinstance(second.screen, WorkspaceScreen)
        assert second.screen.view is not None
        assert type(second.screen.view).__name__ == "CacheView"
