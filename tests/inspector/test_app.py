"""The app around its screens: how it starts, is driven and drawn, and that it changes nothing."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from textual.command import CommandList
from textual.css.stylesheet import Stylesheet
from textual.events import MouseScrollDown

from core.store.database.locate import Location, locate
from inspector.app import InspectorApp
from inspector.base.app_protocol import Shell
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.tabs import TABS
from inspector.screens.workspace.views import View
from inspector.screenshot import CALM, STEP, take
from inspector.terminal.line import shipped
from inspector.widgets.bars.status_line import Banner, Notice
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import NOW, MakeApp
from tests.inspector.driving import front, press, settle, settled
from themes.loader import ThemeFile


async def test_the_wheel_scrolls_a_list_and_leaves_the_cursor(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    for place in range(40):
        database.turn(database.session(f"s{place}", title=f"number {place}"), "one")
    async with settled(running := app(home), 100, 20) as pilot:
        listing = running.screen.query_one(SessionsList)
        listing.post_message(MouseScrollDown(listing, 20, 5, 0, 1, 0, shift=False, meta=False, ctrl=False))
        await settle(pilot)
        assert listing.scroll_offset.y > 0
        assert listing.cursor == 0


async def test_ctrl_z_puts_the_app_in_the_background(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[object] = []

    def note(running: InspectorApp) -> None:
        put.append(running)

    monkeypatch.setattr(InspectorApp, "action_suspend_process", note)
    async with app(home).run_test() as pilot:
        await pilot.press("ctrl+z")
    assert len(put) == 1


async def test_t_goes_round_the_themes(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 80, 24) as pilot:
        seen = [running.theme]
        for _ in shipped():
            await pilot.press("T")
            await pilot.pause()
            seen.append(running.theme)
        assert seen[0] == seen[-1]
        assert set(seen) == {theme.name for theme in shipped()}


@pytest.mark.parametrize("key", ["u", "f", "enter", "question_mark"])
async def test_a_key_typed_behind_q_breaks_nothing(app: MakeApp, home: Path, key: str) -> None:
    async with settled(running := app(home), 80, 24) as pilot:
        running.simulate_key("q")
        running.simulate_key(key)
        await pilot.pause(0.2)
    assert running.return_code == 0


async def test_a_word_typed_into_a_closing_palette_breaks_nothing(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 80, 24) as pilot:
        await pilot.press("ctrl+p")
        await running.screen.query_one(CommandList).remove()  # as while it closes
        await pilot.press("x")
        await pilot.pause(0.2)
        assert running.is_running
    assert running.return_code != 1


@pytest.mark.parametrize("theme", shipped(), ids=lambda theme: theme.name)
async def test_a_theme_to_begin_with_is_there_without_reading_styles_twice(
    home: Path, theme: ThemeFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    again: list[Stylesheet] = []
    monkeypatch.setattr(Stylesheet, "reparse", again.append)
    async with settled(running := InspectorApp(locate(home=home), theme=theme.name), 80, 24):
        assert isinstance(running.screen, SessionsScreen)
        assert running.screen.styles.background.hex.lower() == theme.base["background"].lower()
        assert running.has_class("-dark-mode") == theme.dark
        assert running.has_class("-light-mode") != theme.dark
        assert again == []


async def test_a_theme_that_knows_none_of_our_colours_still_works(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(80, 24)) as pilot:
        running.theme = "nord"
        await settle(pilot)
        await press(pilot, "enter")
        assert isinstance(running.screen, WorkspaceScreen)


async def test_a_session_named_at_the_start_is_opened(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home, session="twice", view="why"), 120, 30):
        screen = front(running, WorkspaceScreen)
        assert screen.view is not None
        assert type(screen.view).__name__ == "WhyView"


async def test_a_session_that_does_not_exist_is_explained(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home, session="nope"), 80, 24) as pilot:
        assert running.screen.query_one(Notice).has_class("-error")
        await pilot.press("escape")
        assert isinstance(running.screen, SessionsScreen)


async def test_the_resume_command_is_copied(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home, session="root"), 120, 30) as pilot:
        await pilot.press("R")
        assert running.clipboard == "hermes --resume next"


async def test_without_colour_every_state_is_a_sign_or_a_word(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with settled(running := app(home), 120, 30) as pilot:
        assert running.no_color
        screen = front(running, SessionsScreen)
        cursor = screen.listing.render_line(1 + screen.listing.cursor)
        other = screen.listing.render_line(2 + screen.listing.cursor)
        assert all(segment.style and segment.style.reverse for segment in cursor)
        assert not any(segment.style and segment.style.reverse for segment in other)
        assert "─" in other.text
        await press(pilot, "enter")
        assert "[Map]" in running.screen.query_one("TitleBar").render_line(0).text


def test_a_frame_is_drawn_without_a_terminal(app: MakeApp, home: Path, tmp_path: Path) -> None:
    target = tmp_path / "frame.svg"
    take(app(home), target, (100, 30))
    drawn = target.read_text("utf-8").replace("&#160;", " ")
    assert drawn.startswith("<svg")
    assert "Refactor the auth module" in drawn
    assert "Reading" not in drawn


def test_a_frame_waits_for_the_screen_it_is_to_show(app: MakeApp, home: Path, tmp_path: Path) -> None:
    made, target = app(home, view="findings"), tmp_path / "frame.svg"
    start = made._start_page

    async def late(name: str) -> None:
        asyncio.get_running_loop().call_later(1.5, made.call_later, start, name)

    with patch.object(made, "_start_page", late):
        take(made, target, (100, 30))
    assert "start&#160;with&#160;the&#160;first" in target.read_text("utf-8")


def test_a_frame_of_a_conversation(app: MakeApp, home: Path, tmp_path: Path) -> None:
    target = tmp_path / "frame.svg"
    take(app(home, session="twice", view="why"), target, (100, 30))
    assert "1 compaction" in target.read_text("utf-8").replace("&#160;", " ")


def test_a_frame_waits_for_a_screen_whose_import_takes_longer_than_a_pause(
    app: MakeApp, home: Path, tmp_path: Path
) -> None:
    tab, target = next(tab for tab in TABS if tab.name == "preview"), tmp_path / "frame.svg"

    def slow() -> View:
        time.sleep(2 * CALM * STEP)
        return tab.build()

    tabs = tuple(replace(one, build=slow) if one is tab else one for one in TABS)
    with patch("inspector.screens.workspace.screen.TABS", tabs):
        take(app(home, session="twice", view="preview"), target, (100, 30))
    assert "messages" in target.read_text("utf-8")


async def test_looking_around_changes_nothing(app: MakeApp, home: Path) -> None:
    before = {path.name: path.read_bytes() for path in home.iterdir() if path.suffix != ".db-shm"}
    async with settled(InspectorApp([Location(home / "state.db", home)], now=lambda: NOW), 120, 30) as pilot:
        for key in ("j", "enter", "2", "3", "escape", "f", "escape", "ctrl+f", "a", "enter", "escape"):
            await press(pilot, key)
    after = {path.name: path.read_bytes() for path in home.iterdir() if path.suffix != ".db-shm"}
    assert after == before


async def test_a_conversation_with_rows_missing_says_so_above_its_map(
    app: MakeApp, database: SessionDatabase
) -> None:
    database.session("torn", title="Torn", message_count=51)
    database.turn("torn", "one")
    async with settled(running := app(database.path.parent, session="torn"), 80, 24):
        banner = running.screen.query_one(Banner)
        assert banner.display
        assert "counts 51 live messages, 4 of them could be read" in banner.render_line(0).text


def test_the_app_is_what_its_screens_expect(app: MakeApp, home: Path) -> None:
    shell: Shell = app(home)
    assert shell.diagnosed == {}
