"""`compress --engine` and `--compare-engine`: one engine's result, or several engines' side by side."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.errors import InspectorError, UsageError
from core.model.compaction.preview import Preview
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import options
from inspector.cli.compression import engine_options
from inspector.cli.compression import summariser_options as summarisers
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.compress.engines.run import Hosted
    from core.compress.summarise.base import Summariser
    from core.preview.other_engine import ComparedEngine
    from inspector.cli.compression.question import Question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--engine`, `--hermes-python` and `--compare-engine`."""
    options.add_engine_options(parser)
    parser.add_argument(
        "--compare-engine",
        type=str,
        action="append",
        metavar="ENGINE",
        help="compare this engine; may be repeated, `builtin` is our replay of Hermes' own",
    )


def single(args: argparse.Namespace, asked: Question) -> Hosted | None:
    """Run the engine of `--engine` on the conversation; None for the built-in one.

    Raises:
        UsageError: `--apply` is given; only the result of Hermes' own compressor may be written.
    """
    from core.compress.engines.host.discovery import OUR_NAMES

    if args.apply and args.engine not in OUR_NAMES:
        raise UsageError(
            f"the messages of the engine {args.engine!r} are not written to a session",
            where="--apply",
            remedy="Leave --engine out, or let Hermes run the engine",
        )
    if args.compare_focus:
        raise UsageError("--engine cannot be combined with --compare-focus")
    return _run(args, args.engine, asked, summarisers.summariser(args, asked))


def run(args: argparse.Namespace, asked: Question) -> int:
    """Print the engines side by side; one that fails gets a line with its error."""
    if args.apply or args.diff or args.compare_focus or args.engine:
        raise UsageError("--compare-engine excludes --engine, --compare-focus, --diff and --apply")
    writer = summarisers.summariser(args, asked)
    found = [_contender(args, name, asked, writer) for name in dict.fromkeys(args.compare_engine)]
    if args.json:
        output.write_json({"compare": [_payload(one) for one in found]}, mask=not args.unmasked)
    else:
        output.write_lines(_lines(found))
    return 0


def _contender(args: argparse.Namespace, name: str, asked: Question, writer: Summariser) -> ComparedEngine:
    from core.preview.other_engine import ComparedEngine, calls_price

    began = time.perf_counter()
    try:
        done = _run(args, name, asked, writer)
    except InspectorError as error:
        return ComparedEngine(name, seconds=time.perf_counter() - began, error=error)
    if done is not None:
        usd = calls_price(asked.context, done.asked, done.answered)
        return ComparedEngine(name).after_run(done.preview, done.compacted.seconds, usd, done)
    ours, usd = _own_preview(args, asked, writer)
    return ComparedEngine(name).after_run(ours, time.perf_counter() - began, usd)


def _run(args: argparse.Namespace, name: str, asked: Question, writer: Summariser) -> Hosted | None:
    measured, cut = asked.cut(args.keep)
    return engine_options.compact(args, name, asked, measured, cut, args.focus, writer)


def _own_preview(
    args: argparse.Namespace, asked: Question, writer: Summariser
) -> tuple[Preview, Decimal | None]:
    from core.preview.foreseen import agent_of, carry_out
    from core.preview.other_engine import our_price

    measured, cut = asked.cut(args.keep)
    summarisers.agree(args, asked, cut, writer.describe(), (args.focus,))
    agent = agent_of(asked.context, asked.policy.release)
    made = carry_out(measured, cut, writer, args.focus, agent=agent)
    return made, our_price(asked.context, measured, cut, made)


def _payload(one: ComparedEngine) -> dict[str, Any]:
    base: dict[str, Any] = {"engine": one.name, "seconds": round(one.seconds or 0.0, 3), "error": None}
    if one.preview is None:
        return base | {"error": None if one.error is None else jsonio.error(one.error)}
    found = one.preview
    return base | {
        "before_tokens": found.before_tokens,
        "after_tokens": found.after_tokens,
        "after_messages": len(found.after),
        **jsonio.fields(one, "kept dropped orphans score"),
        "summary": found.summary,
        "valid": not one.problems,
        "problems": list(one.problems),
        "model_calls": None if one.done is None else one.done.calls,
        "tokens_sent": None if one.done is None else one.done.sent,
        "usd": jsonio.money(one.usd),
    }


def _lines(found: list[ComparedEngine]) -> Iterator[str]:
    from inspector.cli.table import Column, lines

    columns = (
        Column("engine", shrinks=True),
        Column("tokens after", right=True),
        Column("messages kept", right=True, rank=2),
        Column("messages dropped", right=True, rank=3),
        Column("facts kept", right=True),
        Column("unpaired", right=True, rank=5),
        Column("price", right=True, rank=1),
        Column("seconds", right=True, rank=4),
        Column("", shrinks=True, wraps=True, least=16),
    )
    yield from lines(columns, map(_row, found))
    yield f"price: with the model Hermes would ask, by the release's token estimate ({fmt.ESTIMATE})"


def _row(one: ComparedEngine) -> list[str]:
    seconds = f"{one.seconds or 0.0:.2f}"
    if one.preview is None:
        return [one.name, *(fmt.UNKNOWN,) * 6, seconds, one.trouble]
    return [
        one.name,
        fmt.count(one.preview.after_tokens, mark=fmt.ESTIMATE),
        str(one.kept),
        str(one.dropped),
        one.facts,
        str(one.orphans),
        fmt.money(one.usd, mark=fmt.ESTIMATE),
        seconds,
        one.trouble,
    ]
