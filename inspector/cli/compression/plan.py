"""Shows where a compaction would cut. Nothing is sent or written; with --messages no database is needed.

Numbers not given come from the home's config.yaml, the session and its log, then the release's defaults.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.model.compaction.plan import Plan, Span
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import options, parsers
from inspector.cli.compression import engine_options, hygiene, question
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.compress.engines.run import Hosted
    from core.compress.planning.measure import Measured
    from core.explain.context.generation import GenerationContext
    from core.model.finding import Headline


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `plan`."""
    question.add_arguments(parser)
    options.add_engine_options(parser)
    group = parser.add_argument_group("the gateway's check before a turn")
    add = group.add_argument
    add("--gateway", action="store_true", help="show it for any source (default: only for gateway sessions)")
    add("--last-prompt", type=parsers.whole_number, metavar="N", help="the provider's last count of tokens")
    parser.add_argument("--pruned", action="store_true", help="also print the texts that pruning would leave")


def run(args: argparse.Namespace) -> int:
    """Print where a compaction would cut."""
    from core.compress.planning.summary_window import part_of
    from core.preview.headline import plan_headline

    asked = question.question(args, quotes=args.pruned or args.engine is not None)
    measured, found = asked.cut(args.keep)
    done = _other_engine(args, asked, measured, found)
    found = found if done is None else done.preview.plan
    said = None if done is None else engine_options.broken_headline(done)
    notes = _notes(asked.context, found)
    here = asked.context
    said = said or (plan_headline(found, here.context, here.ended) if here else plan_headline(found))
    part = measured if found.kept_from is None else part_of(measured, found, found.kept_from)[0]
    pruned = list(_pruned(found, part)) if args.pruned else None
    gateway = hygiene.run_check(args, asked) if args.gateway or asked.by_gateway else None
    if args.json:
        before_turn = None if gateway is None else hygiene.payload(gateway)
        document = payload(found, said) | {"release_requested": args.release, "hygiene": before_turn}
        document |= {} if asked.context is None else _origin(asked.context, notes)
        document |= {} if done is None else {"engine": engine_options.payload(done)}
        document |= {} if pruned is None else {"pruned_messages": pruned}
        output.write_json(document, mask=not args.unmasked)
    else:
        from core.redact.text import redact_text

        # Masked as a whole: a credential may span several lines.
        left = [(entry["index"], str(entry["text"])) for entry in pruned or ()]
        texts = left if args.unmasked else [(index, redact_text(text)) for index, text in left]
        output.write_lines(_lines(found, asked.context, texts, said, notes), mask=not args.unmasked)
        output.write_lines(() if gateway is None else hygiene.lines(gateway, asked))
        output.write_lines(() if done is None else engine_options.lines(done))
    return 0


def _other_engine(
    args: argparse.Namespace, asked: question.Question, measured: Measured, found: Plan
) -> Hosted | None:
    """Run the engine of `--engine`; its model calls are answered by rule."""
    if args.engine is None:
        return None
    from core.compress.summarise.extract.summariser import ExtractiveSummariser

    return engine_options.compact(args, args.engine, asked, measured, found, None, ExtractiveSummariser())


def payload(value: Plan, said: Headline | None = None) -> dict[str, Any]:
    """The document of `plan`; `said` replaces the plan's own headline."""
    from core.preview.headline import plan_headline

    said = said or plan_headline(value)
    return {
        **jsonio.headline(said),
        **jsonio.fields(
            value,
            "release group window threshold_percent threshold_tokens tail_budget soft_ceiling "
            "summary_cap summary_budget estimated_tokens compared_tokens messages pruned pruned_at",
        ),
        "head": jsonio.span(value.head),
        "middle": jsonio.span(value.middle),
        "tail": jsonio.span(value.tail),
        **jsonio.fields(value, "would_fire blocked_by arithmetic"),
        "warm": value.settings.warm,
        "kept_from": value.kept_from,
    }


