from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from core.model.finding import Severity
from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.sessions.data.columns import COLUMNS, GAP, SETS, CellSource, layout, name_of
from inspector.screens.sessions.data.order import Order
from inspector.screens.sessions.data.session_line import Extra
from inspector.screens.sessions.data.source import read_page
from inspector.screens.sessions.list_view import SessionsList
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.settings.settings import ListColumn
from inspector.settings.state import RememberedState
from inspector.terminal.line import Palette, defaults
from inspector.widgets.charts.context_bar import ContextUse
from tests.conftest import NOW
from tests.inspector.driving import settled
from tests.inspector.screens.conftest import press
from tests.own_settings import write_own_settings


@pytest.mark.parametrize("chosen", SETS)
@pytest.mark.parametrize("width", [40, 58, 76, 80, 104, 120, 160, 200, 240])
def test_the_columns_of_every_set_fit_every_width_and_the_title_is_there(chosen: str, width: int) -> None:
    shown = layout(width, profiles=True, chosen=SETS[chosen])
    assert sum(cells for _, cells in shown) + GAP * (len(shown) - 1) == width
    assert "conversation" in [column.title for column, _ in shown]
    assert shown[0][0].title == "last"


def test_sixty_columns_have_room_for_the_size_of_a_conversation() -> None:
    titles = [column.title for column, _ in layout(57)]
    assert titles == ["last", "conversation", "context used", "cost"]


def test_the_buckets_are_there_at_eighty_columns_for_who_asks() -> None:
    titles = [column.title for column, _ in layout(80, chosen=SETS["tokens"])]
    assert titles == ["last", "conversation", "uncached", "read", "write", "output", "hit", "cost"]


def test_where_buckets_have_no_room_what_it_cost_stays_and_the_last_ones_go() -> None:
    titles = [column.title for column, _ in layout(57, chosen=SETS["tokens"])]
    assert titles == ["last", "conversation", "uncached", "read", "cost"]


async def test_a_summary_that_no_model_wrote_is_marked_beside_the_number_of_compressions(
    samples: Location,
) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW), 120, 40):
        rows = app.screen.query_one(SessionsList)
        lines = {line.title: rows.draw_row(line, 99, 118).text for line in rows.conversations}
    assert lines["Nightly triage"].rstrip().endswith("1 ✗")
    assert lines["Why is the deploy slow"].rstrip().endswith("0 · 1 failed")
    assert lines["Refactor the auth module"].rstrip().endswith(" 2")


def test_a_failure_after_which_a_summary_succeeded_is_no_mark(samples: Location) -> None:
    (line, *_) = read_page([samples], Order(), 0, 1).rows
    column = next(one for one in COLUMNS if one.title == "compr.")

    def shown(severity: Severity | None, completed: int = 2) -> str:
        extra = Extra(ContextUse(), completed, 1, severity)
        return column.draw(line, 6, CellSource(Palette(defaults()), NOW, extra)).text.strip()

    assert (shown(None), shown(Severity.CRITICAL)) == ("2", "2 ✗")
    assert shown(Severity.CRITICAL, 0) == "failed"  # a sign beside a nought would say nothing


async def test_columns_and_tab_are_the_same_in_the_next_run_where_nothing_is_wrong(
    samples: Location, tmp_path: Path
) -> None:
    def app() -> InspectorApp:
        state = RememberedState(tmp_path / "app.json")
        state.remember("welcomed", True)
        return InspectorApp([samples], state=state, now=lambda: NOW)

    async with settled(app(), 120, 40) as pilot:
        await press(pilot, "c", "enter")
        await press(pilot, "5")
    async with settled(second := app(), 120, 40) as pilot:
        assert second.screen.query_one(SessionsList).columns == "tokens"
        await press(pilot, "down", "enter")
        assert isinstance(second.screen, WorkspaceScreen)
        assert second.screen.view is not None
        assert type(second.screen.view).__name__ == "CacheView"


def test_every_column_of_the_list_can_be_set_and_no_other() -> None:
    assert set(get_args(ListColumn)) == {name_of(column) for column in COLUMNS}


@pytest.mark.parametrize("width", [60, 80, 104, 120, 200])
def test_columns_named_in_the_settings_are_there_at_every_width_that_holds_them(width: int) -> None:
    chosen = frozenset({"conversation", "msgs", "context used", "cost"})
    assert [name_of(column) for column, _ in layout(width, chosen=chosen)] == [
        "conversation",
        "msgs",
        "context used",
        "cost",
    ]


async def test_the_list_begins_with_the_columns_of_the_settings(samples: Location) -> None:
    write_own_settings("columns: [conversation, hit, cost]\n")
    async with settled(app := InspectorApp([samples], now=lambda: NOW), 100, 30) as pilot:
        listing = app.screen.query_one(SessionsList)
        assert listing.sorts == {"title", "hit", "cost"}
        await press(pilot, "c")
        assert listing.columns == "all"
