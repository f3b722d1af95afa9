"""Every screen draws a home made of hostile strings, and no terminal is asked to do anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.app import InspectorApp
from inspector.screens.sessions.screen import SessionsScreen
from inspector.screens.workspace.tabs import TABS
from inspector.widgets.messages.message_list import MessageList
from tests.hostile import HOSTILE, harmful
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import at_sizes, press, settle, settled

SIZES = (60, 30), (100, 30), (160, 30)


def lines(app: InspectorApp) -> Iterator[str]:
    """What the terminal would get, line by line."""
    for strip in app.screen._compositor.render_strips():
        yield "".join(segment.text for segment in strip)


def check(app: InspectorApp, width: int) -> None:
    for line in lines(app):
        assert not harmful(line), repr(line)
    assert app.screen.size.width == width


async def walk(pilot: Pilot[None], app: InspectorApp, width: int, keys: str) -> None:
    check(app, width)
    for key in keys.split():
        await press(pilot, key)
        check(app, width)
    assert not harmful(app.export_screenshot().replace("\n", ""))


async def test_the_list_the_search_and_the_help(app: MakeApp, hostile_home: Path) -> None:
    running = app(hostile_home)
    async with running.run_test(notifications=True, tooltips=True) as pilot:
        async for width in at_sizes(pilot, *SIZES):
            await walk(pilot, running, width, "g G space y question_mark escape")
            await walk(pilot, running, width, "slash left_square_bracket enter escape")
            await walk(pilot, running, width, "ctrl+f r e d enter G escape")
            assert isinstance(running.screen, SessionsScreen)


@pytest.mark.parametrize("tab", [tab.name for tab in TABS])
async def test_every_view_of_a_conversation(app: MakeApp, hostile_home: Path, tab: str) -> None:
    running = app(hostile_home, session="all", view=tab)
    async with running.run_test(notifications=True, tooltips=True) as pilot:
        async for width in at_sizes(pilot, *SIZES):
            await walk(pilot, running, width, "g j G")
        await pilot.press("enter")
        async for width in at_sizes(pilot, *SIZES):
            await walk(pilot, running, width, "")


async def test_every_message_in_full(app: MakeApp, hostile_home: Path) -> None:
    running = app(hostile_home, session="all", view="map")
    async with settled(running, 120, 30, notifications=True) as pilot:
        for place in range(len(HOSTILE)):
            running.screen.query_one(MessageList).cursor = place
            await settle(pilot)
            check(running, 120)
