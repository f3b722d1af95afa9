"""The last line of every screen: the keys that work there, and the user's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.support.own_files import config_directory
from inspector.cli.main import run
from inspector.screens.dialogs.help import HelpScreen
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.widgets.bars.answer_and_keys import KeyBar
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import at_sizes, front, keys, press, settled
from tests.inspector.screens.conftest import drawn


async def test_the_last_line_holds_the_keys_that_work_here(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        assert "enter open" in keys(running)
        assert "s sort" in keys(running)
        await press(pilot, "enter")
        assert "esc back" in keys(running)
        assert "s sort" not in keys(running)


async def test_quit_and_the_way_to_the_other_keys_stay_when_there_is_no_room(
    app: MakeApp, home: Path
) -> None:
    running = app(home)
    async with running.run_test() as pilot:
        async for _ in at_sizes(pilot, (30, 20), (60, 20), (80, 20)):
            assert "? more" in keys(running)
            assert "q quit" in keys(running)


async def test_a_line_to_type_in_leaves_only_the_keys_it_does_not_take(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await press(pilot, "slash")
        assert keys(running).split() == ["enter", "accept", "^f", "search", "esc", "clear", "read-only"]


async def test_the_keys_of_what_is_in_use_come_first(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 80, 24) as pilot:
        await press(pilot, "enter")
        await press(pilot, "w")
        assert keys(running).startswith(" ← less  → more")
        assert "r reset" in keys(running)


async def test_the_palette_writes_keys_as_people_do(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 80, 24):
        told = [command.help for command in running.get_system_commands(running.screen)]
        assert "Key: ?, f1" in told


async def test_a_click_on_the_last_line_does_what_the_key_does(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await pilot.click(KeyBar, offset=(keys(running).index("? help") + 1, 0))
        await pilot.pause()
        assert isinstance(running.screen, HelpScreen)


async def test_the_users_own_keys_are_taken_and_shown(app: MakeApp, home: Path, tmp_path: Path) -> None:
    own = tmp_path / "keys.yaml"
    own.write_text("sessions.sort: o\n")
    async with settled(running := app(home, keys=own), 120, 30) as pilot:
        assert "o sort" in keys(running)
        await press(pilot, "o")
        screen = front(running, SessionsScreen)
        assert screen.listing.order.sort == "cost"


async def test_the_menu_of_a_row_and_the_palette_name_and_take_the_users_own_keys(
    app: MakeApp, home: Path, tmp_path: Path
) -> None:
    own = tmp_path / "keys.yaml"
    own.write_text("sessions.why: o\npage.actions: ctrl+o\n")
    async with settled(running := app(home, keys=own), 120, 30) as pilot:
        await press(pilot, "ctrl+p", *"row under")
        assert "Key: ^o" in drawn(pilot)
        await press(pilot, "escape", "ctrl+o")
        assert " o       Show why it was compressed" in drawn(pilot)
        await press(pilot, "o")
        assert front(running, WorkspaceScreen)._active == 1


@pytest.mark.parametrize(
    ("own", "typed", "told"),
    [
        ("sessions.next_alert: ctrl+n", (), " · ^n next"),
        ("sessions.delegates: ctrl+a", (), "sub-agents hidden (^a)"),
        ("list.open: o\nactions.close: left_square_bracket", ("full_stop",), "o or its key · [ back"),
        ("list.open: o", ("comma",), "o jumps to the list of themes"),
        ("workspace.view_3: f3", ("enter",), "f3 Preview"),
        ("map.next_hit: ctrl+n", ("enter", "1", "slash", "e", "enter"), "^n next, N previous"),
        ("list.open: o\npage.copy: Y", ("f",), "start with the first: o opens it, Y copies its fix"),
    ],
)
async def test_a_sentence_that_names_a_key_names_that_of_the_user(
    app: MakeApp, sample_home: Path, tmp_path: Path, own: str, typed: tuple[str, ...], told: str
) -> None:
    (file := tmp_path / "keys.yaml").write_text(own)
    running = app(sample_home, keys=file)
    async with settled(running, 140, 40, notifications=True) as pilot:
        await press(pilot, *typed)
        assert told in drawn(pilot)


async def test_a_broken_keymap_is_reported_and_the_app_continues(
    app: MakeApp, home: Path, tmp_path: Path
) -> None:
    own = tmp_path / "keys.yaml"
    own.write_text("sessions.sorting: o\n")
    async with settled(running := app(home, keys=own), 120, 30, notifications=True):
        assert any("no command is named" in note.message for note in running._notifications)
        assert "s sort" in keys(running)


def test_keys_in_the_configuration_directory_are_those_of_the_app(home: Path, tmp_path: Path) -> None:
    own = config_directory() / "keys.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("sessions.sort: o\n")
    picture = tmp_path / "now.svg"
    words = ["--home", str(home), "--screen", "sessions", "--screenshot", str(picture), "--size", "120x30"]
    assert run(words) == 0
    drawn = re.sub(r"<[^>]+>|\s|&#160;", "", picture.read_text("utf-8"))
    assert "osort" in drawn
    assert "ssort" not in drawn
