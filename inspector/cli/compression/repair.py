"""Puts back the turns that `/compress here` of Hermes 0.18 and 0.19 was to keep, and archived instead.

They are copied behind the summary, and what was said since behind them. `undo` takes it back.
"""

from __future__ import annotations

import argparse

from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.compression import apply as writing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `repair`."""
    options.add_session_argument(parser)
    writing.add_consent(parser.add_argument_group("writing"))
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Show what would be put back, ask, write it."""
    from core.apply.rehearse import rehearse_repair

    with target.session(args) as (store, session):
        applied = writing.carry_out(args, store, rehearse_repair(store, session.id))
    return output.show(args, lambda: writing.payload(applied), writing.lines(applied))
