"""The list of sessions: its rows and what keys and clicks do with them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from textual.geometry import Offset

from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.sessions.card import SessionCard
from inspector.screens.sessions.data.order import SORTS
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.tabs import TABS
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.bars.title_bar import TitleBar
from inspector.widgets.lists.row_list import RowList
from tests.conftest import NOW
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import at_sizes, front, press, settle, settled
from tests.inspector.screens.session_list import drawn, screen, titles


async def test_one_row_a_conversation_newest_first(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30):
        assert titles(running) == [
            "Résumé du journal", "Port the parser #2", "Refactor the auth module", "Rename the CLI flag",
        ]  # fmt: skip


async def test_unknown_is_never_drawn_as_nought(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30):
        silent = next(line for line in drawn(running) if "journal" in line)
        assert silent.split()[-2:] == ["–", "0"]  # no cost; it was never compressed


async def test_no_bucket_of_an_unreported_session_is_drawn_as_nought(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 240, 30):
        silent = next(line for line in drawn(running) if "journal" in line)
        assert silent.split()[-8:-1] == ["–"] * 7


async def test_a_chain_counts_the_messages_it_is_sorted_by(app: MakeApp, home: Path) -> None:
    with closing(sqlite3.connect(home / "state.db")) as connection, connection:
        connection.execute("UPDATE sessions SET message_count = 111")
    async with settled(running := app(home), 200, 30):
        chain = next(line for line in drawn(running) if "Port the parser" in line)
        assert " 222 " in chain


async def test_a_title_is_never_cut_for_the_sign_of_the_order(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 200, 30) as pilot:
        for _ in SORTS:
            await press(pilot, "s")
            assert "…" not in drawn(running)[0]


async def test_the_filter_is_live_and_escape_clears_it(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await pilot.press("slash", *"parser")
        await pilot.pause(0.2)
        await settle(pilot)
        assert titles(running) == ["Port the parser #2"]
        await press(pilot, "enter", "escape")
        assert len(titles(running)) == 4


async def test_the_way_out_of_the_filter_is_named_only_while_there_is_one(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:

        def keys() -> str:
            return screen(running).query_one(KeyBar).render_line(0).text

        await press(pilot, "escape")  # takes the line above the list away
        assert "clear" not in keys()
        await press(pilot, "slash")
        assert "esc clear" in keys()
        await press(pilot, "x", "escape")
        assert "clear" not in keys()


async def test_a_filter_that_finds_nothing_says_what_helps(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await pilot.press("slash", *"zzz", "enter")
        await pilot.pause(0.2)
        await settle(pilot)
        assert any("esc clears the filter" in line for line in drawn(running))


async def test_space_shows_the_sessions_of_a_chain(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30, notifications=True) as pilot:
        await press(pilot, "j", "space")
        assert titles(running)[1:4] == ["Port the parser #2", "Port the parser", "Port the parser #2"]
        await press(pilot, "space")
        assert len(titles(running)) == 4
        await press(pilot, "k", "space")
        assert any("nothing to unfold" in note.message for note in running._notifications)


async def test_enter_opens_the_conversation_and_escape_returns(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await press(pilot, "j", "j", "enter")
        found = front(running, WorkspaceScreen)
        assert found.session_id == "twice"
        await pilot.press("escape")
        assert isinstance(running.screen, SessionsScreen)


async def test_a_click_moves_and_a_second_click_opens(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        await pilot.click(RowList, offset=(20, 3))
        assert screen(running).listing.cursor == 2
        await pilot.click(RowList, offset=(20, 3))
        await settle(pilot)
        assert isinstance(running.screen, WorkspaceScreen)


async def test_lines_fit_every_width_and_cost_is_always_there(app: MakeApp, home: Path) -> None:
    running = app(home)
    async with running.run_test() as pilot:
        async for width in at_sizes(pilot, *((width, 24) for width in (40, 60, 80, 100, 120, 160, 200))):
            listing = screen(running).listing
            lengths = {listing.render_line(y).cell_length for y in range(listing.size.height)}
            assert lengths == {listing.row_width}
            if width >= 60:
                assert "cost" in drawn(running)[0]
                assert "$0.042" in "".join(drawn(running))


async def test_an_untitled_conversation_is_shown_by_what_its_user_said_first(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    database.session("nameless")
    database.message("nameless", "user", "Why is the\nbuild slow?")
    database.session("speechless")
    async with settled(running := app(home), 120, 30):
        lines = drawn(running)
        assert sum("Why is the build slow?" in line for line in lines) == 1
        assert sum("speechless" in line for line in lines) == 1
        assert not any("nameless" in line for line in lines)


async def test_a_high_screen_says_the_row_under_the_cursor_in_full(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 40) as pilot:
        await press(pilot, "G")
        card = screen(running).query_one(SessionCard)
        text = [line.render_line(0).text.strip() for line in card.query(StatusLine)]
        assert text[0].startswith("Rename the CLI flag · plain · anthropic/claude-opus-4-5")
        assert " of 64,000 tokens (" in text[1]
        assert "0 compressions" in text[1]
        assert text[2].startswith(
            "$0.042 estimated · 36,000 tokens · 1,200 uncached input · 30,000 cache read"
        )


async def test_what_writing_summaries_cost_is_part_of_what_the_conversation_cost(
    app: MakeApp, home: Path
) -> None:
    with closing(sqlite3.connect(home / "state.db")) as connection, connection:
        connection.executemany(
            "INSERT INTO session_model_usage (session_id, model, task, estimated_cost_usd)"
            " VALUES (?, ?, ?, ?)",
            [("plain", "m", "", 0.042), ("plain", "m", "compression", 0.01)],
        )
    async with settled(running := app(home), 120, 40) as pilot:
        await press(pilot, "G")
        *_, spent = screen(running).query_one(SessionCard).query(StatusLine)
        told = spent.render_line(0).text.strip()
        assert told.startswith(
            "$0.052 estimated ($0.010 of it for summaries and side tasks) · 36,000 tokens without those · "
        )


async def test_a_low_screen_has_no_lines_for_that_if_the_rows_need_them(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 24) as pilot:
        card = screen(running).query_one(SessionCard)
        assert card.display
        await pilot.resize_terminal(120, 11)
        await settle(pilot)
        assert not card.display


async def test_the_terminal_has_its_cursor_on_the_row_that_has_the_keys(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30) as pilot:
        listing = screen(running).listing
        before = running.cursor_position
        assert before == listing.content_region.offset + Offset(0, listing.HEADER_LINES + listing.cursor)
        await press(pilot, "j")
        assert running.cursor_position == before + Offset(0, 1)


@pytest.mark.parametrize(
    ("title", "tab"), [("Why is the deploy slow", "why"), ("Split the tenant settings", "map")]
)
async def test_enter_opens_what_is_wrong_at_its_tab(samples: Location, title: str, tab: str) -> None:
    running = InspectorApp([samples], now=lambda: NOW)
    running.remember("tab", "usage")  # where the user was last, which stands behind what is wrong
    async with settled(running, 120, 50) as pilot:
        lines = screen(running).listing.conversations
        at = next(place for place, line in enumerate(lines) if (line.title or "").startswith(title))
        await press(pilot, *"j" * at, "enter")
        assert isinstance(running.screen, WorkspaceScreen)
        assert running.screen.query_one(TitleBar).active == [one.name for one in TABS].index(tab)
