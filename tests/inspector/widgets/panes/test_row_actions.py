"""The menu of what can be done with a row, and the key that writes a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.widgets.panes.row_actions import ActionList, ActionsScreen
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import press, settled


def offered(screen: ActionsScreen) -> list[str]:
    listing = screen.query_one(ActionList)
    found = (listing.rows.row(place) for place in range(listing.rows.count))
    return [row.command.id for row in found if row is not None]


async def test_the_menu_of_a_conversation_names_all_that_can_be_done_with_it(
    app: MakeApp, home: Path
) -> None:
    async with settled(running := app(home), 100, 30) as pilot:
        await press(pilot, "full_stop")
        assert isinstance(running.screen, ActionsScreen)
        named = offered(running.screen)
        wanted = {"list.open", "sessions.why", "sessions.preview", "sessions.report", "page.copy"}
        assert wanted <= set(named)
        assert "list.down" not in named
        await press(pilot, "escape")
        assert isinstance(running.screen, SessionsScreen)


@pytest.mark.parametrize(("keys", "tab"), [(["w"], 1), (["p"], 2)])
async def test_a_key_of_the_menu_does_what_it_says(
    app: MakeApp, home: Path, keys: list[str], tab: int
) -> None:
    async with settled(running := app(home), 100, 30) as pilot:
        await press(pilot, "full_stop", *keys)
        assert isinstance(running.screen, WorkspaceScreen)
        assert running.screen._active == tab


async def test_enter_takes_the_action_under_the_cursor(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 100, 30) as pilot:
        await press(pilot, "full_stop")
        await press(pilot, "enter")
        assert isinstance(running.screen, WorkspaceScreen)


async def test_f12_writes_a_picture_of_the_screen(
    app: MakeApp, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    monkeypatch.chdir(folder)
    async with settled(app(home), 100, 30) as pilot:
        await press(pilot, "f12")
        assert [path.suffix for path in sorted(folder.iterdir())][-1:] == [".svg"]
