"""`compress --engine` and `--compare-engine`: one engine's list, or several engines' side by side."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.errors import InspectorError, UsageError
from core.model.compaction.preview import Preview
from inspector.cli import output
from inspector.cli.compression import engine_options
from inspector.cli.compression import summariser_options as summarisers

if TYPE_CHECKING:
    from core.compress.summarise.base import Summariser
    from inspector.cli.compression.question import Question


@dataclass(frozen=True, slots=True)
class Contender:
    """One engine of a comparison.

    Attributes:
        preview: What it made of the conversation; None when it failed.
        done: How it ran; None for ours.
        error: Why it failed.
    """

    name: str
    preview: Preview | None
    seconds: float
    done: engine_options.Hosted | None = None
    error: InspectorError | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`--engine`, `--hermes-python` and `--compare-engine`."""
    engine_options.add_arguments(parser)
    parser.add_argument(
        "--compare-engine",
        type=str,
        action="append",
        metavar="ENGINE",
        help="hold this engine against the others named; may be repeated, `builtin` is ours",
    )


def single(args: argparse.Namespace, asked: Question) -> engine_options.Hosted | None:
    """What the engine of `--engine` made of the conversation; None when that is ours.

    Raises:
        UsageError: Its list is to be written, which only Hermes' own compressor's may be.
    """
    if args.apply and args.engine not in ("builtin", "compressor"):
        raise UsageError(
            f"the list of the engine {args.engine!r} is not written to a session",
            where="--apply",
            remedy="Leave --engine out, or let Hermes run the engine",
        )
    if args.compare_focus:
        raise UsageError("--engine goes without --compare-focus")
    return _run(args, args.engine, asked, summarisers.summariser(args, asked))


def run(args: argparse.Namespace, asked: Question) -> int:
    """Print the engines side by side; one that fails has its line, the others stay."""
    if args.apply or args.diff or args.compare_focus or args.engine:
        raise UsageError("--compare-engine goes without --engine, --compare-focus, --diff and --apply")
    writer = summarisers.summariser(args, asked)
    found = [_contender(args, name, asked, writer) for name in dict.fromkeys(args.compare_engine)]
    if args.json:
        output.write_json({"compare": [_payload(one) for one in found]}, mask=not args.unmasked)
    else:
        output.write_lines(_lines(found))
    return 0


def _contender(args: argparse.Namespace, name: str, asked: Question, writer: Summariser) -> Contender:
    import time

    began = time.perf_counter()
    try:
        done = _run(args, name, asked, writer)
    except InspectorError as error:
        return Contender(name, None, time.perf_counter() - began, error=error)
    if done is not None:
        return Contender(name, done.preview, done.compacted.seconds, done)
    ours = _ours(args, asked, writer)
    return Contender(name, ours, time.perf_counter() - began)


def _run(
    args: argparse.Namespace, name: str, asked: Question, writer: Summariser
) -> engine_options.Hosted | None:
    from core.compress.planning.measure import measure
    from core.compress.planning.plan import plan

    measured = measure(asked.messages, asked.policy)
    cut = plan(measured, asked.settings, asked.gate, keep=args.keep)
    return engine_options.compacted(args, name, asked, measured, cut, args.focus, writer)


def _ours(args: argparse.Namespace, asked: Question, writer: Summariser) -> Preview:
    from core.compress.dry_run import preview
    from core.compress.planning.measure import measure
    from core.compress.planning.plan import plan
    from inspector.cli.compression import agreement

    measured = measure(asked.messages, asked.policy)
    cut = plan(measured, asked.settings, asked.gate, keep=args.keep)
    agreement.agree(args, asked, cut, writer.describe(), (args.focus,))
    return preview(measured, cut, writer, args.focus, hosted=asked.context is not None)


def _payload(one: Contender) -> dict[str, Any]:
    from core.compress.engines.host.hosted_preview import kept_rows
    from inspector.payloads import values as jsonio

    base: dict[str, Any] = {"engine": one.name, "seconds": round(one.seconds, 3), "error": None}
    if one.preview is None:
        return base | {"error": None if one.error is None else jsonio.error(one.error)}
    found, kept = one.preview, kept_rows(one.preview.before, one.preview.after)
    return base | {
        "before_tokens": found.before_tokens,
        "after_tokens": found.after_tokens,
        "after_messages": len(found.after),
        "kept": len(kept),
        "dropped": len(found.before) - len(kept),
        "score": None if found.retention is None else found.retention.score,
        "summary": found.summary,
        "valid": one.done is None or not one.done.compacted.problems,
        "problems": [] if one.done is None else list(one.done.compacted.problems),
        "model_calls": None if one.done is None else one.done.calls,
        "tokens_sent": None if one.done is None else one.done.sent,
    }


def _lines(found: list[Contender]) -> Iterator[str]:
    from core.compress.engines.host.hosted_preview import kept_rows
    from inspector.cli.table import Column, lines
    from inspector.terminal import formatting as format

    columns = (
        Column("engine", shrinks=True),
        Column("tokens after", right=True),
        Column("messages kept", right=True, rank=2),
        Column("messages dropped", right=True, rank=3),
        Column("facts kept", right=True),
        Column("seconds", right=True, rank=4),
        Column("", shrinks=True, wraps=True, least=16),
    )
    rows = []
    for one in found:
        if one.preview is None:
            what = "" if one.error is None else one.error.what
            rows.append([one.name, *("–",) * 4, f"{one.seconds:.2f}", what])
            continue
        kept = kept_rows(one.preview.before, one.preview.after)
        broken = () if one.done is None else one.done.compacted.problems
        score = None if one.preview.retention is None else one.preview.retention.score
        rows.append(
            [
                one.name,
                format.count(one.preview.after_tokens, mark=format.ESTIMATE),
                str(len(kept)),
                str(len(one.preview.before) - len(kept)),
                format.percent(score),
                f"{one.seconds:.2f}",
                f"broken: {'; '.join(broken)}" if broken else "",
            ]
        )
    yield from lines(columns, rows)
