"""Each claim is proved, derived, suspected or unknown, and quotes what it rests on.

Rows, agent.log with its rotations and config.yaml are read; without a log, causes are at best derived.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from inspector.cli import output, printed_cache
from inspector.cli.arguments import options, target
from inspector.cli.arguments import parsers as numbers
from inspector.cli.explanation import decisions, what_if
from inspector.payloads import values as jsonio
from inspector.payloads.conversation import why_payload

if TYPE_CHECKING:
    from core.explain.explanation import Explanation, Now
    from core.explain.turns.checks import Turn
    from core.explain.what_if.scenarios import Scenario
    from core.model.compaction.event import CompressionEvent
    from core.store.store import Store
    from core.support.file_cache import KeptAnswer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `why`."""
    options.add_session_argument(parser)
    parser.add_argument("--release", metavar="X.Y", help="rules of this Hermes release (default: detected)")
    parser.add_argument(
        "--decisions", action="store_true", help="also each check of a turn: required, actual, passed"
    )
    parser.add_argument(
        "--at", type=decisions.at, metavar="N|TIME", help="with --decisions: this turn (default: the newest)"
    )
    parser.add_argument("--turns", action="store_true", help="also every turn, and why it did not compress")
    parser.add_argument(
        "--limit", type=numbers.positive, metavar="N", help="with --turns: the newest N (default: all)"
    )
    parser.add_argument(
        "--what-if", action="store_true", help="also what other thresholds, tails and windows would have done"
    )
    options.add_json_option(parser)
    options.add_store_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print why a conversation was compressed, each time, and where the trigger stands."""
    cached = printed_cache.entry(args, *(printed_cache.prices() if args.what_if else ()), people=True)
    text = cached.read() if cached else None
    if text is None:
        return _answer(args, cached)
    output.write_text(f"{text}\n")
    return 0


def _answer(args: argparse.Namespace, cached: KeptAnswer | None) -> int:
    from core.explain.events import explain
    from inspector.cli.compression.question import release_name

    release = release_name(args.release) if args.release is not None else None
    asked = args.decisions or args.turns or args.at is not None
    with (target.session if asked else target.named)(args) as (store, session):
        found = target.answered(store, session, lambda: explain(store, session.id, release=release), _said)
        turns = decisions.all_turns(store, session.id, release) if asked else ()
        tried = what_if.tried(store, session.id, release) if args.what_if else None
        keeps = _lasting(store, session.id)
    if args.json:
        text = jsonio.dumps(jsonio.masked(why_payload(found) | _turns(args, turns) | _what_if(tried)))
    else:
        from inspector.terminal.printed import printed

        text = "\n".join(
            printed(
                [*lines(found), *_turn_lines(args, turns), *(() if tried is None else what_if.lines(tried))]
            )
        )
    output.write_text(f"{text}\n")
    if cached and keeps:
        printed_cache.write(cached, text)
    return 0


def _said(found: Explanation) -> Iterator[str]:
    """Every text of an answer."""
    yield found.context.conversation.name
    yield from jsonio.texts(why_payload(found))


def _lasting(store: Store, session_id: str) -> bool:
    """Whether an answer holds until a file changes: no pause runs out by itself, and no lock is held."""
    guards = store.session(session_id).guards
    timed = (guards.cooldown_until, guards.recovery_deadline)
    return all(moment is None for moment in timed) and not store.locks()


def _what_if(tried: Sequence[Scenario] | None) -> dict[str, Any]:
    return {} if tried is None else {"what_if": list(map(what_if.payload, tried))}


def _turns(args: argparse.Namespace, turns: Sequence[Turn]) -> dict[str, Any]:
    """What was asked about turns, for scripts."""
    found: dict[str, Any] = {}
    if args.turns:
        found["turns"] = list(map(decisions.turn_payload, turns[-(args.limit or len(turns)) :]))
    if args.decisions or args.at is not None:
        found["why_not"] = decisions.payload(decisions.chosen(turns, args.at))
    return found


def _turn_lines(args: argparse.Namespace, turns: Sequence[Turn]) -> Iterator[str]:
    """The same for people."""
    if args.turns:
        yield from decisions.turn_lines(turns[-(args.limit or len(turns)) :])
    if args.decisions or args.at is not None:
        yield from decisions.lines(decisions.chosen(turns, args.at))


def lines(found: Explanation) -> Iterator[str]:
    """An answer for people."""
    from inspector.terminal import formatting as fmt

    release = found.context.release
    yield f"{found.context.conversation.name} · Hermes {release.version}"
    yield from output.headline(found.headline)
    if release.stands_in:
        yield f"note: {release.stands_in}"
    yield ""
    yield fmt.plural(len(found.events), "compaction or attempt", "compactions and attempts")
    for number, event in enumerate(found.events, start=1):
        yield ""
        yield from _event(number, event)
    yield ""
    yield from _standing(found.now)
    yield from (f"note: {note}" for note in found.notes)
    yield ""
    yield from output.verdicts((*(event.verdict for event in found.events), found.now.verdict))


def _event(number: int, event: CompressionEvent) -> Iterator[str]:
    from inspector.terminal import formatting as fmt
    from inspector.terminal.ink import joined

    at = f"{number}. {fmt.moment(event.at)}  "
    yield joined(at, output.tinted(event.headline.sentence, event.headline.severity))
    if event.headline.remedy:
        yield output.fix(event.headline.remedy, event.headline.severity, "   ")
    yield f"   {event.explanation}  [{event.verdict.value}]"
    before, after = fmt.count(event.messages_before), fmt.count(event.messages_after)
    sizes = f"{fmt.count(event.tokens)} → {fmt.count(event.tokens_after)} tokens"
    yield f"   {before} → {after} messages · {sizes} · summary: {event.summary.status.value}"
    if event.focus:
        yield f"   focus: {event.focus}"
    yield from (f"   {line}" for line in event.arithmetic)
    yield from output.indented(map(output.evidence, event.evidence), "   ")
    yield from (f"   sources disagree: {line}" for line in event.disagreements)


def _standing(now: Now) -> Iterator[str]:
    from inspector.terminal import formatting as fmt

    threshold, window = fmt.count(now.threshold), fmt.count(now.window)
    yield f"now: {fmt.count(now.tokens)} tokens of {window}, fires at {threshold}  [{now.verdict.value}]"
    if now.headroom is not None:
        yield f"     {fmt.count(now.headroom)} to go" if now.headroom > 0 else "     it is due"
    yield from (f"     blocked: {reason}" for reason in now.blocked_by)
    yield from (f"     {line}" for line in now.arithmetic)
