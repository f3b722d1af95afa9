"""Driving the app in a test without ever sleeping for luck."""

from __future__ import annotations

from textual.pilot import Pilot


async def settle(pilot: Pilot[None]) -> None:
    """Wait for every worker and what it set in motion."""
    await pilot.pause()
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.pause(0.01)
    await pilot.pause()
