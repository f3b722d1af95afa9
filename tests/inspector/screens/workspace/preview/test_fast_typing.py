"""Whoever types the next keys before a screen is there loses none: they reach what opens."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot

from core.preview.foreseen import Basis, basis_of
from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.apply.screen import ApplyScreen
from inspector.screens.page import Page
from inspector.screens.workspace.preview.focus.screen import FocusLab
from inspector.screens.workspace.preview.next_screens import EditSummary
from inspector.screens.workspace.preview.view import PreviewView
from inspector.screens.workspace.why.view import WhyView
from tests.inspector.driving import press, settle, settled
from tests.inspector.screens.conftest import open_app
from tests.inspector.screens.previewing import AUTH, view

PACE = 1 / 30
TOPIC = "auth tokens"


async def typed(pilot: Pilot[None], *keys: str) -> None:
    """Type without ever waiting for the app."""
    for key in keys:
        for one in [key] if key == "enter" else key:
            name = key if key == "enter" else _character_to_key(one)
            pilot.app.post_message(Key(name, "\r" if key == "enter" else one))
            await asyncio.sleep(PACE)
    await asyncio.sleep(1)
    await settle(pilot)


@pytest.fixture(params=[0.0, 0.6], ids=["fast", "slow to read"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The preview reads as fast as it can, or so slowly that all is typed before it has read."""

    def slowly(*args: Any) -> Basis:
        time.sleep(request.param)
        return basis_of(*args)

    monkeypatch.setattr("inspector.screens.workspace.preview.making.basis_of", slowly)


async def test_a_topic_typed_at_once_is_the_focus(samples: Location, reading: None) -> None:
    async with settled(open_app(samples, AUTH), 120, 40) as pilot:
        await typed(pilot, "3f", TOPIC, "enter")
        found = view(pilot).work.shown
        assert found is not None
        assert found.focus == TOPIC


async def test_from_the_list_too(samples: Location, reading: None) -> None:
    async with settled(InspectorApp([samples]), 120, 40) as pilot:
        await typed(pilot, "enter", "3f", TOPIC, "enter")
        found = pilot.app.screen.query_one(PreviewView).work
        assert found.focus == TOPIC
        assert not found.busy


async def test_turns_to_keep(samples: Location, reading: None) -> None:
    async with settled(open_app(samples, AUTH), 120, 40) as pilot:
        await typed(pilot, "3t", "3", "enter")
        assert view(pilot).work.turns == "3"


async def test_two_topics_to_compare(samples: Location, reading: None) -> None:
    async with settled(open_app(samples, "Split the tenant settings table"), 120, 40) as pilot:
        await typed(pilot, "3F")
        assert pilot.app.screen.query_one(PreviewView).query_one("PromptBar").has_class("-asking")
        await pilot.press("ctrl+u")
        await typed(pilot, "readers | tests", "enter")
        assert isinstance(pilot.app.screen, FocusLab)


@pytest.mark.parametrize(("key", "opened"), [("A", ApplyScreen), ("E", EditSummary)])
async def test_what_is_made_of_the_preview_waits_for_it(
    samples: Location, reading: None, key: str, opened: type[Page]
) -> None:
    async with settled(open_app(samples, "Split the tenant settings table"), 120, 40) as pilot:
        await typed(pilot, f"3{key}", "01")
        assert isinstance(pilot.app.screen, opened)


async def test_who_stops_the_preview_is_not_taken_to_what_waited_for_it(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(*args: Any) -> Basis:
        time.sleep(2)
        return basis_of(*args)

    monkeypatch.setattr("inspector.screens.workspace.preview.making.basis_of", slowly)
    async with settled(open_app(samples, "Split the tenant settings table"), 120, 40) as pilot:
        await typed(pilot, "3A")
        pilot.app.post_message(Key("escape", None))
        await asyncio.sleep(2)
        await settle(pilot)
        assert not isinstance(pilot.app.screen, ApplyScreen)
        await typed(pilot, "2")
        assert pilot.app.screen.query(WhyView)


async def test_escape_is_not_held_back(samples: Location) -> None:
    async with settled(app := open_app(samples, AUTH), 120, 40) as pilot:
        app.keys.hold()
        await pilot.press("3")
        assert not app.screen.query(PreviewView)
        await press(pilot, "escape")
        assert not app.screen.query(PreviewView)
