"""The options of `trajectory`."""

from __future__ import annotations

import argparse
import os

from core.trajectory.compress.plan import ROLES
from inspector.cli.arguments import parsers

_SUMMARISERS = ("extractive", "static", "anthropic", "openai")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add all options, in the order of the work."""
    add = parser.add_argument
    add("input", metavar="INPUT", type=str, help="a file, a folder, a quoted pattern or a URL")
    add("output", metavar="OUTPUT", type=str, nargs="?", help="a file, or a folder")
    _cut(parser.add_argument_group("what is cut"))
    _summary(parser.add_argument_group("the summary"))
    _work(parser.add_argument_group("the run"))


def _cut(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--release", metavar="X", help="use the rules of this release (default: the newest)")
    add("--target", type=parsers.positive, metavar="N", help="most tokens of a trajectory (default: 15250)")
    add("--summary-target", type=parsers.whole_number, metavar="N", help="summary tokens (default: 750)")
    add("--protect-last", type=parsers.whole_number, metavar="N", help="turns kept at the end (default: 4)")
    add(
        "--no-protect",
        choices=ROLES,
        metavar="ROLE",
        action="append",
        default=[],
        help=f"do not keep the first turn of this role ({', '.join(ROLES)}); may be repeated",
    )
    add("--tokenizer", type=str, metavar="NAME", help="o200k_base (default), cl100k_base, a tokenizer.json")
    add("--config", type=str, metavar="FILE", help="the YAML configuration of Hermes' own tool")
    add("--sample", type=_percent, metavar="PERCENT", help="process only this share of the entries")
    add("--seed", type=parsers.whole_number, default=42, metavar="N", help="seed of the sample (default: 42)")


def _summary(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--summariser",
        choices=_SUMMARISERS,
        default="extractive",
        help="who writes the summaries (default: %(default)s)",
    )
    add("--summary-file", type=str, metavar="FILE", help="use this text as every summary")
    add("--model", metavar="NAME", help="the model to ask")
    add("--provider", metavar="NAME", help="its provider, as Hermes names it")
    add("--base-url", metavar="URL", help="its API")
    add("--api-key", metavar="KEY", help="its key; safer in the environment")
    add("--concurrency", type=parsers.positive, metavar="N", help="parallel requests (default: 50)")
    add("--timeout", type=_seconds, default=300.0, metavar="S", help="most seconds per entry (default: 300)")
    add("--yes", action="store_true", help="agree to the price in advance")


def _work(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--dry-run", action="store_true", help="report what would be done; write nothing")
    group.add_argument("--browse", action="store_true", help="open the trajectories in the app")
    group.add_argument(
        "--screenshot", metavar="FILE.svg", type=parsers.frame, help="with --browse: draw one frame"
    )
    group.add_argument("--size", metavar="WxH", type=parsers.size, help="size of that frame, such as 120x40")
    group.add_argument(
        "--jobs",
        type=parsers.positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="parallel processes (default: %(default)s)",
    )
    group.add_argument("--engine", choices=("local", "ray"), default="local", help="what runs the work")
    group.add_argument("--address", metavar="ADDR", help="address of the Ray cluster (default: auto)")
    group.add_argument("--parts", action="store_true", help="write unjoined parts into the folder OUTPUT")
    group.add_argument("--restart", action="store_true", help="start over and overwrite existing output")
    group.add_argument("--metrics", type=str, metavar="FILE", help="also write the totals to this file")


def _percent(text: str) -> float:
    """A percentage, above 0 and up to 100."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0 and at most 100")
    return value


def _seconds(text: str) -> float:
    """A time in seconds above 0."""
    try:
        value = float(text.removesuffix("s"))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from error
    if not 0 < value < 10**7:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
