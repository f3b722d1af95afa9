"""Opens sample conversations of every kind the inspector explains, kept in the user's cache directory.

A command after `demo` answers for them: `demo why latest`, `demo usage`.
"""

from __future__ import annotations

import argparse
import sys

from inspector.cli.arguments import options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `demo`."""
    options.add_app_options(parser)
    parser.add_argument("--path", action="store_true", help="print the samples' home instead, for --home")


def run(args: argparse.Namespace) -> int:
    """Open the app on the sample sessions."""
    from sample_sessions.demo import demo_home

    home = demo_home()
    if args.path:
        sys.stdout.write(f"{home}\n")
        return 0
    from inspector.cli.app import open as app

    return app.start(argparse.Namespace(**{**vars(args), "home": home}))
