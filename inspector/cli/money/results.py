"""Lists tool results: saved to a file, truncated, or cut by their tool; their cost; what can be read back.

With --incoming, FILE is a JSON list of `{"id", "tool", "content"}` that arrive in one turn, and the answer is
what a release does with them. Then `length` is that of the message a result becomes; for a single result,
that of the result before it is wrapped.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from core.compress.tool_results.arrival import Arriving, Content, arrive
from core.compress.tool_results.replacement import ENVIRONMENTS, result_sizes, storage
from core.errors import UsageError
from core.imports import openai_messages as transcript
from inspector.cli import output
from inspector.cli.arguments import options, parsers, target
from inspector.cli.compression.question import asked_release

if TYPE_CHECKING:
    from core.explain.tool_results.life import ResultLife, ResultLives


SORTS = ("tokens", "calls", "row")
"""Fields of a result."""
_REMEDY = 'It must be a JSON list of {"id", "tool", "content"}'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `results`."""
    options.add_session_argument(parser, optional=True)
    add = parser.add_argument
    add("--incoming", type=str, metavar="FILE", help="results that arrive in one turn; - for stdin")
    options.add_release_option(parser)
    add("--window", type=parsers.whole_number, metavar="N", help="the model's context length")
    add(
        "--environment",
        choices=("local", "none"),
        default=None,
        help="with --incoming: none if the task has not used a terminal (default: local)",
    )
    add("--check-files", action="store_true", help="check whether saved files exist; none is opened")
    add("--no-prices", action="store_true", help="leave costs out; faster")
    add("--sort", choices=("cost", *SORTS), default="cost", help="sort by this (default: %(default)s)")
    add("--limit", type=parsers.positive, metavar="N", help="show at most N results (default: all)")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the tool results of a conversation, or what happens to those in a file."""
    if (args.session is None) == (args.incoming is None):
        raise UsageError("give either SESSION or --incoming FILE", remedy="`latest` names the newest session")
    if args.incoming is None and args.environment:
        raise UsageError("--environment needs --incoming; a session has its own")
    if args.incoming is not None and (args.check_files or args.limit):
        option = "--check-files" if args.check_files else "--limit"
        raise UsageError(f"{option} needs SESSION; results that arrive are all told, and have no files yet")
    return _incoming(args) if args.incoming is not None else _session(args)


def _session(args: argparse.Namespace) -> int:
    from core.explain.tool_results.follow import result_lives
    from inspector.cli.money import results_shown

    release = asked_release(args)
    with target.session(args) as (store, session):
        found = result_lives(
            store,
            session.id,
            release=release,
            window=args.window,
            check_files=args.check_files,
            prices=not args.no_prices,
        )
    every = found.results
    if args.sort != "cost":
        every = tuple(sorted(every, key=attrgetter(args.sort), reverse=args.sort != "row"))
    shown, found = every[: args.limit], replace(found, results=every)
    return output.show(args, lambda: results_shown.lives(found, shown), _lines(found, shown))


def _lines(found: ResultLives, shown: Sequence[ResultLife]) -> Iterator[str]:
    from inspector.cli.money import results_shown

    yield from results_shown.lines(found, shown)
    if len(shown) < len(found.results):
        yield output.muted(f"{len(shown):,} of {len(found.results):,} results")


def _incoming(args: argparse.Namespace) -> int:
    from core.hermes.policy.policy import load_policy, newest_release
    from inspector.cli.money import results_shown

    arriving = read_results(args.incoming)
    rules = load_policy(asked_release(args) or newest_release()).results
    home = str(target.home_named(args))
    place = storage(rules, args.environment or ENVIRONMENTS[0], home=home)
    turn = arrive(arriving, result_sizes(rules, args.window), place)
    return output.show(args, lambda: results_shown.turn(turn), results_shown.turn_lines(turn))


def read_results(path: str) -> tuple[Arriving, ...]:
    """Read tool results from a JSON file, in order.

    Args:
        path: A JSON list of objects with `tool`, `content` (a text or a list of parts) and optionally `id`;
            `-` reads stdin.

    Raises:
        NotFoundError: The file does not exist.
        UsageError: The file is unreadable, not JSON, or not a list of results.
    """
    where = "stdin" if path == transcript.STDIN else path
    try:
        document = json.loads(transcript.read_text(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not valid JSON: {error}", where=where, remedy=_REMEDY) from error
    if not isinstance(document, list):
        raise UsageError("not a list of tool results", where=where, remedy=_REMEDY)
    return tuple(_result(item, index, where) for index, item in enumerate(document))


def _result(item: Any, index: int, where: str) -> Arriving:
    if not isinstance(item, dict) or not isinstance(item.get("tool"), str):
        raise UsageError(f"result {index} has no tool", where=where, remedy=_REMEDY)
    call = item.get("id")
    return Arriving(
        str(f"call_{index}" if call is None else call), item["tool"], _content(item, index, where)
    )


def _content(item: dict[str, Any], index: int, where: str) -> Content:
    content = item.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return content
    raise UsageError(
        f"the content of result {index} is neither a text nor a list of parts", where=where, remedy=_REMEDY
    )
