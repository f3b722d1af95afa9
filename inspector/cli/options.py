"""Options every command shares, and the parser that turns a bad command line into one clear line."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from core.errors import UsageError

VALUED = ("--db", "--home", "--profile", "--screenshot", "--screen", "--size", "--theme")
"""Global options that take a value: it must not be mistaken for the name of a command."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage and exiting."""

    def __init__(self, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str) -> NoReturn:
        """Raise what went wrong with the command line as a `UsageError`."""
        raise UsageError(message, where=self.prog, remedy=f"See `{self.prog} --help`")


def add_store_options(parser: argparse.ArgumentParser) -> None:
    """`--db`, `--home` and `--profile`: which session database is meant."""
    group = parser.add_argument_group("which database (default: $HERMES_HOME, else ~/.hermes)")
    place = group.add_mutually_exclusive_group()
    place.add_argument("--db", metavar="FILE", type=Path, help="this session database")
    place.add_argument(
        "--home", metavar="DIR", type=Path, help="this HERMES_HOME (state.db, config.yaml, logs/)"
    )
    group.add_argument("--profile", metavar="NAME", help="this profile of the home")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """`--json`: the same result for scripts."""
    parser.add_argument("--json", action="store_true", help="print JSON; its keys are stable")


def add_app_options(parser: argparse.ArgumentParser) -> None:
    """`--screenshot` and what goes with it."""
    group = parser.add_argument_group("the app")
    group.add_argument("--screenshot", metavar="FILE.svg", type=Path, help="draw one frame to FILE and exit")
    group.add_argument("--screen", metavar="NAME", help="the screen to start on (default: sessions)")
    group.add_argument("--size", metavar="WxH", type=size, help="columns x rows of the screenshot, as 120x40")


def size(text: str) -> tuple[int, int]:
    """Columns and rows from `120x40`.

    Raises:
        argparse.ArgumentTypeError: The text has another form, or a terminal cannot be that small or large.
    """
    columns, cross, rows = text.lower().partition("x")
    if not (cross and columns.isdecimal() and rows.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not WIDTHxHEIGHT, as 120x40")
    width, height = int(columns), int(rows)
    if not (20 <= width <= 1000 and 5 <= height <= 1000):
        raise argparse.ArgumentTypeError(f"{text!r} is outside 20x5 to 1000x1000")
    return width, height


def positive(text: str) -> int:
    """A whole number above 0; `200_000`, `200,000`, `200K` and `1M` are accepted.

    Raises:
        argparse.ArgumentTypeError: The text is no such number.
    """
    value = whole(text)
    if value == 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def whole(text: str) -> int:
    """A whole number of 0 or more; see `positive` for the forms accepted.

    Raises:
        argparse.ArgumentTypeError: The text is no such number.
    """
    digits = text.strip().replace(",", "").replace("_", "")
    unit = {"k": 1_000, "m": 1_000_000}.get(digits[-1:].lower(), 1)
    digits = digits[:-1] if unit > 1 else digits
    if not (digits.isascii() and digits.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(digits) * unit


def share(text: str) -> float:
    """A share between 0 and 1; `0.5` and `50%` mean the same.

    Raises:
        argparse.ArgumentTypeError: The text is no number, or lies outside the range.
    """
    number, percent = (text[:-1], 100.0) if text.endswith("%") else (text, 1.0)
    try:
        value = float(number) / percent
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not 0.0 < value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share between 0 and 1")
    return value
