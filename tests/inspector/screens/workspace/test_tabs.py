"""The tabs of a conversation: named, numbered, clicked, and one cursor for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.store.database.locate import Location, locate
from inspector.base.named_screens import VIEWS
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.widgets.bars.title_bar import TitleBar
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import front, keys, press, settle, settled
from tests.inspector.screens.conftest import drawn, open_app


@pytest.mark.parametrize(("width", "numbered"), [(80, True), (60, True), (50, False)])
async def test_a_view_names_its_key_where_the_title_leaves_room(
    app: MakeApp, home: Path, width: int, numbered: bool
) -> None:
    async with settled(running := app(home), width, 24) as pilot:
        await press(pilot, "enter")
        assert ("3 Preview" in running.screen.query_one("TitleBar").render_line(0).text) is numbered


async def test_a_click_on_a_tab_shows_it_with_and_without_its_number(app: MakeApp, home: Path) -> None:
    for width in (80, 160):
        async with settled(running := app(home, session="twice", view="map"), width, 30) as pilot:
            bar = running.screen.query_one(TitleBar)
            for name in ("Chain", "Map", "Usage"):
                await pilot.click(TitleBar, offset=(bar.render_line(0).text.index(name) + 1, 0))
                await settle(pilot)
                assert f"[{name}]" in bar.render_line(0).text


async def test_where_not_all_names_fit_the_active_tab_is_visible_and_the_others_are_keys(
    app: MakeApp, home: Path
) -> None:
    async with settled(running := app(home, session="twice", view="chain"), 50, 24) as pilot:
        bar = running.screen.query_one(TitleBar)
        assert bar.render_line(0).text.rstrip().endswith("1 2 3 4 5 [Chain]")
        await pilot.click(TitleBar, offset=(bar.render_line(0).text.rindex("2"), 0))
        await settle(pilot)
        assert "1 [Why] 3 4 5 6" in bar.render_line(0).text


async def test_an_older_generation_is_named_at_every_width(app: MakeApp, home: Path) -> None:
    for width, newest, older in (
        (80, "", "generation 1 "),
        (120, "generation 2 of 2 ", "generation 1 of 2 "),
    ):
        async with settled(running := app(home, session="twice", view="map"), width, 30) as pilot:
            bar = running.screen.query_one(TitleBar)
            assert f"· {newest}" in bar.render_line(0).text or not newest
            await press(pilot, "left_square_bracket")
            assert f"· {older}" in bar.render_line(0).text


async def test_a_long_title_is_cut_before_the_word_generation(
    app: MakeApp, database: SessionDatabase
) -> None:
    session = database.session(
        "long", title="Done with request 39, all checks passed in module_39.py and in the file"
    )
    database.turn(session, "a")
    database.turn(session, "b")
    database.compact(session, 2, 3, "first summary")
    async with settled(running := app(database.path.parent, session="long", view="map"), 120, 30):
        said = running.screen.query_one(TitleBar).render_line(0).text
        assert "… · generation 2 of 2 " in said
        assert "Done with request 39, all" in said


async def test_where_there_is_one_generation_no_key_leads_to_another(app: MakeApp, home: Path) -> None:
    for session, named in (("plain", False), ("twice", True)):
        async with settled(running := app(home, session=session, view="map"), 160, 30):
            assert ("[ older" in keys(running)) is named


async def test_the_tabs_share_one_cursor(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home, session="twice", view="map"), 120, 30) as pilot:
        screen = front(running, WorkspaceScreen)
        await press(pilot, "left_square_bracket")
        assert screen.cursor.generation == 1
        await press(pilot, "2")
        assert screen.view is not None
        assert screen.view.cursor.generation == 1


@pytest.mark.parametrize("tab", VIEWS)
async def test_what_compactions_took_out_is_asked_for_from_every_tab(samples: Location, tab: str) -> None:
    async with settled(open_app(samples, "Webhooks are delivered twice", tab), 80, 24) as pilot:
        await press(pilot, "ctrl+f")
        assert "what you said and compactions removed" in drawn(pilot)


async def test_that_another_engine_decides_stands_once_on_every_tab(sample_home: Path) -> None:
    place = locate(home=sample_home / "profiles" / "lossless")[0]
    async with settled(open_app(place, "Read for the thesis"), 120, 40) as pilot:
        told = {}
        for key in "123456":
            await press(pilot, key)
            told[key] = " ".join(drawn(pilot).split()).count("decides here")
        assert set(told.values()) == {1}, told


async def test_a_preview_says_first_that_another_engine_decides(sample_home: Path) -> None:
    place = locate(home=sample_home / "profiles" / "lossless")[0]
    async with settled(open_app(place, "Read for the thesis", "preview"), 120, 40) as pilot:
        told = " ".join(drawn(pilot).split())
        assert "'lcm' decides here; shown is what Hermes' own compressor would do. " in told
        assert told.count("decides here") == 1


async def test_that_another_engine_decides_is_information(sample_home: Path) -> None:
    place = locate(home=sample_home / "profiles" / "lossless")[0]
    async with settled(open_app(place, "Read for the thesis", "why"), 120, 40) as pilot:
        assert "• 'lcm' decides here" in drawn(pilot)
