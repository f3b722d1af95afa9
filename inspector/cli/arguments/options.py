"""Options every command shares, and the parser that turns a bad command line into one clear line."""

from __future__ import annotations

import argparse
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from core.errors import UsageError
from inspector.cli.arguments import parsers as numbers

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


_VERSION = "print the version and end"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage and exiting.

    Attributes:
        mixes: Its words may stand apart, with options between them.
    """

    mixes = False

    def __init__(self, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=_unmeasured,
        )
        self.register("type", None, _text)

    def error(self, message: str) -> NoReturn:
        """Raise what went wrong with the command line as a `UsageError`."""
        command = self.prog.partition(" ")[2]  # the program's own name stands before every error
        raise UsageError(message, where=command, remedy=f"See `{self.prog} --help`")

    def format_help(self) -> str:
        """The help, as wide as the terminal."""
        from inspector.cli.arguments.help_text import HelpText

        self.formatter_class = HelpText
        return super().format_help()

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help and let a full disk or a closed pipe be noticed, which argparse would hide."""
        (file or sys.stdout).write(self.format_help())
        sys.stdout.flush()


def _text(word: str) -> str:
    """A word of the command line as text a database can hold, whatever the locale could not decode in it.

    Names of files stay as the system gave them: their options say `type=str` or `type=Path`.
    """
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unmeasured(prog: str) -> argparse.HelpFormatter:
    """What argparse checks each option with: a fixed width saves it the modules that measure the terminal."""
    return argparse.HelpFormatter(prog, width=80)


def add_store_options(parser: argparse.ArgumentParser) -> None:
    """`--db`, `--home` and `--profile`: which session database is meant."""
    group = parser.add_argument_group("which database (default: $HERMES_HOME, else ~/.hermes)")
    place = group.add_mutually_exclusive_group()
    place.add_argument("--db", metavar="FILE", type=Path, help="this session database")
    place.add_argument(
        "--home", metavar="DIR", type=Path, help="this HERMES_HOME (state.db, config.yaml, logs/)"
    )
    group.add_argument("--profile", type=str, metavar="NAME", help="this profile of the home")


def add_common_options(parser: argparse.ArgumentParser, version: str) -> None:
    """What may stand on any command line: the store options, also where no store is read, and `--version`."""
    known = parser._option_string_actions  # argparse tells of its options nowhere else
    if "--db" not in known:
        for name, kind in (("--db", Path), ("--home", Path), ("--profile", str)):
            parser.add_argument(name, type=kind, help=argparse.SUPPRESS) if name not in known else None
    parser.add_argument("--version", action="version", version=f"hermes-inspector {version}", help=_VERSION)


def add_session_argument(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """`SESSION`: an id or a title, a unique beginning of one, or `latest`."""
    parser.add_argument(
        "session",
        metavar="SESSION",
        nargs="?" if optional else None,
        help="an id or a title, or the unique beginning of one, or `latest`",
    )


def add_json_option(parser: argparse.ArgumentParser, *, csv: str | None = None) -> None:
    """`--json`: the same result for scripts.

    Args:
        parser: Of the command.
        csv: Help of `--csv`, which goes without `--json`; None where the result is no table.
    """
    forms = parser.add_mutually_exclusive_group()
    if csv is not None:
        forms.add_argument("--csv", action="store_true", help=csv)
    forms.add_argument("--json", action="store_true", help="print JSON; its keys are stable")


def add_shared_options(parser: argparse.ArgumentParser, *, csv: str | None = None) -> None:
    """What every command takes that reads a database: `--json`, perhaps `--csv`, and which database."""
    add_json_option(parser, csv=csv)
    add_store_options(parser)


def add_app_options(parser: argparse.ArgumentParser) -> None:
    """`--screenshot` and what goes with it."""
    group = parser.add_argument_group("the app")
    add = group.add_argument
    add("--screenshot", metavar="FILE.svg", type=Path, help="draw one frame to FILE, .svg or .png, and exit")
    add("--linear", action="store_true", help="print lines and numbered choices instead of drawing")
    add("--screen", metavar="NAME", help=_screens())
    add("--session", metavar="SESSION", help="the conversation to open there (default: the newest)")
    add(
        "--focus",
        metavar="TOPIC",
        action="append",
        help="a topic for the focus lab to compare; may be repeated",
    )
    add(
        "--engine",
        type=str,
        metavar="NAME|PATH|builtin|hermes",
        help="the context engine whose cut map, preview and focus lab show",
    )
    add_python_option(group)
    add("--size", metavar="WxH", type=numbers.size, help="columns x rows of the screenshot, as 120x40")


@cache
def valued() -> frozenset[str]:
    """Global options that take a value: it must not be mistaken for the name of a command."""
    parser = Parser("", "")
    taken: set[str] = set()
    for add in (add_store_options, add_app_options):
        add(parser)
    for action in parser._actions:  # argparse tells of its options nowhere else
        taken |= set(action.option_strings) if action.nargs != 0 else set()
    return frozenset(taken)


def _screens() -> str:
    from inspector.base.named_screens import HOME, NAMES

    return f"the screen to start on (default: {HOME}): {', '.join(NAMES)}"


def add_python_option(group: argparse._ActionsContainer) -> None:
    """`--hermes-python`."""
    group.add_argument(
        "--hermes-python",
        type=Path,
        metavar="PATH",
        help="the interpreter Hermes runs on (default: that of the `hermes` command)",
    )


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """`--engine` and `--hermes-python`: a context engine other than Hermes' own."""
    group = parser.add_argument_group("the context engine")
    group.add_argument(
        "--engine",
        type=str,
        metavar="NAME|PATH|builtin|hermes",
        help="let this engine compact a copy, in a process of its own; hermes: the installed release's own",
    )
    add_python_option(group)


def add_fleet_options(parser: argparse.ArgumentParser) -> None:
    """`--fleet` and what goes with it: many machines, one document."""
    group = parser.add_argument_group("many machines")
    add = group.add_argument
    add("--fleet", metavar="GLOB|FILE", help="every home or state.db that fits or that a list names")
    add("--fleet-out", metavar="FILE", help="write .json, .csv or .parquet (default: JSON on stdout)")
    add(
        "--fleet-jobs", type=numbers.positive, metavar="N", help="machines at once (default: one a processor)"
    )
    add("--engine", choices=("local", "ray"), help="where the work is done (default: local)")
    add("--address", metavar="ADDR", help="of the Ray cluster (default: auto)")
