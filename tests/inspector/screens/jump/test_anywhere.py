"""`:` and a few letters go to a screen, a conversation or a theme."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event

import pytest
from textual.command import CommandList, CommandPalette
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.dialogs.settings import SettingsScreen
from inspector.screens.findings.screen import FindingsScreen
from inspector.screens.following import FollowingScreen
from inspector.screens.jump.anywhere import MAX_HITS, _hits, _named
from inspector.screens.trajectories.screen import TrajectoriesScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.usage.question import PERIODS
from inspector.screens.workspace.usage.screen import UsageScreen
from tests.core.live.writer import Writer
from tests.core.store.database import SessionDatabase
from tests.core.trajectory import sets
from tests.inspector.driving import press, settled
from tests.inspector.screens.conftest import drawn
from tests.inspector.screens.test_live import until


def app_on(tmp_path: Path) -> InspectorApp:
    writer = Writer(tmp_path / "home")
    writer.message("hello")
    writer.database.session("s2", title="[b]Pelican[/b] crossing", model="gpt-5.2")
    writer.database.message("s2", "user", "hi")
    writer.database.connection.close()
    return InspectorApp([Location(writer.home / "state.db", writer.home)])


async def jump(pilot: Pilot[None], text: str) -> None:
    app = pilot.app
    await pilot.press("colon")
    await until(pilot, lambda: isinstance(app.screen, CommandPalette))
    await pilot.press(*("space" if letter == " " else letter for letter in text))
    palette = app.screen
    await until(pilot, lambda: bool(palette.query("CommandList").first().option_count))  # type: ignore[attr-defined]
    await pilot.pause(0.5)
    await pilot.press("enter")
    if app.screen is palette:
        await pilot.press("enter")


@pytest.mark.parametrize("line", ["settings", "sett"])
async def test_words_typed_at_once_with_enter_lead_where_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    def slow(_: object) -> list[object]:
        time.sleep(0.4)
        return []

    monkeypatch.setattr("inspector.screens.jump.anywhere._named", slow)
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        for _ in range(3):
            await pilot.press("colon")
            await until(pilot, lambda: isinstance(app.screen, CommandPalette))
            for letter in line:
                app.post_message(Key(letter, letter))
            app.post_message(Key("enter", None))
            await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, SettingsScreen))


@pytest.mark.parametrize("words", ["pelican", "why latest"])
async def test_letters_of_a_title_and_a_line_of_a_command_lead_to_a_conversation(
    tmp_path: Path, words: str
) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await jump(pilot, words)
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen))
        assert isinstance(app.screen, WorkspaceScreen)
        assert app.screen.session_id == "s2"


async def test_a_tab_and_a_screen_and_a_theme_are_found_by_their_names(tmp_path: Path) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await jump(pilot, "follow")
        await until(pilot, lambda: isinstance(app.screen, FollowingScreen))
        await jump(pilot, "hermes-light")
        await until(pilot, lambda: app.theme == "hermes-light")


async def test_before_a_letter_is_typed_it_says_what_can_be_and_what_each_page_is_for(tmp_path: Path) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 90)) as pilot:
        await pilot.press("colon")
        await until(pilot, lambda: "Search the text of every message." in drawn(pilot))
        assert "a screen, conversation, finding" in drawn(pilot)
        assert "this conversation" not in drawn(pilot)


async def test_what_begins_with_the_letters_comes_before_what_holds_them(tmp_path: Path) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await jump(pilot, "us")
        await until(pilot, lambda: isinstance(app.screen, UsageScreen))


async def test_on_the_list_a_tab_by_itself_is_that_of_the_newest_conversation(tmp_path: Path) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await jump(pilot, "why")
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen))


async def test_a_line_says_over_which_time_the_usage_is_added_up(tmp_path: Path) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await jump(pilot, "usage all")
        await until(pilot, lambda: isinstance(app.screen, UsageScreen))
        assert isinstance(app.screen, UsageScreen)
        assert PERIODS[app.screen.panel.question.period][0] == "all time"


async def test_a_finding_and_a_setting_are_gone_to_by_name(tmp_path: Path) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await jump(pilot, "findings F10")
        await until(pilot, lambda: isinstance(app.screen, FindingsScreen))
        assert isinstance(app.screen, FindingsScreen)
        line = app.screen.filter_line
        await until(pilot, lambda: line.text == "F10")
        await jump(pilot, "settings alerts")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))


async def test_words_somebody_wrote_lead_to_their_message(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "home")
    writer.message("nothing of interest")
    row = writer.database.message("s1", "user", "the marzipan theorem holds")
    writer.database.connection.close()
    app = InspectorApp([Location(writer.home / "state.db", writer.home)])
    async with app.run_test(size=(120, 30)) as pilot:
        await jump(pilot, "marzipan")
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen))
        assert isinstance(app.screen, WorkspaceScreen)
        assert app.screen.cursor.row == row


def test_of_more_messages_than_are_offered_the_newest_of_all_databases_are(tmp_path: Path) -> None:
    places = [Location(tmp_path / f"{name}.db") for name in ("old", "new")]
    for began, place in enumerate(places, 1):
        with SessionDatabase(place.db) as database:
            database.session("s")
            for number in range(MAX_HITS):
                database.message("s", "user", f"marzipan {number}", timestamp=began * 1e9 + number)
    found = _hits(places, "marzipan", Event())
    assert [location for location, _ in found] == [places[1]] * MAX_HITS
    assert "marzipan 7" in found[0][1].excerpt


async def test_a_name_nobody_has_is_stated_and_nothing_opens(tmp_path: Path) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        before = app.screen
        await jump(pilot, "why nosuchthing")
        await until(pilot, lambda: any("nosuchthing" in one.message for one in app._notifications))
        assert app.screen is before


async def test_a_file_of_trajectories_is_opened_by_its_path(tmp_path: Path) -> None:
    path = sets.written(tmp_path / "runs.jsonl", sets.entries(1, 3))
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        app.screen.query_one(Input).value = str(path)[:-4]
        commands = app.screen.query_one(CommandList)
        await until(pilot, lambda: commands.option_count == 1)
        await pilot.pause(0.5)
        await pilot.press("enter")
        if isinstance(app.screen, CommandPalette):
            await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TrajectoriesScreen))
        await until(pilot, lambda: "3 trajectories" in drawn(pilot))


def test_a_conversation_is_known_by_the_newest_title_of_any_of_its_sessions(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.16") as database:
        database.session("first", title="Slow build", end_reason="compression", ended_at=2.0)
        database.session("second", parent_session_id="first", started_at=3.0)
        database.message("second", "user", "Why is the build slow?")
    (found,) = _named([Location(tmp_path / "state.db", tmp_path)])
    assert found[1:] == ("second", "Slow build")


@pytest.mark.parametrize("page", ["pageup", "pagedown"])
async def test_a_list_for_which_there_is_no_room_has_no_pages(tmp_path: Path, page: str) -> None:
    async with settled(app_on(tmp_path), 40, 3) as pilot:
        await press(pilot, "colon", page)
        assert isinstance(pilot.app.screen, CommandPalette)


async def test_the_latest_is_the_newest_of_every_database_that_can_be_read_as_on_the_command_line(
    tmp_path: Path,
) -> None:
    places = [Location(tmp_path / name / "state.db", tmp_path / name) for name in ("broken", "old", "new")]
    for began, place in enumerate(places, 1):
        place.db.parent.mkdir()
        with SessionDatabase(place.db) as database:
            database.session(place.db.parent.name, started_at=began * 1e9)
            database.message(place.db.parent.name, "user", "hi", timestamp=began * 1e9)
    places[0].db.write_bytes(b"damaged" * 2_000)
    app = InspectorApp(places)
    async with app.run_test(size=(120, 30)) as pilot:
        await jump(pilot, "why latest")
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen))
        assert isinstance(app.screen, WorkspaceScreen)
        assert app.screen.session_id == "new"
