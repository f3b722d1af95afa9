"""The options that commands share, and a parser that reports a bad command line in one clear line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from core.errors import UsageError
from inspector.cli.arguments import parsers

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


_VERSION = "print the version and exit"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises an error instead of printing its usage and exiting.

    Attributes:
        mixes: Positional arguments may have options between them.
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
        """Raise a problem with the command line as a `UsageError`."""
        command = self.prog.partition(" ")[2]  # the program name already begins every error line
        missing = message.partition("required: ")[2].split(", ")
        help_text = f"See `{self.prog} --help`"
        remedy = "`latest` names the newest session" if "SESSION" in missing else help_text
        if near := self._meant(message.partition("unrecognized arguments: ")[2]):
            remedy = f"Did you mean `{near}`?"
        raise UsageError(message, where=command, remedy=remedy)

    def _meant(self, unknown: str) -> str | None:
        """The option that the first unknown one is a misspelling of."""
        from difflib import get_close_matches

        word = unknown.partition(" ")[0].partition("=")[0]
        names = self._option_string_actions if word.startswith("--") else ()
        return next(iter(get_close_matches(word, names, n=1)), None)

    def format_help(self) -> str:
        """The help, formatted to the terminal's width."""
        from inspector.cli.arguments.help_text import HelpText

        self.formatter_class = HelpText
        return super().format_help()

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help so that a full disk or a closed pipe raises an error, which argparse would hide."""
        (file or sys.stdout).write(self.format_help())
        sys.stdout.flush()


def _text(word: str) -> str:
    """An argument as text that a database can hold; bytes the locale could not decode are replaced.

    File names stay as the system gave them, because their options say `type=str` or `type=Path`.
    """
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unmeasured(prog: str) -> argparse.HelpFormatter:
    """The formatter argparse checks options with; a fixed width saves importing what measures terminals."""
    return argparse.HelpFormatter(prog, width=80)


def add_store_options(parser: argparse.ArgumentParser) -> None:
    """Add `--db`, `--home` and `--profile`, which select the session database."""
    group = parser.add_argument_group("which database (default: $HERMES_HOME, else ~/.hermes)")
    place = group.add_mutually_exclusive_group()
    place.add_argument("--db", metavar="FILE", type=Path, help="use this session database")
    place.add_argument("--home", metavar="DIR", type=Path, help="use this HERMES_HOME with config and logs")
    group.add_argument("--profile", type=str, metavar="NAME", help="use only this profile of the home")


def names_database(words: Sequence[str]) -> bool:
    """Whether a command line says with `--db` or `--home` which database is meant."""
    return any(word.partition("=")[0] in ("--db", "--home") for word in words)


def add_common_options(parser: argparse.ArgumentParser, version: str) -> None:
    """Add what any command line accepts: `--version`, and the store options even if no store is read."""
    known = parser._option_string_actions  # argparse has no public list of options
    if "--db" not in known:
        for name, kind in (("--db", Path), ("--home", Path), ("--profile", str)):
            parser.add_argument(name, type=kind, help=argparse.SUPPRESS) if name not in known else None
    parser.add_argument("--version", action="version", version=f"hermes-inspector {version}", help=_VERSION)


def add_session_argument(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add `SESSION`: an id or title, a unique beginning of one, or `latest`."""
    parser.add_argument(
        "session",
        metavar="SESSION",
        nargs="?" if optional else None,
        help="an id or title, a unique beginning of one, or `latest`",
    )


def add_release_option(parser: argparse.ArgumentParser) -> None:
    """Add `--release`, whose rules apply."""
    parser.add_argument("--release", metavar="X.Y", help="the release whose rules apply (default: detected)")


def add_json_option(parser: argparse.ArgumentParser, *, csv: str | None = None) -> None:
    """Add `--json`, the same result for scripts, and `--csv` with its help if the result is a table."""
    forms = parser.add_mutually_exclusive_group()
    if csv is not None:
        forms.add_argument("--csv", action="store_true", help=csv)
    forms.add_argument("--json", action="store_true", help="print JSON; its keys are stable")


def add_shared_options(parser: argparse.ArgumentParser, *, csv: str | None = None) -> None:
    """Add the options of every command that reads a database: `--json`, possibly `--csv`, which database."""
    add_json_option(parser, csv=csv)
    add_store_options(parser)


def add_app_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the app, such as `--screenshot`."""
    group = parser.add_argument_group("the app")
    add = group.add_argument
    drawn = "draw one frame to FILE, .svg or .png, and exit"
    add("--screenshot", metavar="FILE.svg", type=parsers.frame, help=drawn)
    add("--linear", action="store_true", help="print lines and numbered choices instead of drawing screens")
    add("--screen", metavar="NAME", help=_screens())
    add("--session", metavar="SESSION", help="the conversation to open there (default: the newest)")
    add("--focus", metavar="TOPIC", action="append", help="a topic for the focus lab; may be repeated")
    add("--engine", type=str, metavar="NAME|PATH|builtin|hermes", help="engine of map, preview and focus lab")
    add_python_option(group)
    add("--size", metavar="WxH", type=parsers.size, help="columns x rows of the screenshot, such as 120x40")


@cache
def valued() -> frozenset[str]:
    """Global options that take a value, so that the value is not mistaken for a command name."""
    parser = Parser("", "")
    taken: set[str] = set()
    for add in (add_store_options, add_app_options):
        add(parser)
    for action in parser._actions:  # argparse has no public list of options
        taken |= set(action.option_strings) if action.nargs != 0 else set()
    return frozenset(taken)


def _screens() -> str:
    from inspector.base.named_screens import HOME, NAMES

    return f"the screen to start on (default: {HOME}): {', '.join(NAMES)}"


def add_python_option(group: argparse._ActionsContainer) -> None:
    """Add `--hermes-python`."""
    group.add_argument(
        "--hermes-python",
        type=Path,
        metavar="PATH",
        help="the Python that runs Hermes (default: that of the `hermes` command)",
    )


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add `--engine` and `--hermes-python`, which select a context engine other than Hermes' own."""
    group = parser.add_argument_group("the context engine")
    group.add_argument(
        "--engine",
        type=str,
        metavar="NAME|PATH|builtin|hermes",
        help="let this engine compact a copy in a separate process; hermes: the installed release's own",
    )
    add_python_option(group)


def add_fleet_options(parser: argparse.ArgumentParser) -> None:
    """Add `--fleet` and its options: many machines, one document."""
    group = parser.add_argument_group("many machines")
    add = group.add_argument
    add("--fleet", metavar="GLOB|FILE", help="read every home or state.db a pattern matches or a file lists")
    add("--fleet-out", metavar="FILE", help="write .json, .csv or .parquet (default: JSON on stdout)")
    add("--fleet-jobs", type=parsers.positive, metavar="N", help="machines at once (default: one per core)")
    add("--engine", choices=("local", "ray"), help="what runs the work (default: local)")
    add("--address", metavar="ADDR", help="address of the Ray cluster (default: auto)")
