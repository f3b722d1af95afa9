"""`--engine` of `plan` and `compress`: runs another context engine on the same conversation."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from inspector.cli.arguments import confirm
from inspector.cli.engines import lookup

if TYPE_CHECKING:
    from core.compress.engines.run import Hosted
    from core.compress.planning.measure import Measured
    from core.compress.summarise.base import Summariser
    from core.model.compaction.plan import Plan
    from core.model.finding import Headline
    from inspector.cli.compression.question import Question


def compact(
    args: argparse.Namespace,
    name: str,
    asked: Question,
    measured: Measured,
    cut: Plan,
    focus: str | None,
    writer: Summariser,
) -> Hosted | None:
    """Let an engine compact the conversation; None for the built-in one, which needs no host.

    Raises:
        NotFoundError, UsageError: No engine has that name.
        EngineFailed: It could not be loaded, hung, died or returned no messages.
    """
    from core.compress.engines.host.discovery import engine_named
    from core.compress.engines.run import OtherEngine, run_engine

    path = None if asked.context is None else asked.context.config.path
    here = lookup.engine_search(args, None if path is None else path.parent)
    found = engine_named(name, here)
    if found is None:
        return None
    if args.keep:
        raise UsageError("--keep needs Hermes' own engine: `/compress here N` is part of it")
    most = _agree(args, asked, writer, measured)
    return run_engine(OtherEngine(name, found, here), measured, cut, writer, focus, most_tokens=most)


def payload(done: Hosted) -> dict[str, Any]:
    """The engine and its result, as `"engine"` of a document."""
    from core.compress.engines.host.hosted_preview import kept_rows

    kept = kept_rows(done.preview.before, done.preview.after)
    return {
        "name": done.compacted.engine.name,
        "kind": done.found.kind.value,
        "where": done.found.where,
        "version": done.found.version,
        "with_hermes": done.compacted.engine.with_hermes,
        "threshold_tokens": done.compacted.threshold,
        "would_fire": done.compacted.would_fire,
        "valid": not done.compacted.problems,
        "problems": list(done.compacted.problems),
        "kept": len(kept),
        "dropped": len(done.preview.before) - len(kept),
        "written": len(done.preview.after) - len(kept),
        "seconds": round(done.compacted.seconds, 3),
        "model_calls": done.calls,
        "tokens_sent": done.sent,
        "agrees": done.same,
    }


def broken_headline(done: Hosted | None) -> Headline | None:
    """The headline for an engine whose messages no provider accepts; None if they are valid."""
    from core.preview.words import broken_engine

    problems = () if done is None else done.compacted.problems
    if done is None or not problems:
        return None
    return broken_engine(done.compacted.engine.name, f"its messages have {'; '.join(problems)}")


def lines(done: Hosted) -> Iterator[str]:
    """The engine that made the result, and what is wrong with it, for people."""
    version = f" {done.found.version}" if done.found.version else ""
    name = f"{done.compacted.engine.name}{version}"
    line = f"engine {name} ({done.found.where}): {done.compacted.seconds:.2f} s, {done.calls} model calls"
    agreement = {
        None: "",
        True: "; it cuts where our plan cuts",
        False: "; it does not cut where our plan cuts",
    }
    yield f"{line}{agreement[done.same]}"
    yield from (f"broken: {problem}" for problem in done.compacted.problems)


def _agree(args: argparse.Namespace, asked: Question, writer: Summariser, measured: Measured) -> int | None:
    """Most tokens an engine may send, once the user agrees: the whole conversation; None for no limit."""
    endpoint = writer.describe()
    if endpoint is None or endpoint.local:
        return None
    from core.account.pricing.price_book import open_book
    from core.model.accounting.amounts import Buckets
    from core.support import formatting as fmt
    from inspector.cli.compression import summariser_options

    most = measured.estimated_tokens
    chosen = summariser_options.choice(args, asked)
    usd = open_book().price(Buckets(input=most), chosen.model, chosen.provider, chosen.base_url)
    what = f"Let the engine send up to {fmt.count(most, mark=fmt.ESTIMATE)} tokens of this conversation"
    confirm.ask_to_send(what, [endpoint], usd, yes=args.yes, more=" and answers")
    return most
