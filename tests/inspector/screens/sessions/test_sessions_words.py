"""The first line of the list, its sums and its legend."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.model.finding import Severity
from core.store.database.locate import Location
from inspector.screens.sessions.words import header, legend
from inspector.widgets.bars.status_line import StatusLine
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import settle
from tests.inspector.screens.session_list import head_right, screen


async def test_the_name_of_the_app_gives_way_to_what_it_cost(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        head = screen(running).query_one("#head", StatusLine)
        named = any("Hermes Inspector" in text for _, text in head.left)
        assert named or head_right(running).startswith("30 days"), head.left


async def test_the_first_line_sums_up_the_last_days(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        # Two conversations carry a price; the chain and the silent one carry none.
        assert head_right(running) == "30 days  ≥$0.084 · hit 85%"


async def test_findings_are_counted_once_somebody_looked(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        key = screen(running).listing.current
        assert key is not None
        running.diagnosed[key.key] = Counter({Severity.WARNING: 2, Severity.INFO: 1})
        screen(running).on_screen_resume()
        assert head_right(running).endswith(" · 3 findings")


async def test_where_there_is_little_room_the_place_stays_and_the_sums_give_way(
    app: MakeApp, home: Path
) -> None:
    running = app(home)
    async with running.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        head = screen(running).query_one("#head", StatusLine)
        assert "4 conversations" in head.render_line(0).text
        assert sum(len(text) for _, text in (*head.left, *head.right)) <= 56 or not head.right


async def test_sessions_older_than_the_days_summed_up_cost_nothing_now(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    database.connection.execute("UPDATE sessions SET started_at = started_at - 31 * 86400")
    running = app(home)
    async with running.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert head_right(running) == "no sessions in 30 days"


@pytest.mark.parametrize("room", range(0, 90, 7))
def test_no_sign_of_the_legend_stands_without_its_word(room: int) -> None:
    for examined in (False, True):
        words = [text.strip() for _, text in legend(room, examined=examined)]
        assert all(word for word in words[1::3])
        assert sum(len(text) for _, text in legend(room, examined=examined)) <= room + 2


def test_where_there_is_little_room_the_home_is_called_by_its_last_folder() -> None:
    place = Location(Path("/somewhere/deep/below/hermes/state.db"), Path("/somewhere/deep/below/hermes"))
    wide, narrow = ("".join(text for _, text in header([place], 12, width)) for width in (140, 66))
    assert "/somewhere/deep/below/hermes · 12 conversations" in wide
    assert narrow == "…/hermes · 12 conversations"
