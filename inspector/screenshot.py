"""One frame of the app as SVG, drawn without a terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.pilot import Pilot

from inspector.app import InspectorApp

DEFAULT_SIZE = (120, 40)
STEP, LOOKS = 0.02, 3
"""Seconds between two looks at whether anything is under way, and how many must find nothing in a row."""


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


async def frame(app: InspectorApp, size: tuple[int, int] = DEFAULT_SIZE) -> str:
    """The frame itself, with what the app has to say about it."""
    async with app.run_test(size=size, notifications=True) as pilot:
        await _settled(app, pilot)
        return app.export_screenshot(title=app.title)


async def _settled(app: InspectorApp, pilot: Pilot[None]) -> None:
    """Wait until no worker is left and none has started another, nor opened a screen that did."""
    calm = 0
    while calm < LOOKS:
        await pilot.pause(STEP)
        calm = 0 if any(not worker.is_finished for worker in app.workers) else calm + 1
