"""Explains every compaction: each claim with its evidence and whether it is from the log, computed or likely.

It reads rows, agent.log with its rotations, and config.yaml; without a log, causes are computed at best.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.support import formatting as fmt
from inspector.cli import output, printed_cache
from inspector.cli.arguments import options, parsers, target
from inspector.cli.explanation import decisions, what_if
from inspector.payloads import values as jsonio
from inspector.payloads.conversation import why_payload
from inspector.terminal.stdout import terminal_width

if TYPE_CHECKING:
    from core.explain.explanation import Explanation, Now
    from core.explain.turns.checks import Turn
    from core.model.compaction.event import CompressionEvent
    from core.preview.past import Aftermath
    from core.store.store import Store
    from core.support.program_files import KeptAnswer

LABEL, INDENT = 9, "   "
"""Width of the label column, in cells, and what stands before the lines of an event."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `why`."""
    options.add_session_argument(parser)
    add = parser.add_argument
    add("--release", metavar="X.Y", help="use the rules of this Hermes release (default: detected)")
    add("--decisions", action="store_true", help="also show each check of a turn: required, actual, passed")
    add("--at", type=decisions.at, metavar="N|TIME", help="with --decisions: this turn (default: the newest)")
    add("--turns", action="store_true", help="also list every turn, and why it compressed or did not")
    add("--limit", type=parsers.positive, metavar="N", help="with --turns: only the newest N (default: all)")
    add("--what-if", action="store_true", help="also show the effect of other thresholds, tails and windows")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print why each compaction happened, and the current size and threshold.

    Raises:
        UsageError: There are no turns for --limit to leave out.
    """
    if args.limit and not args.turns:
        raise UsageError("--limit goes with --turns")
    cached = printed_cache.entry(args, *(printed_cache.prices() if args.what_if else ()), people=True)
    text = cached.read() if cached else None
    if text is None:
        return _answer(args, cached)
    output.write_text(f"{text}\n")
    return 0


def _answer(args: argparse.Namespace, cached: KeptAnswer | None) -> int:
    from core.explain.compactions.refusals import tried_again
    from inspector.cli.compression.question import asked_release

    release = asked_release(args)
    asked = args.decisions or args.turns or args.at is not None
    with (target.session if asked else target.named)(args) as (store, session):
        look = partial(_found, store, session.id, release, bills=not args.json)
        found, after = target.answer_about(store, session, look, _texts)
        turns = decisions.all_turns(store, session.id, release) if asked else ()
        tried = what_if.try_scenarios(store, session.id, release) if args.what_if else None
        keeps = _lasting(store, session.id) and not tried_again(found.context)
    if args.json:
        more = {} if tried is None else {"what_if": list(map(what_if.payload, tried))}
        text = jsonio.dumps(jsonio.masked(why_payload(found) | _turns(args, turns) | more))
    else:
        from inspector.terminal.ink import printed

        tries = () if tried is None else what_if.lines(tried)
        text = "\n".join(printed([*lines(found, after), *_turn_lines(args, turns), *tries]))
    output.write_text(f"{text}\n")
    if cached and keeps:
        printed_cache.write(cached, text)
    return 0


def _found(
    store: Store, session_id: str, release: str | None, *, bills: bool
) -> tuple[Explanation, Aftermath | None]:
    """The explanation, and if `bills` are wanted what the compaction in its headline lost and cost."""
    from core.explain.events import explain
    from core.preview.past import Aftermath, bill_of, event_of_headline, with_loss

    found, kept = with_loss(explain(store, session_id, release=release))
    event = event_of_headline(found)
    if not bills or event is None or not event.completed:
        return found, None
    from core.account.pricing.price import is_local_only
    from core.explain.prompt_cache import cache_of

    paybacks = cache_of(found.context, results=False, markers=False).paybacks
    local = is_local_only(found.context.conversation.sessions)
    return found, Aftermath(kept, bill_of(event, paybacks), local)


def _texts(answer: tuple[Explanation, Aftermath | None]) -> Iterator[str]:
    """Every text in an answer."""
    from inspector.base.event_words import heaviest

    found, after = answer
    yield found.context.conversation.name
    yield from heaviest(after.kept) if after else ()
    yield from jsonio.texts(why_payload(found))


def _lasting(store: Store, session_id: str) -> bool:
    """Whether an answer stays true until a file changes: no pause is running and no lock is held."""
    guards = store.session(session_id).guards
    timed = (guards.cooldown_until, guards.recovery_deadline)
    return all(moment is None for moment in timed) and not store.locks()


def _turns(args: argparse.Namespace, turns: Sequence[Turn]) -> dict[str, Any]:
    """What the options ask about turns, as JSON."""
    found: dict[str, Any] = {}
    if args.turns:
        found["turns"] = list(map(decisions.turn_payload, turns[-(args.limit or len(turns)) :]))
    if args.decisions or args.at is not None:
        found["why_not"] = decisions.payload(decisions.chosen(turns, args.at))
    return found


def _turn_lines(args: argparse.Namespace, turns: Sequence[Turn]) -> Iterator[str]:
    """What the options ask about turns, as printed lines."""
    if args.turns:
        yield from decisions.turn_lines(turns[-(args.limit or len(turns)) :])
    if args.decisions or args.at is not None:
        yield from decisions.lines(decisions.chosen(turns, args.at))


def lines(found: Explanation, after: Aftermath | None = None) -> Iterator[str]:
    """The answer as printed lines: what happened, what it lost and cost, the size now; then each event."""
    from core.explain.headline.rewritten import counted
    from core.preview.past import event_of_headline

    release = found.context.release
    yield f"{found.context.conversation.name} · Hermes {release.version}"
    yield from output.headline(found.headline)
    yield from _aftermath(after) if after else ()
    yield from _standing(found.now)
    if release.stands_in:
        yield f"note: {release.stands_in}"
    counts = ", ".join(filter(None, counted(found)))
    below = [counts] if found.events else list(_fields("limit", found.now.sums))
    yield from ("", *below) if below else ()
    told, before = event_of_headline(found), None
    for number, event in enumerate(found.events, start=1):
        is_in_headline = event is told
        if not is_in_headline and not event.completed and before == event.headline:
            yield f"{number}. {fmt.moment(event.at)}  {output.muted('the same')} · {event.explanation}"
        else:
            yield from ("", *_event(number, event, is_in_headline=is_in_headline))
        before = event.headline
    yield ""
    yield from (f"note: {note}" for note in found.notes)
    yield from output.certainties((*found.events, found.now))


def _aftermath(after: Aftermath) -> Iterator[str]:
    from inspector.base.event_words import bill, heaviest, lost

    yield from _field("lost", lost(after.kept))
    yield from _fields("missing", heaviest(after.kept))
    yield from _field("cost", bill(after.payback, local=after.local))


def _field(label: str, text: str, indent: str = "") -> Iterator[str]:
    """A label and its text, wrapped next to it on a terminal."""
    from inspector.terminal.ink import joined
    from inspector.terminal.text import clean_line, wrap

    width = terminal_width()
    room = 10_000 if width is None else width - LABEL - len(indent)
    for place, line in enumerate(wrap(clean_line(text), room)):
        yield joined(indent, output.muted(("" if place else label).ljust(LABEL)), line)


def _fields(label: str, texts: Iterable[str], indent: str = "") -> Iterator[str]:
    """Several texts under one label."""
    for place, text in enumerate(texts):
        yield from _field("" if place else label, text, indent)


def _event(number: int, event: CompressionEvent, *, is_in_headline: bool) -> Iterator[str]:
    """One event; the headline's event does not repeat the headline."""
    from core.model.finding import certainty
    from inspector.base.event_words import compared, effect, reason, steps, summary
    from inspector.terminal.ink import joined

    head = event.headline
    said = output.muted("see above") if is_in_headline else output.tinted(head.sentence, head.severity)
    yield joined(f"{number}. {fmt.moment(event.at)}  ", said)
    if head.remedy and not is_in_headline:
        yield output.fix(head.remedy, head.severity, INDENT)
    yield f"{INDENT}{reason(event)}  [{certainty(event)}]"
    yield from (f"{INDENT}sources disagree: {line}" for line in event.disagreements)
    yield from _field("result", effect(event), INDENT)
    yield from _field("size", compared(event), INDENT)
    yield from _field("summary", summary(event), INDENT)
    if event.focus:
        yield from _field("focus", event.focus, INDENT)
    yield from _fields("limit", steps(event), INDENT)
    yield from output.evidence(event.evidence, INDENT, rows=2)


def _standing(now: Now) -> Iterator[str]:
    from core.model.finding import certainty

    of_window = f" of {now.window:,}" if now.window else ""
    parts = ["size unknown" if now.tokens is None else f"{now.tokens:,}{of_window} tokens"]
    parts.append(f"compression fires at {now.limit:,}" if now.limit else "the limit is unknown")
    if now.refused_at:
        parts.append(f"but {now.refused_at}" if now.limit else now.refused_at)
    elif now.headroom is not None:
        parts.append(f"{fmt.count(now.headroom)} to go" if now.headroom > 0 else "due now")
    yield from _field("now", f"{', '.join(parts)}  [{certainty(now)}]")
    for reason in now.blocked_by:
        yield from _field("blocked", reason)
