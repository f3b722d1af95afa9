"""A database that is taken away while a conversation of it is open."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.widgets.messages.detail_pane import DetailPane
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import front, press, settle, settled
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
        await settle(pilot)
        shown = drawn(pilot)
        assert "no such" in shown  # a long path wraps the rest
        assert " …" not in shown


async def test_that_it_is_gone_stays_on_the_screen_while_nothing_of_it_can_be_read(
    app: MakeApp, home: Path
) -> None:
    async with settled(running := app(home, session="twice", view="map"), 120, 40) as pilot:
        away = (home / "state.db").rename(home / "away.db")
        await press(pilot, "r")
        assert "no such" in drawn(pilot)
        front(running, WorkspaceScreen)._age()
        await press(pilot, "j")
        assert "no such" in drawn(pilot)
        away.rename(home / "state.db")
        await press(pilot, "r")
        assert "no such" not in drawn(pilot)


async def test_where_there_is_no_database_to_follow_that_is_said_again_each_time(
    app: MakeApp, home: Path
) -> None:
    (home / "state.db").unlink()
    async with app(home, view="follow").run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause(2.5)
        assert "no such" in drawn(pilot)
        assert "Internal error" not in drawn(pilot)


async def test_a_message_that_was_deleted_is_not_shown_as_the_one_before_it(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    async with settled(running := app(home, session="plain", view="map"), 120, 40) as pilot:
        running.live.paused = True
        await press(pilot, "home")
        pane = running.screen.query_one(DetailPane)
        assert pane.detail is not None
        with database.connection:
            database.connection.execute("DELETE FROM messages WHERE session_id = 'plain'")
        await press(pilot, "j")
        assert pane.detail is None
