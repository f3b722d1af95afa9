"""Renders one frame of the app as SVG or PNG, without a terminal."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from textual.pilot import Pilot

from core.errors import InspectorError
from inspector.app import InspectorApp
from inspector.terminal.picture import write_picture

DEFAULT_SIZE = (120, 40)
MAX_SECONDS = 120.0
"""How long to wait for a frame to finish loading."""
STEP, CALM = 0.02, 0.25
"""Seconds between two checks for workers, and for how long none runs: longer than any pause for a user."""


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
        if not await _settled(app, pilot):
            what = f"was still loading after {MAX_SECONDS:,.0f} s: the frame shows what had arrived"
            app.failures.append(InspectorError(what, where=str(app.locations[0].db)))
            app.workers.cancel_all()
        return app.export_screenshot(title=app.title)


async def _settled(app: InspectorApp, pilot: Pilot[None]) -> bool:
    """Wait until the first screen is there and no worker has more work; False if that takes too long."""
    worked = begun = time.monotonic()
    while time.monotonic() - worked < CALM:
        if time.monotonic() - begun > MAX_SECONDS:
            return False
        await pilot.pause(STEP)
        if not app.is_placed or any(not worker.is_finished for worker in app.workers):
            worked = time.monotonic()
    return True
