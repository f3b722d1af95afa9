"""The settings: where each value comes from, and themes tried on by standing on them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.dialogs.settings import SettingsScreen, ThemeRow, example
from inspector.settings.config_file import own_config
from inspector.settings.state import RememberedState
from tests.core.live.writer import Writer
from tests.inspector.driving import press
from tests.inspector.screens.conftest import drawn


@pytest.fixture
def app(tmp_path: Path) -> InspectorApp:
    writer = Writer(tmp_path / "home")
    writer.message("hello")
    writer.database.connection.close()
    state = RememberedState(tmp_path / "state.json")
    state.remember("welcomed", True)
    return InspectorApp([Location(writer.home / "state.db", writer.home)], state=state)


async def opened(pilot: Pilot[None]) -> SettingsScreen:
    await pilot.press("comma")
    await pilot.pause()
    assert isinstance(pilot.app.screen, SettingsScreen)
    return pilot.app.screen


async def test_every_value_says_where_it_comes_from(app: InspectorApp) -> None:
    path = own_config()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("alerts:\n  context: 0.8\n")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        origins = {row.name: row.origin for row in screen.rows.rows.rows if not isinstance(row, ThemeRow)}  # type: ignore[attr-defined]
        assert origins["alerts.context"] == "config.yaml:2"
        assert origins["alerts.bell"] == "default"


@pytest.mark.parametrize(("width", "told"), [(80, False), (200, True)])
async def test_a_row_with_room_says_what_its_setting_does(app: InspectorApp, width: int, told: bool) -> None:
    async with app.run_test(size=(width, 60)) as pilot:
        screen = await opened(pilot)
        (bell,) = (row for row in screen.rows.rows.rows if row.name == "alerts.bell")  # type: ignore[attr-defined]
        row = next(line for line in drawn(pilot).splitlines() if "alerts.bell " in line)
        assert (bell.says[:30] in row) is told
        assert " true " in row
        assert "default" in row


@pytest.mark.parametrize("width", [80, 200])
async def test_the_card_shows_what_the_file_can_hold_the_own_part_first(
    app: InspectorApp, width: int
) -> None:
    async with app.run_test(size=(width, 60)) as pilot:
        await opened(pilot)
        await pilot.press(*["down"] * 10)
        await pilot.pause()
        shown = drawn(pilot)
        assert "What the file can hold" in shown
        assert shown.index("  cache_break: 0.10") < shown.index("theme: hermes-light")


@pytest.mark.parametrize("width", [30, 46, 78])
def test_an_example_is_told_whole_with_what_it_says_below_where_it_is_too_long(width: int) -> None:
    given = (
        "  name: openai               # extractive, faithful, static: offline; anthropic: you are asked first"
    )
    code, *said = example(given, width)
    assert code == "  name: openai"
    assert all(line.startswith("    # ") and len(line) <= width for line in said)
    assert " ".join(line.removeprefix("    # ") for line in said) == given.partition("# ")[2]
    assert list(example(given, 120)) == [given]


async def test_a_theme_is_worn_while_the_cursor_is_on_it_and_taken_off_again(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        before = app.theme
        await pilot.press("G")
        await pilot.pause()
        row = screen.rows.current
        assert isinstance(row, ThemeRow)
        assert app.theme == row.name != before
        await pilot.press("escape")
        await pilot.pause()
        assert app.theme == before
        assert app.recall("theme") is None


async def test_enter_keeps_a_theme_for_the_next_run(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        await pilot.press("G", "enter")
        await pilot.pause()
        row = screen.rows.current
        await pilot.press("escape")
        await pilot.pause()
        assert row is not None
        assert (app.theme, app.recall("theme")) == (row.name, row.name)


async def test_a_theme_switched_to_by_its_key_stays_when_the_settings_are_left(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await pilot.press("T")
        await pilot.pause()
        switched_to = app.theme
        await pilot.press("G", "up", "escape")
        await pilot.pause()
        assert (app.theme, app.recall("theme")) == (switched_to, switched_to)


async def test_the_list_says_which_theme_is_in_use(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        before = drawn(pilot)
        await pilot.press("G", "enter")
        await pilot.pause()
        assert (before.count("theme in use"), drawn(pilot).count("theme in use")) == (1, 1)
        assert screen.rows.current is not None
        (line,) = (one for one in drawn(pilot).splitlines() if "theme in use" in one)
        assert screen.rows.current.name in line


async def test_that_there_is_no_file_yet_is_said_once_and_whole(app: InspectorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        assert drawn(pilot).count("no file") == 1
        assert "There is no file yet. Every setting has its default." in drawn(pilot)


async def test_the_setting_of_the_theme_leads_to_the_themes_and_says_so(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        said = screen.query_one("AnswerBar").text  # type: ignore[attr-defined]
        assert said.startswith("There is no file yet. Every setting has its default.")
        names = [row.name for row in screen.rows.rows.rows]  # type: ignore[attr-defined]
        screen.rows.cursor = names.index("theme")
        await pilot.press("enter")
        await pilot.pause()
        row = screen.rows.current
        assert row is not None
        assert row.name == app.theme


async def test_a_file_that_cannot_be_used_is_reported_with_its_line(app: InspectorApp) -> None:
    path = own_config()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("themes: x\n")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        assert "line 1" in screen.query_one("AnswerBar").text  # type: ignore[attr-defined]


async def test_where_no_editor_can_open_as_in_a_browser_it_says_so(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await opened(pilot)
        await press(pilot, "e")
        assert "An editor opens in a terminal only" in drawn(pilot)
