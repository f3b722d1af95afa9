"""Previews a compaction: the summary, the messages after it, the facts it keeps. Writes only with --apply.

It shows what `/compress` would do before you do it; --compare-focus, given twice, compares what each topic
keeps. Only the summarisers `anthropic` and `openai` send anything, with credentials masked; they ask first
unless the server is on this machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.model.compaction.preview import FactCount, Preview, Retention
from core.preview.words import call_words, claim_sentence
from inspector.cli import output
from inspector.cli.compression import apply as writing
from inspector.cli.compression import engine_comparison, engine_options, question
from inspector.cli.compression import summariser_options as summarisers
from inspector.cli.compression.plan import payload as plan_payload
from inspector.payloads import values as jsonio
from inspector.terminal.waiting import progress

if TYPE_CHECKING:
    from decimal import Decimal

    from core.model.finding import Headline
    from inspector.cli.compression.question import Question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `compress`."""
    question.add_arguments(parser)
    summarisers.add_arguments(parser)
    engine_comparison.add_arguments(parser)
    add = parser.add_argument
    add("--focus", metavar="TOPIC", help="the topic the summary should keep, as in `/compress TOPIC`")
    add("--compare-focus", action="append", metavar="TOPIC", help="compare it with no topic; may be repeated")
    add("--diff", action="store_true", help="print a unified diff of before and after")
    writing.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print one preview, or several side by side."""
    if args.keep and (args.focus or args.compare_focus):
        raise UsageError("--keep cannot be combined with a focus: `/compress here N` takes none")
    if args.compare_focus and (args.focus or args.diff or args.apply):
        raise UsageError("--compare-focus cannot be combined with --focus, --diff or --apply")
    writing.check(args)
    asked = question.question(args)
    if args.compare_engine:
        return engine_comparison.run(args, asked)
    done = None if args.engine is None else engine_comparison.single(args, asked)
    if args.compare_focus:
        return _compare(args, _previews(args, asked, (None, *args.compare_focus)))
    found = _previews(args, asked, (args.focus,))[0] if done is None else done.preview
    applied = writing.write(args, asked, found) if args.apply else None
    broken = engine_options.broken_headline(done)
    if args.json:
        document = payload(found, asked, args) | writing.payload(applied)
        document |= {} if broken is None else jsonio.headline(broken)
        document |= {} if done is None else {"engine": engine_options.payload(done)}
        output.write_json(document, mask=not args.unmasked)
    else:
        from inspector.cli.compression import preview_text

        shown, said = found if args.unmasked else preview_text.masked(found), broken or headline(found, asked)
        lines = preview_text.diff(shown) if args.diff else preview_text.lines(shown, said)
        output.write_lines(lines, mask=not args.unmasked)
        output.write_lines(() if found.call is None else (call_words(found.call),))
        output.write_lines(() if done is None else engine_options.lines(done))
        output.write_lines(writing.lines(applied))
    return 0


def headline(found: Preview, asked: Question) -> Headline:
    """The preview in one sentence, with the savings of later requests if their price is known."""
    from core.preview.headline import headline_of

    here = asked.context
    if here is None:
        return headline_of(found)
    failing = here.conversation.tip.guards.failure_error
    return headline_of(found, _saves(found, asked), failing, here.context.engine)


def _saves(found: Preview, asked: Question) -> Decimal | None:
    """US dollars that each later request costs less, if its price is known."""
    from core.preview.foreseen import carried_rate, saved_per_call

    if asked.context is None:
        return None
    return saved_per_call(found, carried_rate(asked.context.conversation.tip, found.plan.compared_tokens))


def payload(found: Preview, asked: Question, args: argparse.Namespace) -> dict[str, Any]:
    """The document of `compress`."""
    from core.preview.headline import plan_headline

    here = asked.context
    told = plan_headline(found.plan, here.context, here.ended) if here else plan_headline(found.plan)
    feedback, said = found.feedback, headline(found, asked)
    price = summarisers.price(args, asked, found.plan, found.focus, found.summary)
    return {
        **jsonio.headline(said),
        "saves_usd": jsonio.money(_saves(found, asked)),
        "plan": plan_payload(found.plan, told),
        **jsonio.fields(found, "focus summariser summary summary_index"),
        "after": [dict(message.wire) for message in found.after],
        "before_messages": len(found.before),
        "after_messages": len(found.after),
        **jsonio.fields(found, "before_tokens after_tokens written_tokens"),
        "feedback": {
            **jsonio.fields(feedback, "noop aborted fallback_used headline token_line note"),
            "remedy": said.remedy,
        },
        "notes": list(found.notes),
        "failure": found.failure,
        "usage": None if found.call is None else jsonio.call_payload(found.call),
        "retention": None if found.retention is None else _retention(found.retention),
        "price": jsonio.fields(price, "prompt_tokens summary_tokens usd"),
    }


def _previews(args: argparse.Namespace, asked: Question, focuses: Sequence[str | None]) -> list[Preview]:
    """One preview per focus, all over the same cut."""
    from core.preview.foreseen import agent_of, carry_out

    measured, cut = asked.cut(args.keep)
    agent = agent_of(asked.context, asked.policy.release)
    summarisers.tell_unused(args)
    writer = summarisers.summariser(args, asked)
    second = getattr(writer, "describe_second", lambda: None)()
    summarisers.tell_pause(asked, writer.describe())
    summarisers.agree(args, asked, cut, writer.describe(), focuses, second)

    def made(focus: str | None) -> Preview:
        with progress(writer.describe()) as line:
            return carry_out(
                measured, cut, writer, focus, agent=agent, on_text=line.on_text, cancelled=line.cancelled
            )

    return [made(focus) for focus in focuses]


def _retention(found: Retention) -> dict[str, Any]:
    return {
        "anchors": {name: _count(count) for name, count in found.by_category.items()},
        "focus": None if found.focus is None else _count(found.focus),
        "rest": None if found.rest is None else _count(found.rest),
        "score": found.score,
        "lost": [jsonio.fields(fact, "category value messages weight") for fact in found.lost],
        "unsupported": [
            jsonio.fields(claim, "value category where nearest message") | {"says": claim_sentence(claim)}
            for claim in found.unsupported
        ],
        "noise": dict(found.noise),
        **jsonio.fields(found, "lost_by_message stale missing_asks forgotten untranslated"),
    }


def _count(count: FactCount) -> dict[str, int]:
    return jsonio.fields(count, "kept paraphrased lost of")


def _compare(args: argparse.Namespace, found: list[Preview]) -> int:
    if args.json:
        output.write_json({"compare": [_column(one) for one in found]}, mask=not args.unmasked)
    else:
        output.write_lines(_table(found))
    return 0


def _column(found: Preview) -> dict[str, Any]:
    return {
        **jsonio.fields(found, "focus summary after_tokens"),
        "retention": None if found.retention is None else _retention(found.retention),
    }


def _table(found: list[Preview]) -> Iterator[str]:
    from core.support import formatting as fmt
    from inspector.cli.table import Column, lines

    columns = (
        Column("focus", shrinks=True),
        Column("tokens after", right=True),
        Column("kept overall", right=True),
        Column("kept of the topic", right=True),
        Column("kept of the rest", right=True),
    )
    rows = []
    for one in found:
        kept = one.retention
        shares = (None, None) if kept is None else (_share(kept.focus), _share(kept.rest))
        rows.append(
            [
                one.focus or "none",
                fmt.count(one.after_tokens, mark=fmt.ESTIMATE),
                fmt.percent(None if kept is None else kept.score),
                *map(fmt.percent, shares),
            ]
        )
    yield from lines(columns, rows)


def _share(count: FactCount | None) -> float | None:
    return None if count is None or not count.of else (count.kept + count.paraphrased) / count.of
