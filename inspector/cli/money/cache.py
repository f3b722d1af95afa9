"""Where a request carries cache markers, what each call found in the cache, what broke it and what that cost.

Hits and breaks come from agent.log. With --messages only the markers of that list are worked out, without any
database.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from core.errors import UsageError
from core.explain.headline.usage import break_headline, cache_headline
from core.imports import openai_messages as transcript
from core.model.accounting.prompt_cache import Breakpoint, CacheBreak, CacheReport, CacheRoute, ResultCost
from core.model.accounting.usage import RecordedUse
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.compression import question as what_if
from inspector.payloads import values as jsonio
from inspector.payloads.conversation import cache_call, cache_payload, marker
from inspector.terminal import formatting as fmt
from inspector.terminal.ink import joined

LAYOUTS = ("native", "envelope", "none")
DEAREST = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `cache`."""
    options.add_session_argument(parser, optional=True)
    parser.add_argument(
        "--messages", type=str, metavar="FILE", help="a JSON list of OpenAI-format messages; - for stdin"
    )
    parser.add_argument(
        "--release", metavar="X.Y", help="rules of this Hermes release (default: detected, else newest)"
    )
    parser.add_argument("--layout", choices=LAYOUTS, help="of FILE (default: native)")
    parser.add_argument("--ttl", choices=("5m", "1h"), help="of FILE (default: 5m)")
    parser.add_argument("--no-prices", action="store_true", help="leave costs out; faster")
    options.add_shared_options(parser, csv="print the calls, of FILE the markers, as a table")


def run(args: argparse.Namespace) -> int:
    """Print the prompt cache of a conversation, or the markers of a list."""
    if (args.session is None) == (args.messages is None):
        raise UsageError("give either SESSION or --messages FILE", remedy="`latest` names the newest session")
    if args.messages is None and (args.layout or args.ttl):
        raise UsageError("--layout and --ttl go with --messages; a session has its own")
    found = _of_session(args) if args.messages is None else _of_file(args)
    if args.json:
        output.write_json(cache_payload(found))
    elif args.csv:
        output.write_csv(_table(found) if args.messages is None else map(marker, found.breakpoints))
    else:
        output.write_lines(lines(found))
    return 0


def _of_file(args: argparse.Namespace) -> CacheReport:
    from core.account.prompt_cache.breakpoints import STRATEGY, place, with_prefix_tokens
    from core.compress.planning.measure import measure
    from core.hermes.policy.policy import documents, load_policy, newest_release

    messages = transcript.read_messages(args.messages)
    release = what_if.release_name(args.release) if args.release is not None else newest_release()
    if release in documents():
        raise UsageError(f"{release!r} says nothing about caching", where="--release")
    layout, ttl = args.layout or LAYOUTS[0], args.ttl or "5m"
    weights = measure(messages, load_policy(release)).estimates
    points = with_prefix_tokens(place(messages, release, layout, ttl), weights, 0)
    strategy = "none" if layout == "none" else STRATEGY
    route = CacheRoute(layout, "as asked")
    return CacheReport(strategy, layout, ttl, route, points, (), (), None, log=False)


def _of_session(args: argparse.Namespace) -> CacheReport:
    from core.explain.prompt_cache import conversation_cache

    release = what_if.release_name(args.release) if args.release is not None else None
    with target.named(args) as (store, session):

        def find() -> CacheReport:
            return conversation_cache(store, session.id, release=release, prices=not args.no_prices)

        return target.answered(store, session, find, lambda found: jsonio.texts(cache_payload(found)))


def _table(found: CacheReport) -> Iterator[dict[str, Any]]:
    """The calls, each with the break it met."""
    broken = {one.call: one for one in found.breaks}
    for place, call in enumerate(found.calls):
        one = broken.get(place)
        yield cache_call(call, found.calls[place - 1] if place else None) | {
            "break": one and one.cause,
            "tokens_lost": one and one.tokens_lost,
            "cost_usd": jsonio.money(one.usd) if one else None,
        }


def lines(found: CacheReport) -> Iterator[str]:
    """Markers, calls, breaks, advice and what tool results cost."""
    yield from output.headline(cache_headline(found))
    yield ""
    yield f"{found.marking} · {found.route.why}"
    yield "markers: " + (", ".join(map(_marker_words, found.breakpoints)) or "none")
    if found.calls:
        known = [call.hit_rate for call in found.calls if call.hit_rate is not None]
        calls, hit = fmt.plural(len(found.calls), "call"), fmt.percent(found.tokens.hit_rate)
        worst, best = (fmt.percent(pick(known, default=None)) for pick in (min, max))
        yield f"{calls} in the log · {hit} of all prompts came from the cache, {worst} to {best} by call"
    for one in found.breaks:
        yield ""
        yield from _break_lines(one, found)
    if found.advice is not None:
        yield ""
        yield f"lifetime {found.advice.current}: {found.advice.reason}"
    if found.recorded is not None:
        yield ""
        yield from recorded_lines(found.recorded)
    yield from _dearest(found.results)
    yield from (f"note: {note}" for note in found.notes)


def recorded_lines(found: RecordedUse) -> Iterator[str]:
    """What the recorder inside Hermes saw of the requests themselves."""
    hit = fmt.percent(found.tokens.hit_rate)
    yield f"recorded: {fmt.plural(found.requests, 'request')}, {hit} of their prompts from the cache"
    whole = sum(found.parts.values())
    shares = (f"{name} {fmt.percent(size / whole)}" for name, size in found.parts.items() if size)
    if whole:
        unseen = " and ".join(name for name in ("system", "tools") if name not in found.parts)
        rest = f"; {unseen} not seen whole" if unseen else ""
        yield f"   the newest holds, by characters: {', '.join(shares)}{rest}"
    if not found.parts:
        yield "   Hermes showed the recorder nothing of what they held: it proves usage, and no break"
    for one in found.breaks:
        at = "" if one.at_message is None else f", from message {one.at_message} of {one.of}"
        at += "" if one.row is None else f" (row {one.row})"
        yield f"   {fmt.moment(one.at)}  the {one.cause} changed{at}"


def _marker_words(point: Breakpoint) -> str:
    place = "before the messages" if point.index < 0 else f"#{point.index}"
    ignored = "" if point.honoured else ", ignored by the provider"
    tokens = fmt.short(point.prefix_tokens, mark=fmt.ESTIMATE)
    return f"{place} {point.role} ({tokens} up to its end{ignored})"


def _break_lines(one: CacheBreak, found: CacheReport) -> Iterator[str]:
    said = break_headline(one, found.calls)
    yield joined(f"{fmt.moment(one.at)}  ", output.tinted(said.sentence, said.severity))
    yield f"   {one.cause.replace('_', ' ')}: {fmt.count(one.tokens_lost)} tokens, {fmt.money(one.usd)}"
    yield f"   hit rate {fmt.percent(one.before)} → {fmt.percent(one.after)}"
    yield from output.evidence(one.evidence, "   ")


def _dearest(results: Sequence[ResultCost]) -> Iterator[str]:
    priced = sorted((one for one in results if one.usd), key=lambda one: one.usd or 0, reverse=True)
    if priced:
        yield ""
        yield "most expensive tool results over their life:"
    for one in priced[:DEAREST]:
        tokens, usd = fmt.count(one.tokens, mark=fmt.ESTIMATE), fmt.money(one.usd)
        yield f"   {usd:>8}  {one.tool} (row {one.row}), {tokens} tokens over {one.calls} calls"
