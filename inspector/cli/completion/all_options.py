"""Every command with every option, in one parser: what completion and the manual page are made of."""

from __future__ import annotations

import argparse
import importlib

from inspector import __version__
from inspector.cli.arguments import options
from inspector.cli.registry import COMMANDS

PROGRAM = "hermes-inspector"
SUMMARY = "See why Hermes Agent compressed a conversation, what it lost and what it cost."


def all_options() -> argparse.ArgumentParser:
    """The whole command line; imports every command, so it is made for nothing short."""
    parser = argparse.ArgumentParser(PROGRAM, description=SUMMARY, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=__version__, help="print the version and end")
    options.add_store_options(parser)
    options.add_app_options(parser)
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        module = importlib.import_module(f"inspector.cli.{command.module}")
        described = (module.__doc__ or "").strip()
        one = commands.add_parser(name, help=command.summary, description=described, allow_abbrev=False)
        module.add_arguments(one)
    return parser


def parsers_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of its commands, by name, in the order of the help; empty where it has none."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:  # argparse tells of them nowhere else
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found
