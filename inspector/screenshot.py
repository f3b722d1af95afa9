"""Renders one frame of the app as SVG or PNG, without a terminal."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from textual.app import App
from textual.pilot import Pilot

from core.errors import InspectorError
from inspector.app import InspectorApp
from inspector.terminal.picture import write_picture

DEFAULT_SIZE = (120, 40)
MAX_SECONDS = 120.0
"""How long to wait for a frame to finish loading."""
STEP, CALM = 0.02, 12
"""Seconds between two checks for work, and how many find none: longer than any pause for a user."""


def take(app: InspectorApp, path: Path, size: tuple[int, int] = DEFAULT_SIZE) -> None:
    """Render an app that does not run yet once everything it reads has arrived, and write the frame.

    Raises:
        OSError: The file cannot be written.
        ConfigError: The package that makes PNGs is not installed.
        InspectorError: Something could not be read; the frame is still written and shows the error.
    """
    write_picture(path, asyncio.run(frame(app, size)))
    if app.failures:
        raise app.failures[0]


async def frame(app: InspectorApp, size: tuple[int, int] = DEFAULT_SIZE) -> str:
    """Return the frame as SVG, notifications included; cancel whatever takes longer than `MAX_SECONDS`."""
    async with app.run_test(size=size, notifications=True) as pilot:
        if not await at_rest(pilot, CALM, MAX_SECONDS):
            what = f"was still loading after {MAX_SECONDS:,.0f} s: the frame shows what had arrived"
            app.failures.append(InspectorError(what, where=str(app.locations[0].db)))
            app.workers.cancel_all()
        return app.export_screenshot(title=app.title)


async def at_rest(pilot: Pilot[None], checks: int, seconds: float) -> bool:
    """Wait until several checks in a row find an app with nothing to do; False if that takes too long.

    Before each check every widget works off its queue. Checks are counted, not the time they take: whatever
    keeps the app busy, such as the import of a screen, keeps it from checking too.
    """
    calm, until = 0, time.monotonic() + seconds
    while calm < checks:
        if time.monotonic() > until:
            return False
        await pilot.pause(STEP)
        calm = 0 if _is_busy(pilot.app) else calm + 1
    return True


def _is_busy(app: App[None]) -> bool:
    """Whether the first screen is not there yet, a worker runs, or a message waits that may start one."""
    if isinstance(app, InspectorApp) and not app.is_placed:
        return True
    if any(not worker.is_finished for worker in app.workers):
        return True
    widgets = (widget for screen in app.screen_stack for widget in screen.walk_children(with_self=True))
    return any(pump.message_queue_size for pump in (app, *widgets))
