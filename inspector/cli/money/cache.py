"""Shows where requests set cache markers, what each call found in the cache, and what cache breaks cost.

Hits and breaks come from agent.log. With --messages it only computes the markers of that list, without a
database.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from core.errors import UsageError
from core.imports import openai_messages as transcript
from core.model.accounting.prompt_cache import CacheReport, CacheRoute
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.compression import question
from inspector.payloads import values as jsonio
from inspector.payloads.conversation import cache_call, cache_payload, marker

LAYOUTS = ("native", "envelope", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `cache`."""
    add = parser.add_argument
    options.add_session_argument(parser, optional=True)
    add("--messages", type=str, metavar="FILE", help="a JSON list of OpenAI-format messages; - for stdin")
    options.add_release_option(parser)
    add("--layout", choices=LAYOUTS, help="with --messages: the marker layout (default: native)")
    add("--ttl", choices=("5m", "1h"), help="with --messages: the cache lifetime (default: 5m)")
    add("--no-prices", action="store_true", help="leave costs out; faster")
    options.add_shared_options(parser, csv="print the calls, or with --messages the markers, as CSV")


def run(args: argparse.Namespace) -> int:
    """Print the prompt cache of a conversation, or the markers of a list of messages."""
    if (args.session is None) == (args.messages is None):
        raise UsageError("give either SESSION or --messages FILE", remedy="`latest` names the newest session")
    if args.messages is None and (args.layout or args.ttl):
        raise UsageError("--layout and --ttl need --messages; a session has its own")
    found = _of_session(args) if args.messages is None else _of_file(args)
    if args.json:
        output.write_json(cache_payload(found))
    elif args.csv:
        output.write_csv(_table(found) if args.messages is None else map(marker, found.breakpoints))
    else:
        from inspector.cli.money import cache_text

        output.write_lines(cache_text.lines(found))
    return 0


def _of_file(args: argparse.Namespace) -> CacheReport:
    from core.account.prompt_cache.breakpoints import STRATEGY, place, with_prefix_tokens
    from core.compress.planning.measure import measure
    from core.hermes.policy.policy import documents, load_policy, newest_release

    messages = transcript.read_messages(args.messages)
    release = question.asked_release(args) or newest_release()
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

    release = question.asked_release(args)
    with target.named(args) as (store, session):

        def find() -> CacheReport:
            return conversation_cache(store, session.id, release=release, prices=not args.no_prices)

        return target.answer_about(store, session, find, lambda found: jsonio.texts(cache_payload(found)))


def _table(found: CacheReport) -> Iterator[dict[str, Any]]:
    """The calls, each with its cache break if there was one."""
    broken = {one.call: one for one in found.breaks}
    for place, call in enumerate(found.calls):
        one = broken.get(place)
        yield cache_call(call, found.calls[place - 1] if place else None) | {
            "break": one and one.cause,
            "tokens_lost": one and one.tokens_lost,
            "cost_usd": jsonio.money(one.usd) if one else None,
        }
