"""What `/inspect` says in a chat: a few plain lines about this conversation."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from inspector.cli.arguments import target

if TYPE_CHECKING:
    from core.model.transcript.session import Session
    from core.store.store import Store

HELP = "/inspect why | plan | cost | lost TOPIC"


def answer(words: Sequence[str], args: argparse.Namespace) -> Iterator[str]:
    """The lines of an answer; without words the plan's."""
    what, rest = (words[0].lower(), " ".join(words[1:])) if words else ("plan", "")
    answers: dict[str, Callable[[Store, Session, str], Iterator[str]]] = {
        "why": _why,
        "plan": _plan,
        "cost": _cost,
        "lost": _lost,
    }
    if what not in answers:
        yield f"{what!r} is no question it knows. It answers {HELP}"
        return
    with target.session(args) as (store, session):
        yield from answers[what](store, session, rest)


def _why(store: Store, session: Session, rest: str) -> Iterator[str]:
    from core.explain.events import explain
    from inspector.terminal import formatting as fmt

    found = explain(store, session.id)
    if not found.events:
        yield "This conversation has not been compacted yet."
    for event in found.events[-3:]:
        yield f"{fmt.moment(event.at)}: {event.headline.sentence}"
    if found.now.threshold is not None:
        yield f"Now {fmt.count(found.now.tokens)} tokens; it fires at {fmt.count(found.now.threshold)}."


def _plan(store: Store, session: Session, rest: str) -> Iterator[str]:
    from core.compress.planning.measure import measure
    from core.compress.planning.plan import plan
    from core.explain.context.generation import generation_context
    from inspector.terminal import formatting as fmt

    here = generation_context(store, session.id)
    found = plan(measure(here.messages, here.policy), here.settings, here.gate)
    fires = "unknown, for the model's window is" if found.threshold_tokens is None else ""
    threshold = fires or fmt.count(found.threshold_tokens)
    size = fmt.count(found.compared_tokens, mark=fmt.ESTIMATE if found.is_estimate else "")
    yield f"{size} tokens in {found.messages} messages; it fires at {threshold}."
    if found.blocked_by:
        yield f"Nothing would be compacted: {found.blocked_by[0]}."
    elif found.middle.size:
        gone = sum(found.estimates[found.middle.start : found.middle.end])
        tokens = fmt.count(gone, mark=fmt.ESTIMATE)
        yield f"/compress would replace {found.middle.size} messages ({tokens} tokens) by a summary."


def _cost(store: Store, session: Session, rest: str) -> Iterator[str]:
    from core.account.pricing.price_book import open_book
    from core.account.spending.ledger import collect
    from inspector.terminal import formatting as fmt

    total = collect((store,), by="conversation", session=session.id, prices=open_book()).ledger().totals
    tokens = total.tokens
    yield (
        f"{fmt.count(total.calls)} calls: {fmt.count(tokens.input)} tokens in, "
        f"{fmt.count(tokens.cache_read)} read from the cache, {fmt.count(tokens.output)} out."
    )
    spent, listed = total.recorded.usd, total.computed.usd
    if spent is None and listed is None:
        yield "Neither Hermes nor the price list has a price for it."
        return
    recorded = "no price" if spent is None else fmt.money(spent)
    computed = "unpriced" if listed is None else fmt.money(listed, mark=fmt.ESTIMATE)
    yield f"Hermes recorded {recorded}; by the price list {computed}."


def _lost(store: Store, session: Session, rest: str) -> Iterator[str]:
    from core.preview.recall import recall

    if not rest:
        yield f"Name what to look for: {HELP}"
        return
    hits = recall(store, store.conversation(session.id), rest, everything=True, limit=5)
    if not hits:
        yield f"No message speaks of {rest!r}."
    elif all(hit.live for hit in hits):
        yield "Nothing of it was dropped:"
    for hit in hits:
        place = "still in the context" if hit.live else f"dropped from generation {hit.generation}"
        yield f"{hit.message.role} (message {hit.row}, {place}): {hit.excerpt}"
