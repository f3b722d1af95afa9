"""What the user looks at stays where it is while Hermes writes: in the palette, in Usage, far down a list."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.command import CommandList, CommandPalette
from textual.geometry import Offset
from textual.pilot import Pilot

from inspector.app import InspectorApp
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.map.view import MapView
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.usage.panel import UsagePanel
from tests.core.live.writer import Writer
from tests.inspector.driving import front, press, settle
from tests.inspector.screens.test_live import app_on, until, writer

__all__ = ["writer"]
MANY = 230
"""More than a page of any list."""


async def grown(pilot: Pilot[None], writes: Callable[[int], object]) -> None:
    """Hermes writes for two seconds, and the app catches up."""
    for number in range(20):
        writes(number)
        await pilot.pause(0.1)
    await pilot.pause(1.5)


async def test_the_palette_keeps_what_was_typed_and_chosen(writer: Writer) -> None:
    for number in range(6):
        writer.database.session(f"p{number}", title=f"Pelican {number}")
        writer.database.message(f"p{number}", "user", "hi")
    app = app_on(writer)
    async with app.run_test(size=(120, 30)) as pilot:
        home = front(app, SessionsScreen)
        await until(pilot, lambda: home.listing.rows.count == 7)
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"pelican")
        found = app.screen.query_one(CommandList)
        await until(pilot, lambda: found.option_count >= 6)
        await settle(pilot)
        await pilot.press("down", "down", "down")
        before, epoch = found.highlighted, home.pane._epoch
        assert before
        chosen = found.get_option_at_index(before)
        await grown(pilot, lambda number: writer.message(f"m{number}"))
        assert home.pane._epoch > epoch
        assert found.highlighted == before
        assert found.get_option_at_index(before) is chosen


@pytest.fixture
def priced(writer: Writer) -> Writer:
    """A conversation of several models, each with its usage."""
    models = ("gpt-5.2", "claude-sonnet-4-5", "gpt-5-mini")
    writer.database.session("u0", title="Priced")
    writer.database.turn("u0", "first")
    for number in (1, 2):
        writer.database.rotate(f"u{number - 1}", f"u{number}", head=1, tail=1, summary="what was done")
    for number, model in enumerate(models):
        writer.database.connection.execute(
            "UPDATE sessions SET model = ?, input_tokens = ?, api_call_count = 3 WHERE id = ?",
            (model, 40_000 - 10_000 * number, f"u{number}"),
        )
    return writer


async def test_usage_keeps_row_figure_and_how_far_its_card_was_scrolled(priced: Writer) -> None:
    app = app_on(priced, "u2")
    async with app.run_test(size=(120, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen) and app.screen.view is not None)
        await pilot.press("4")
        await until(pilot, lambda: bool(app.screen.query(UsagePanel)))
        panel = app.screen.query_one(UsagePanel)
        await until(pilot, lambda: panel.rows.rows.count > 2)
        await settle(pilot)
        await press(pilot, "down", "left")
        row, figure = panel.rows.current, panel.rows.figure
        assert row is not None
        assert panel.card.max_scroll_y > 1, "the card of this figure is too short to be scrolled"
        panel.card.scroll_to(y=2, animate=False)
        await settle(pilot)
        calls = panel.rows.rows
        await grown(pilot, lambda number: priced.database.message("u2", "user", f"m{number}"))
        await until(pilot, lambda: panel.rows.rows is not calls)
        await settle(pilot)
        now = panel.rows.current
        assert now is not None
        assert (now.key, panel.rows.figure) == (row.key, figure)
        assert panel.card.scroll_offset == Offset(0, 2)


async def test_the_cursor_far_down_a_long_list_stays_on_its_conversation(writer: Writer) -> None:
    for number in range(MANY):
        writer.database.session(f"x{number:03}", title=f"Older {number}")
        writer.database.message(f"x{number:03}", "user", "hi")
    writer.message("the newest")
    app = app_on(writer)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = front(app, SessionsScreen)
        listing = screen.listing
        await until(pilot, lambda: listing.rows.count == MANY + 1)
        await pilot.press("end")
        await until(pilot, lambda: listing.current is not None)
        await press(pilot, "up")
        before, epoch = listing.current, screen.pane._epoch
        assert before is not None
        assert listing.cursor >= 200
        await grown(pilot, lambda number: writer.message(f"m{number}"))
        assert screen.pane._epoch > epoch
        await until(pilot, lambda: listing.current is not None)
        assert listing.current is not None
        assert listing.current.session.id == before.session.id


async def test_the_map_of_a_long_conversation_follows_and_its_cursor_stays(writer: Writer) -> None:
    for number in range(MANY):
        writer.message(f"m{number}", "assistant" if number % 2 else "user")
    app = app_on(writer, "s1")
    async with app.run_test(size=(120, 40)) as pilot:
        view = await mapped(app, pilot, MANY + 1)
        await press(pilot, "end", "up", "up", "up")
        row, place = view.listing.row_id, view.panes.list.message
        assert row is not None
        await grown(pilot, lambda number: writer.message(f"later {number}", "assistant"))
        await until(pilot, lambda: len(view.listing.ids) == MANY + 21)
        assert (view.listing.row_id, view.panes.list.message) == (row, place)


async def mapped(app: InspectorApp, pilot: Pilot[None], count: int) -> MapView:
    await until(pilot, lambda: bool(app.screen.query(MapView)))
    view = app.screen.query_one(MapView)
    await until(pilot, lambda: view.work.annotations is not None and len(view.listing.ids) == count)
    return view
