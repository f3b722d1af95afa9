"""One frame of the app as SVG or PNG, drawn without a terminal."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from textual.pilot import Pilot

from core.errors import InspectorError
from inspector.app import InspectorApp
from inspector.terminal.picture import write_picture

DEFAULT_SIZE = (120, 40)
MOST_SECONDS = 120.0
"""How long a frame is waited for."""
STEP, LOOKS = 0.02, 3
"""Seconds between two looks at whether anything is under way, and how many must find nothing in a row."""


def take(app: InspectorApp, path: Path, size: tuple[int, int] = DEFAULT_SIZE) -> None:
    """Draw the app once everything it reads has arrived, and write the frame.

    Args:
        app: Not yet running; its arguments say which screen and session to show.
        path: The picture to write; a name that ends in .png gets a PNG.
        size: Columns and rows.

    Raises:
        OSError: The file cannot be written.
        ConfigError: What draws a PNG is not installed.
        InspectorError: Something could not be read; the frame is written all the same, and shows what.
    """
    write_picture(path, asyncio.run(frame(app, size)))
    if app.failures:
        raise app.failures[0]


async def frame(app: InspectorApp, size: tuple[int, int] = DEFAULT_SIZE) -> str:
    """The frame itself, with what the app has to say about it; what takes too long is left out."""
    async with app.run_test(size=size, notifications=True) as pilot:
        if not await _settled(app, pilot):
            what = f"is still read after {MOST_SECONDS:,.0f} s: the frame shows what was there by then"
            app.failures.append(InspectorError(what, where=str(app.locations[0].db)))
            app.workers.cancel_all()
        return app.export_screenshot(title=app.title)


async def _settled(app: InspectorApp, pilot: Pilot[None]) -> bool:
    """Wait until no worker is left and none has started another, nor opened a screen that did.

    Returns:
        Whether that came to pass within `MOST_SECONDS`.
    """
    calm, latest = 0, time.monotonic() + MOST_SECONDS
    while calm < LOOKS:
        if time.monotonic() > latest:
            return False
        await pilot.pause(STEP)
        calm = 0 if any(not worker.is_finished for worker in app.workers) else calm + 1
    return True