def _notes(here: GenerationContext | None, found: Plan) -> list[str]:
    """Notes on the rules of Hermes, where they made the figures; on the messages; on a limit out of reach."""
    from core.explain.compactions.refusals import refused_earlier

    if here is None:
        return []
    rules = () if found.engine else here.rules
    return [*rules, *here.notes, *refused_earlier(here.context, found.threshold_tokens)]


def _origin(here: GenerationContext, notes: list[str]) -> dict[str, Any]:
    """Which messages were planned, and how release and window were found."""
    release, window = here.context.release, here.context.window
    return {
        "session": here.conversation.tip.id,
        "generation": None if here.generation is None else here.generation.index,
        "generations": len(here.conversation.generations),
        "notes": notes,
        "release_detected": {
            **jsonio.fields(release, "version verdict"),
            "evidence": [jsonio.evidence(one) for one in release.evidence],
        },
        "window_known": {
            "verdict": window.verdict.value,
            "evidence": [jsonio.evidence(one) for one in window.evidence],
        },
    }


def _pruned(found: Plan, measured: Measured) -> Iterator[dict[str, Any]]:
    """The text that pruning would leave of each message it shortens."""
    for index in found.pruned_at:
        left = measured.shortened(index, again=index in found.pruned_again)
        yield {"index": index, "text": left.text, "message": dict(left.wire)}


def _lines(
    found: Plan,
    here: GenerationContext | None,
    pruned: list[tuple[int, str]],
    said: Headline,
    notes: list[str],
) -> Iterator[str]:
    if here is not None:
        tip = here.conversation.tip
        yield f"{here.conversation.name} · {tip.model or 'model unknown'}"
    yield from output.headline(said)
    yield ""
    engine = None if here is None or found.engine else here.context.engine
    foreign = engine is not None and not engine.is_ours
    yield from _standing(found, "by Hermes' own rules it" if foreign else "it")
    yield from (f"note: {note}" for note in notes)
    yield ""
    yield from _parts(found)
    yield ""
    yield from (f"  {line}" for line in found.arithmetic)
    for index, text in pruned:
        yield ""
        yield f"message {index} would become:"
        yield from (f"  {line}" for line in text.split("\n"))


def _standing(found: Plan, it: str) -> Iterator[str]:
    """The size, the threshold, and what blocks a compaction; `it` names by whose rules."""
    from inspector.base.event_words import window_words

    state = "running process" if found.settings.warm else "fresh process"
    yield f"Hermes {found.release}, {state} · {window_words(found.window)}"
    fires = "an unknown size" if found.threshold_tokens is None else f"{found.threshold_tokens:,}"
    known = found.engine or found.threshold_tokens is not None
    verdict = f": {it} would {'' if found.would_fire else 'not '}fire" if known else ""
    size = fmt.count(found.compared_tokens, mark=fmt.ESTIMATE if found.is_estimate else "")
    yield f"{size} tokens, fires at {fires}{verdict}"
    yield from (f"blocked: {reason}" for reason in found.blocked_by)


def _parts(found: Plan) -> list[str]:
    from inspector.cli.table import Column, lines

    budget = fmt.count(found.summary_budget, mark=fmt.ESTIMATE if found.may_shorten else "up to ")
    made = "what the engine writes" if found.summary_budget is None else f"one summary of {budget} tokens"
    middle = f"becomes {made}" if found.summarises else "kept: an earlier summary" if found.spent else ""
    columns = (
        Column("part"),
        Column("messages"),
        Column("count", right=True, rank=1),
        Column("tokens", right=True),
        Column("", shrinks=True, wraps=True, least=10),
    )

    def row(name: str, span: Span, remark: str) -> list[str]:
        reach = f"{span.start} to {span.end - 1}" if span.size else "none"
        tokens = sum(found.estimates[span.start : span.end])
        return [name, reach, str(span.size), fmt.count(tokens, mark=fmt.ESTIMATE), remark]

    parts = (("head", found.head, "kept"), ("middle", found.middle, middle), ("tail", found.tail, "kept"))
    return lines(columns, (row(*part) for part in parts))
