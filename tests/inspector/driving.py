"""Driving the app in a test without ever sleeping for luck."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from inspector.screenshot import at_rest
from inspector.widgets.bars.answer_and_keys import KeyBar

S = TypeVar("S", bound=Screen[Any])
REST = 0.01
"""Seconds for which the app waits in tests wherever it waits for a user to pause."""
FOREVER = 120
"""Seconds after which an app that still has something to do will always have."""


async def settle(pilot: Pilot[None]) -> None:
    """Wait for every worker, what it started, and what waits until the user pauses.

    Two checks must find nothing to do, since what the last worker told may start another.
    """
    assert await at_rest(pilot, 2, FOREVER), "the app never comes to rest: does its layout answer to itself?"


@asynccontextmanager
async def settled(
    app: App[None], width: int = 80, height: int = 24, **options: Any
) -> AsyncIterator[Pilot[None]]:
    """Run an app in a terminal of a size, once everything it reads is there."""
    async with app.run_test(size=(width, height), **options) as pilot:
        await settle(pilot)
        yield pilot


async def at_sizes(pilot: Pilot[None], *sizes: tuple[int, int]) -> AsyncIterator[int]:
    """The width of each size, once the app has it and all is drawn, as for a user who drags the window."""
    for size in sizes:
        await pilot.resize_terminal(*size)
        await settle(pilot)
        assert pilot.app.size == size
        yield size[0]


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys and wait for what they start."""
    await pilot.press(*keys)
    await settle(pilot)


def front(app: App[Any], kind: type[S]) -> S:
    """The screen in front, which is of a kind."""
    assert isinstance(app.screen, kind)
    return app.screen


def keys(app: App[None]) -> str:
    """The last line of a screen: the keys that work there."""
    return app.screen.query_one(KeyBar).render_line(0).text
