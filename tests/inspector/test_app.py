from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import MouseScrollDown

from core.store.locate import Location
from inspector.app import InspectorApp
from inspector.commands import table
from inspector.screens.help import HelpList, HelpScreen
from inspector.screens.sessions import SessionsScreen
from inspector.screens.sessions_list import SessionsList
from inspector.screens.workspace import WorkspaceScreen
from inspector.screenshot import take
from inspector.shell import Shell
from inspector.widgets.banner import Banner
from inspector.widgets.key_bar import KeyBar
from inspector.widgets.notice import Notice
from inspector.widgets.title_bar import TitleBar
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import NOW, MakeApp
from tests.inspector.driving import settle
from themes.loader import load_all


def keys(app: InspectorApp) -> str:
    return app.screen.query_one(KeyBar).render_line(0).text


async def test_the_last_line_holds_the_keys_that_work_here(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "enter open" in keys(running)
        assert "s sort" in keys(running)
        await pilot.press("enter")
        await settle(pilot)
        assert "esc back" in keys(running)
        assert "s sort" not in keys(running)


@pytest.mark.parametrize("width", [30, 60, 80])
async def test_quit_and_the_way_to_the_other_keys_stay_when_there_is_no_room(
    app: MakeApp, home: Path, width: int
) -> None:
    running = app(home)
    async with running.run_test(size=(width, 20)) as pilot:
        await settle(pilot)
        assert "? more" in keys(running)
        assert "q quit" in keys(running)


async def test_a_line_to_type_in_leaves_only_the_keys_it_does_not_take(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        await settle(pilot)
        assert keys(running).split() == ["enter", "take", "it", "^f", "search", "esc", "clear", "read-only"]


async def test_the_keys_of_what_is_in_use_come_first(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("w")
        await settle(pilot)
        assert keys(running).startswith(" ← less  → more")
        assert "r reset" in keys(running)


async def test_the_palette_writes_keys_as_people_do(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        told = [command.help for command in running.get_system_commands(running.screen)]
        assert "Key: ?, f1" in told


@pytest.mark.parametrize(("width", "numbered"), [(80, True), (60, False)])
async def test_a_view_names_its_key_where_the_title_leaves_room(
    app: MakeApp, home: Path, width: int, numbered: bool
) -> None:
    running = app(home)
    async with running.run_test(size=(width, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert ("3 Preview" in running.screen.query_one("TitleBar").render_line(0).text) is numbered


async def test_a_click_on_the_last_line_does_what_the_key_does(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.click(KeyBar, offset=(keys(running).index("? help") + 1, 0))
        await pilot.pause()
        assert isinstance(running.screen, HelpScreen)


async def test_a_click_on_a_tab_shows_it_with_and_without_its_number(app: MakeApp, home: Path) -> None:
    for width in (80, 160):
        running = app(home, session="twice", view="map")
        async with running.run_test(size=(width, 30)) as pilot:
            await settle(pilot)
            bar = running.screen.query_one(TitleBar)
            for name in ("Chain", "Map", "Usage"):
                await pilot.click(TitleBar, offset=(bar.render_line(0).text.index(name) + 1, 0))
                await settle(pilot)
                assert f"[{name}]" in bar.render_line(0).text


async def test_the_wheel_scrolls_a_list_and_leaves_the_cursor(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    for place in range(40):
        database.turn(database.session(f"s{place}", title=f"number {place}"), "one")
    running = app(home)
    async with running.run_test(size=(100, 20)) as pilot:
        await settle(pilot)
        listing = running.screen.query_one(SessionsList)
        listing.post_message(MouseScrollDown(listing, 20, 5, 0, 1, 0, shift=False, meta=False, ctrl=False))
        await settle(pilot)
        assert listing.scroll_offset.y > 0
        assert listing.cursor == 0


async def test_the_generation_in_sight_is_named_at_every_width(app: MakeApp, home: Path) -> None:
    for width in (80, 120, 200):
        running = app(home, session="twice", view="map")
        async with running.run_test(size=(width, 30)) as pilot:
            await settle(pilot)
            bar = running.screen.query_one(TitleBar)
            assert "gen 2/2" in bar.render_line(0).text
            await pilot.press("left_square_bracket")
            await settle(pilot)
            assert "gen 1/2" in bar.render_line(0).text


async def test_where_there_is_one_generation_no_key_leads_to_another(app: MakeApp, home: Path) -> None:
    for session, named in (("plain", False), ("twice", True)):
        running = app(home, session=session, view="map")
        async with running.run_test(size=(160, 30)) as pilot:
            await settle(pilot)
            assert ("[ older" in keys(running)) is named


async def test_help_shows_every_command_of_the_screen_and_leaves_on_any_usual_key(
    app: MakeApp, home: Path
) -> None:
    running = app(home)
    async with running.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        for key in ("escape", "question_mark", "q"):
            await pilot.press("question_mark")
            await pilot.pause()
            help_list = running.screen.query_one(HelpList)
            shown = {
                row.text
                for row in (help_list.rows.row(index) for index in range(help_list.rows.count))
                if row
            }
            assert {
                one.help for one in table() if one.scope in ("app", "sessions", "list") and one.listed
            } <= shown
            await pilot.press(key)
            await pilot.pause()
            assert isinstance(running.screen, SessionsScreen)


async def test_no_sentence_of_the_help_is_cut_where_there_is_little_room(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "question_mark")
        await settle(pilot)
        told = running.screen.query_one(HelpList)
        lines = [
            told.draw_row(row, 0, told.row_width) for row in map(told.rows.row, range(told.rows.count)) if row
        ]
        assert max(line.width for line in lines) <= told.row_width
        words = " ".join(" ".join(line.text for line in lines).split())
        assert "protected counts, release or temperature, and see where the cut moves." in words
        assert told.current
        assert told.current.keys
        await pilot.press("j")
        assert told.current.keys  # the rest of a sentence is passed over


async def test_help_names_its_parts_in_words(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "4", "question_mark")
        await settle(pilot)
        rows = running.screen.query_one(HelpList).rows
        headings = [row.text for row in map(rows.row, range(rows.count)) if row and row.heading]
        assert headings[:5] == ["Usage", "Lists", "Conversation", "Every screen", "Everywhere"]
        assert not any("_" in text for text in headings)


async def test_the_users_own_keys_are_taken_and_shown(app: MakeApp, home: Path, tmp_path: Path) -> None:
    own = tmp_path / "keys.yaml"
    own.write_text("sessions.sort: o\n")
    running = app(home, keys=own)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "o sort" in keys(running)
        await pilot.press("o")
        await settle(pilot)
        screen = running.screen
        assert isinstance(screen, SessionsScreen)
        assert screen.listing.order.sort == "tokens"


async def test_a_broken_keymap_is_reported_and_the_app_goes_on(
    app: MakeApp, home: Path, tmp_path: Path
) -> None:
    own = tmp_path / "keys.yaml"
    own.write_text("sessions.sorting: o\n")
    running = app(home, keys=own)
    async with running.run_test(size=(120, 30), notifications=True) as pilot:
        await settle(pilot)
        assert any("no command is named" in note.message for note in running._notifications)
        assert "s sort" in keys(running)


async def test_t_goes_round_the_themes(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        seen = [running.theme]
        for _ in load_all():
            await pilot.press("T")
            await pilot.pause()
            seen.append(running.theme)
        assert seen[0] == seen[-1]
        assert set(seen) == {theme.name for theme in load_all()}


async def test_a_theme_that_knows_none_of_our_colours_still_works(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(80, 24)) as pilot:
        running.theme = "nord"
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(running.screen, WorkspaceScreen)


async def test_a_session_named_at_the_start_is_opened(app: MakeApp, home: Path) -> None:
    running = app(home, session="twice", view="why")
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        screen = running.screen
        assert isinstance(screen, WorkspaceScreen)
        assert screen.view is not None
        assert type(screen.view).__name__ == "WhyView"


async def test_a_session_that_does_not_exist_is_explained(app: MakeApp, home: Path) -> None:
    running = app(home, session="nope")
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert running.screen.query_one(Notice).has_class("-error")
        await pilot.press("escape")
        assert isinstance(running.screen, SessionsScreen)


async def test_the_tabs_share_one_cursor(app: MakeApp, home: Path) -> None:
    running = app(home, session="twice", view="map")
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        screen = running.screen
        assert isinstance(screen, WorkspaceScreen)
        await pilot.press("left_square_bracket")
        await settle(pilot)
        assert screen.cursor.generation == 1
        await pilot.press("2")
        await settle(pilot)
        assert screen.view is not None
        assert screen.view.cursor.generation == 1


async def test_the_resume_command_is_copied(app: MakeApp, home: Path) -> None:
    running = app(home, session="root")
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("R")
        assert running.clipboard == "hermes --resume next"


async def test_without_colour_every_state_is_a_sign_or_a_word(
    app: MakeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert running.no_color
        screen = running.screen
        assert isinstance(screen, SessionsScreen)
        cursor = screen.listing.render_line(1 + screen.listing.cursor)
        other = screen.listing.render_line(2 + screen.listing.cursor)
        assert all(segment.style and segment.style.reverse for segment in cursor)
        assert not any(segment.style and segment.style.reverse for segment in other)
        assert "─" in other.text
        await pilot.press("enter")
        await settle(pilot)
        assert "[Map]" in running.screen.query_one("TitleBar").render_line(0).text


def test_a_frame_is_drawn_without_a_terminal(app: MakeApp, home: Path, tmp_path: Path) -> None:
    target = tmp_path / "frame.svg"
    take(app(home), target, (100, 30))
    drawn = target.read_text("utf-8").replace("&#160;", " ")
    assert drawn.startswith("<svg")
    assert "Refactor the auth module" in drawn
    assert "Reading" not in drawn


def test_a_frame_of_a_conversation(app: MakeApp, home: Path, tmp_path: Path) -> None:
    target = tmp_path / "frame.svg"
    take(app(home, session="twice", view="why"), target, (100, 30))
    assert "1 compaction" in target.read_text("utf-8").replace("&#160;", " ")


async def test_looking_around_changes_nothing(app: MakeApp, home: Path) -> None:
    before = {path.name: path.read_bytes() for path in home.iterdir() if path.suffix != ".db-shm"}
    running = InspectorApp([Location(home / "state.db", home)], now=lambda: NOW)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        for key in ("j", "enter", "2", "3", "escape", "f", "escape", "ctrl+f", "a", "enter", "escape"):
            await pilot.press(key)
            await settle(pilot)
    after = {path.name: path.read_bytes() for path in home.iterdir() if path.suffix != ".db-shm"}
    assert after == before


async def test_a_conversation_with_rows_missing_says_so_above_its_map(
    app: MakeApp, database: SessionDatabase
) -> None:
    database.session("torn", title="Torn", message_count=51)
    database.turn("torn", "one")
    running = app(database.path.parent, session="torn")
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        banner = running.screen.query_one(Banner)
        assert banner.display
        assert "counts 51 live messages, 4 of them could be read" in banner.render_line(0).text


def test_the_app_is_what_its_screens_expect(app: MakeApp, home: Path) -> None:
    shell: Shell = app(home)
    assert shell.diagnosed == {}
