"""The orders of the list, and what is measured for them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.sessions.data.columns import COLUMNS
from inspector.screens.sessions.data.extras import Ranker, measure
from inspector.screens.sessions.data.order import SORTS, Order
from inspector.screens.sessions.data.session_line import SessionLine
from inspector.widgets.lists.row_list import RowList
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import NOW, MakeApp
from tests.inspector.driving import press, settle, settled
from tests.inspector.screens.session_list import drawn, screen, titles


async def test_s_goes_through_the_orders_and_shift_s_turns_them_round(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        newest = titles(running)
        await press(pilot, "S")
        assert titles(running) == newest[::-1]
        while screen(running).listing.order.sort != "title":
            await press(pilot, "s")
        assert titles(running) == sorted(newest, key=lambda title: (title or "").lower())


async def test_a_click_on_a_column_title_sorts_by_it(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        header = drawn(running)[0]
        await pilot.click(RowList, offset=(header.index("cost") + 2, 0))
        await settle(pilot)
        assert screen(running).listing.order.sort == "cost"


def pages_by(home: Path, sort: str, *, natural: bool = True) -> list[str | None]:
    """The titles a list in this order ends up with."""
    order = Order(sort=sort, natural=natural)
    place = Location(home / "state.db", home)
    *_, last = Ranker().pages([place], order, 200, lambda: False)
    assert last.settled
    assert last.total == len(last.rows)
    return [line.title for line in last.rows]


async def test_rows_of_several_profiles_are_sorted_by_them(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "another"
    shutil.copytree(home, other)
    places = [Location(home / "state.db", home), Location(other / "state.db", other, "work")]
    async with settled(running := InspectorApp(places, now=lambda: NOW), 160, 30) as pilot:
        at = drawn(running)[0].index("profile")

        def order() -> list[str]:
            return [row[at:].split()[0] for row in drawn(running)[1:9]]

        assert order() == ["default", "work"] * 4
        await pilot.click(RowList, offset=(at + 2, 0))
        await settle(pilot)
        forwards = order()
        assert forwards == sorted(forwards)
        await pilot.click(RowList, offset=(at + 2, 0))
        await settle(pilot)
        assert order() == forwards[::-1]


async def test_s_goes_through_the_visible_columns(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        seen = set()
        for _ in SORTS:
            await press(pilot, "s")
            seen.add(screen(running).pane.order.sort)
        assert seen == {
            "last_active",
            "title",
            "model",
            "context_use",
            "compressions",
            "cost",
        }


def test_every_column_with_a_figure_can_be_sorted_by() -> None:
    shown = [column for column in COLUMNS if column.title]
    assert {column.sort for column in shown} <= set(SORTS)


def test_conversations_are_ranked_by_how_full_their_window_is(home: Path, database: SessionDatabase) -> None:
    database.session("big", title="Big", model="gpt-5.2")
    database.message("big", "user", "a very long question " * 4_000)
    assert pages_by(home, "context_use")[0] == "Big"
    assert pages_by(home, "context_use", natural=False)[-1] == "Big"


def test_conversations_are_ranked_by_how_often_they_were_compressed(home: Path) -> None:
    ranked = pages_by(home, "compressions")
    assert sorted(ranked[:2], key=str) == ["Port the parser #2", "Refactor the auth module"]


def test_what_did_not_change_is_not_measured_again(
    home: Path, database: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str | None] = []

    def counting(lines: Sequence[SessionLine], *rest: Any) -> Any:
        measured.extend(line.title for line in lines)
        return measure(lines, *rest)

    monkeypatch.setattr("inspector.screens.sessions.data.extras.measure", counting)
    ranker, place = Ranker(), Location(home / "state.db", home)

    def rank(sort: str) -> None:
        for _ in ranker.pages([place], Order(sort=sort), 200, lambda: False):
            pass

    rank("context_use")
    assert len(measured) == 4
    rank("compressions")
    assert len(measured) == 4
    database.turn("plain", "three")
    rank("compressions")
    assert measured[4:] == ["Rename the CLI flag"]


def test_what_is_not_measured_yet_is_below_and_the_list_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.screens.sessions.data.extras.PATIENCE", 0.0)
    pages = list(
        Ranker().pages([Location(home / "state.db", home)], Order(sort="compressions"), 200, lambda: False)
    )
    assert [page.measured for page in pages] == [1, 2, 3, 4, 4]
    assert {page.total for page in pages} == {4}
    assert [page.settled for page in pages] == [False] * 3 + [True] * 2


def test_a_ranking_that_is_told_to_stop_remembers_nothing_wrong(home: Path) -> None:
    ranker, place = Ranker(), Location(home / "state.db", home)
    assert list(ranker.pages([place], Order(sort="context_use"), 200, lambda: bool(ranker._known))) == []
    *_, last = ranker.pages([place], Order(sort="context_use"), 200, lambda: False)
    assert last.measured == 4


async def test_the_list_is_ranked_in_the_app(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 200, 30) as pilot:
        header = drawn(running)[0]
        await pilot.click(RowList, offset=(header.index("compressions") + 1, 0))
        await settle(pilot)
        assert sorted(titles(running)[:2], key=str) == ["Port the parser #2", "Refactor the auth module"]
        await pilot.click(RowList, offset=(header.index("hit") + 1, 0))
        await settle(pilot)
        assert titles(running)[-1] == "Résumé du journal"
