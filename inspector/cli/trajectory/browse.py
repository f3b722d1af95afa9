"""The app on a file of trajectories."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.cli.trajectory import job as jobs

if TYPE_CHECKING:
    from core.trajectory.input.sources import Input


def start(args: argparse.Namespace, found: Input) -> int:
    """Open the list of trajectories, or draw one frame of it."""
    from core.support.file_cache import OWN_KEYS, config_directory
    from inspector.app import InspectorApp
    from inspector.cli.app import open as app
    from inspector.screens.trajectories.screen import TrajectoriesScreen
    from inspector.terminal.stdout import colours_of_terminal

    job, _ = jobs.job(args, found)
    keys = config_directory() / OWN_KEYS
    shown = None if args.screenshot else colours_of_terminal()
    running = InspectorApp(
        (), keys=keys, colours=shown, home=lambda: TrajectoriesScreen(replace(job, dry=True))
    )
    return app.show(running, args.screenshot, args.size)
