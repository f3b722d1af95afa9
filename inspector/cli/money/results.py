"""Tool results: saved to a file, truncated or cut by their tool, what each cost, and what can be read back.

With --incoming, FILE is a JSON list of `{"id", "tool", "content"}` that arrive in one turn, and the answer is
what a release makes of them. `length` is then of the message a result ends in; of a single one, of the result
before it is wrapped.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.compress.tool_results.arrival import (
    Arrived,
    ArrivedTurn,
    Arriving,
    Content,
    arrive,
    threshold_words,
)
from core.compress.tool_results.replacement import ENVIRONMENTS, result_sizes, storage
from core.errors import UsageError
from core.explain.tool_results.life import STATES, ResultLife, ResultLives, file_words, results_headline
from core.hermes.policy.policy import load_policy, newest_release
from core.imports import openai_messages as transcript
from core.store.database.locate import default_home
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.arguments import parsers as numbers
from inspector.cli.compression.question import release_name
from inspector.cli.table import Column
from inspector.cli.table import lines as table
from inspector.terminal import formatting as fmt

SORTS: Mapping[str, Callable[[ResultLife], Any]] = {
    "tokens": lambda one: one.tokens,
    "calls": lambda one: one.calls,
    "row": lambda one: one.row,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `results`."""
    options.add_session_argument(parser, optional=True)
    add = parser.add_argument
    add("--incoming", type=str, metavar="FILE", help="results arriving in one turn; - for stdin")
    add("--release", metavar="X.Y", help="rules of this Hermes release (default: detected, else newest)")
    add("--window", type=numbers.whole, metavar="N", help="the model's context length")
    add(
        "--environment",
        choices=("local", "none"),
        default=None,
        help="with --incoming: none while no terminal has been used in the task (default: local)",
    )
    add("--check-files", action="store_true", help="look whether saved files are there; none is opened")
    add("--no-prices", action="store_true", help="leave costs out; faster")
    add(
        "--sort", choices=("cost", *SORTS), default="cost", help="order of the results (default: %(default)s)"
    )
    add("--limit", type=numbers.positive, metavar="N", help="at most N results (default: all)")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the results of a conversation, or what becomes of those of a file."""
    if (args.session is None) == (args.incoming is None):
        raise UsageError("give either SESSION or --incoming FILE", remedy="`latest` names the newest session")
    if args.incoming is None and args.environment:
        raise UsageError("--environment goes with --incoming; a session has its own")
    if args.incoming is not None and args.check_files:
        raise UsageError("--check-files goes with SESSION: what arrives has no file yet")
    return _incoming(args) if args.incoming is not None else _session(args)


def _session(args: argparse.Namespace) -> int:
    from core.explain.tool_results.follow import result_lives
    from inspector.payloads import tool_results

    release = _release(args)
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
        every = tuple(sorted(every, key=SORTS[args.sort], reverse=args.sort != "row"))
    found = replace(found, results=every[: args.limit])
    return output.show(args, lambda: tool_results.lives(found), _lines(found, len(every)))


def _lines(found: ResultLives, every: int) -> Iterator[str]:
    yield from lines(found)
    if len(found.results) < every:
        yield output.muted(f"{len(found.results):,} of {every:,} results")


def _incoming(args: argparse.Namespace) -> int:
    from inspector.payloads import tool_results

    arriving = read_results(args.incoming)
    rules = load_policy(_release(args) or newest_release()).results
    home = str(args.home or default_home())
    place = storage(rules, args.environment or ENVIRONMENTS[0], home=home)
    turn = arrive(arriving, result_sizes(rules, args.window), place)
    return output.show(args, lambda: tool_results.turn(turn), turn_lines(turn))


def _release(args: argparse.Namespace) -> str | None:
    return release_name(args.release) if args.release is not None else None


_REMEDY = 'It must be a JSON list of {"id", "tool", "content"}'


def read_results(path: str) -> tuple[Arriving, ...]:
    """The results in a JSON file, in their order.

    Args:
        path: A JSON list of objects with `tool`, `content` (a text or a list of parts) and perhaps `id`; `-`
            reads stdin.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read, is not JSON, or is not a list of results.
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
        raise UsageError(f"result {index} names no tool", where=where, remedy=_REMEDY)
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


def lines(found: ResultLives) -> Iterator[str]:
    """What they come to, then a table of the results, the most expensive first."""
    yield from output.headline(results_headline(found))
    if not found.results:
        return
    columns = (
        Column("row", right=True),
        Column("tool", varies=True),
        Column("tokens", right=True, rank=2),
        Column("calls", right=True, rank=3),
        Column("in all", right=True, rank=4),
        Column("cost", right=True),
        Column("state", varies=True, rank=5),
        Column("when shortened", shrinks=True, least=20, rank=1),
    )
    yield from table(columns, map(_cells, found.results))
    yield ""
    size, turn = fmt.count(found.sizes.result), fmt.count(found.sizes.turn)
    window = f"a window of {fmt.count(found.window)}" if found.window else "no window known"
    yield f"Hermes {found.release}, {window}: limit {size} characters a result, {turn} a turn"
    for one in found.results:
        if one.path is not None:
            yield f"row {one.row}: {one.path} ({file_words(one)})"
        if one.cap is not None and "tool_cap" in (one.arrived.layer, one.standing.layer):
            yield f"row {one.row}: {one.tool} itself cuts at {fmt.count(one.cap)} characters"


def _cells(one: ResultLife) -> list[str]:
    return [
        str(one.row),
        one.tool,
        fmt.count(one.tokens, mark=fmt.ESTIMATE),
        str(one.calls),
        fmt.count(one.lifetime_tokens, mark=fmt.ESTIMATE),
        fmt.money(one.usd),
        STATES[one.standing.layer],
        " ".join((one.stub or "").split()),
    ]


def turn_lines(found: ArrivedTurn) -> Iterator[str]:
    """What becomes of each result of a turn."""
    columns = (
        Column("id", shrinks=True),
        Column("tool", varies=True, rank=1),
        Column("outcome"),
        Column("because of", varies=True, rank=2),
        Column("limit", right=True, varies=True, rank=3),
        Column("characters", right=True),
        Column("preview", right=True, varies=True, rank=4),
    )
    yield from table(columns, map(_arrived_cells, found.results))
    before, after = fmt.count(found.before), fmt.count(found.after)
    yield f"{before} characters together, limit {fmt.count(found.budget)} a turn: {after} remain"


def _arrived_cells(one: Arrived) -> list[str]:
    threshold = threshold_words(one.threshold)
    return [
        one.call,
        one.tool,
        one.outcome,
        {"result": "its size", "turn": "the turn"}.get(one.layer or "", ""),
        "any" if isinstance(threshold, str) else fmt.count(threshold),
        fmt.count(one.message_length),
        fmt.count(one.preview),
    ]
