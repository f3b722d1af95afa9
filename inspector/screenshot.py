"""One frame of the app as SVG, drawn without a terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.pilot import Pilot

from inspector.app import InspectorApp

DEFAULT_SIZE = (120, 40)
STEP = 0.02


def take(app: InspectorApp, path: Path, size: tuple[int, int] = DEFAULT_SIZE) -> None:
    """Draw the app once everything it reads has arrived, and write the frame.

    Args:
        app: Not yet running; its arguments say which screen and session to show.
        path: The SVG to write.
        size: Columns and rows.

    Raises:
        OSError: The file cannot be written.
    """
    path.write_text(asyncio.run(frame(app, size)), encoding="utf-8")


async def frame(app: InspectorApp, size: tuple[int, int] = DEFAULT_SIZE, press: tuple[str, ...] = ()) -> str:
    """The frame itself, after some keys when wanted."""
    async with app.run_test(size=size) as pilot:
        await _settled(app, pilot)
        for key in press:
            await pilot.press(key)
            await _settled(app, pilot)
        return app.export_screenshot(title=app.title)


async def _settled(app: InspectorApp, pilot: Pilot[None]) -> None:
    """Wait until no worker is left: one may start the next, one may have been told to stop."""
    await pilot.pause()
    while any(not worker.is_finished for worker in app.workers):
        await pilot.pause(STEP)
    await pilot.pause()
