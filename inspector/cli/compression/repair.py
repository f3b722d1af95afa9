"""Restores the turns that `/compress here` of Hermes 0.18 and 0.19 should have kept but archived.

They are copied after the summary, followed by everything since. `undo` reverts it.
"""

from __future__ import annotations

import argparse

from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.compression import apply as writing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `repair`."""
    options.add_session_argument(parser)
    writing.add_consent(parser.add_argument_group("writing"))
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Show what would be restored, ask, write it."""
    from core.apply.rehearse import rehearse_repair

    with target.session(args) as (store, session):
        applied = writing.carry_out(args, store, rehearse_repair(store, session.id))
    return output.show(args, lambda: writing.payload(applied), writing.lines(applied))
