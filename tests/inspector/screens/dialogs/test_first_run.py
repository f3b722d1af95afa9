"""The card a new user sees first."""

from __future__ import annotations

from pathlib import Path

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.dialogs.first_run import FirstRunScreen
from inspector.screens.sessions.list_view import SessionsList
from inspector.settings.state import RememberedState
from tests.conftest import NOW
from tests.inspector.driving import press, settle, settled
from tests.inspector.screens.conftest import drawn


async def test_the_first_card_is_closed_by_any_key_and_not_shown_again(
    samples: Location, tmp_path: Path
) -> None:
    state = RememberedState(tmp_path / "app.json")
    async with settled(first := InspectorApp([samples], now=lambda: NOW, state=state), 120, 40) as pilot:
        assert isinstance(first.screen, FirstRunScreen)
        await press(pilot, "q")
        await press(pilot, "T", "s")
    async with settled(second := InspectorApp([samples], now=lambda: NOW, state=state), 120, 40) as pilot:
        assert not isinstance(second.screen, FirstRunScreen)
        assert second.theme == first.theme
        assert second.theme != InspectorApp([samples]).theme
        assert state.read("sort") == "cost"


async def test_the_list_has_the_keys_after_the_card_where_the_terminal_had_no_focus_at_first(
    samples: Location, tmp_path: Path
) -> None:
    app = InspectorApp([samples], now=lambda: NOW, state=RememberedState(tmp_path / "app.json"))
    async with settled(app, 120, 40) as pilot:
        app.screen_stack[-2].set_focus(None)  # as a terminal without focus leaves it
        await pilot.click(offset=(60, 38))
        await settle(pilot)
        assert isinstance(app.focused, SessionsList)


async def test_the_jobs_on_the_card_over_the_list_are_done_by_their_keys(
    samples: Location, tmp_path: Path
) -> None:
    app = InspectorApp([samples], now=lambda: NOW, state=RememberedState(tmp_path / "app.json"))
    async with settled(app, 80, 24) as pilot:
        await press(pilot, "w")
        await settle(pilot)
        assert "Compressed before your message" in drawn(pilot)
