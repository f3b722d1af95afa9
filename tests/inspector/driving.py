"""Driving the app in a test without ever sleeping for luck."""

from __future__ import annotations

from textual.pilot import Pilot


async def settle(pilot: Pilot[None]) -> None:
    """Wait for every worker and what it set in motion."""
    await pilot.pause()
    while any(worker.is_running for worker in pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()
