"""Answers of `/inspect` in a chat, and of `plugin request`: what Hermes sent, and the rows that hold it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import target
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext
    from core.explain.sent_request import SentMessage, SentRequest
    from core.model.transcript.session import Session
    from core.store.store import Store

HELP = "/inspect why | plan | cost | lost TOPIC"
_ROLES = {"s": "system", "d": "developer", "u": "user", "a": "assistant", "t": "tool"}
_EXCERPT = 60


def answer(words: Sequence[str], args: argparse.Namespace) -> Iterator[str]:
    """The lines of an answer; without words, those of `plan`."""
    what, rest = (words[0].lower(), " ".join(words[1:])) if words else ("plan", "")
    answers: dict[str, Callable[[Store, Session], Iterator[str]]] = {
        "why": _why,
        "plan": _plan,
        "cost": _cost,
        "lost": partial(_lost, rest),
    }
    if what not in answers:
        yield f"{what!r} is not a question. Ask {HELP}"
        return
    with target.session(args) as (store, session):
        yield from answers[what](store, session)


def _why(store: Store, session: Session) -> Iterator[str]:
    from core.explain.events import explain
    from core.preview.past import with_loss

    found, _ = with_loss(explain(store, session.id))
    if not found.events:
        yield "This conversation has not been compacted yet."
    for event in found.events[-3:]:
        yield f"{fmt.moment(event.at)}: {event.headline.sentence}"
    if found.now.limit is not None:
        now, threshold = fmt.count(found.now.tokens), fmt.count(found.now.limit)
        yield f"Now {now} tokens; compression fires at {threshold}."


def _plan(store: Store, session: Session) -> Iterator[str]:
    from core.compress.planning.measure import measure
    from core.compress.planning.plan import plan
    from core.explain.context.generation import generation_context
    from core.preview.headline import limit_in_force

    here = generation_context(store, session.id)
    found = plan(measure(here.messages, here.policy), here.settings, here.gate)
    engine, limit = here.context.engine, limit_in_force(found, here.context)
    unknown = "when compression fires is unknown, as is the model's window"
    if engine is not None and not engine.is_ours:
        unknown = f"{engine.decides} when it is compressed"
    fires = unknown if limit is None else f"compression fires at {fmt.count(limit)}"
    size = fmt.count(found.compared_tokens, mark=fmt.ESTIMATE if found.is_estimate else "")
    yield f"{size} tokens in {found.messages} messages; {fires}."
    if engine is not None and not engine.is_ours:
        return  # what it would replace is not Hermes' own cut
    if found.blocked_by:
        yield f"Nothing would be compacted: {found.blocked_by[0]}."
    elif found.middle.size:
        tokens = fmt.count(found.middle_tokens, mark=fmt.ESTIMATE)
        yield f"/compress would replace {found.middle.size} messages ({tokens} tokens) with a summary."


def _cost(store: Store, session: Session) -> Iterator[str]:
    from core.account.pricing.price_book import open_book
    from core.account.spending.ledger import collect

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


def _lost(topic: str, store: Store, session: Session) -> Iterator[str]:
    from core.preview.recall import recall

    if not topic:
        yield f"Say what to look for: {HELP}"
        return
    hits = recall(store, store.conversation(session.id), topic, everything=True, limit=5)
    if not hits:
        yield f"No message mentions {topic!r}."
    elif all(hit.live for hit in hits):
        yield "Nothing about it was dropped:"
    for hit in hits:
        place = "still in the context" if hit.live else f"dropped from generation {hit.generation}"
        yield f"{hit.message.role} (message {hit.row}, {place}): {hit.excerpt}"


def show_request(args: argparse.Namespace) -> int:
    """Print a recorded request: the texts the recorder kept, for people the beginning of each message.

    Raises:
        UsageError: The words are not the number of one request.
        NotFoundError: No request was recorded, or none of that number.
    """
    from core.explain.context.context import open_context
    from core.explain.sent_request import sent_request

    if len(args.words) > 1 or not all(word.isdecimal() for word in args.words):
        raise UsageError("`plugin request` takes the number of one request")
    with target.session(args) as (store, session):
        context = open_context(store, session.id)
        found = sent_request(context, int(args.words[0]) if args.words else None)
        return output.show(args, lambda: _payload(found), _lines(found, context))


def _payload(found: SentRequest) -> dict[str, Any]:
    one = found.request
    return {
        "request": {
            **jsonio.fields(one, "id session task seconds"),
            "at": jsonio.time(one.at),
            "tokens": None if one.usage is None else jsonio.tokens(one.usage),
            "characters": dict(one.parts),
        },
        "system": {"hash": one.system, "text": found.texts.get("system")},
        "tools": {"hash": one.tools, "schemas": found.tools, "text": found.texts.get("tools")},
        "messages": None if found.messages is None else [_message(row) for row in found.messages],
        "answer": found.texts.get("answer"),
    }


def _message(one: SentMessage) -> dict[str, Any]:
    return {
        "role": _role(one),
        "row": one.place.id,
        "as_stored": one.place.same if one.place.id is not None else None,
        "hash": one.row.name,
        "characters": one.row.size,
        "text": one.kept,
    }


def _lines(found: SentRequest, context: ConversationContext) -> Iterator[str]:
    from core.redact.quick_check import masked_start

    one = found.request
    read = None if one.usage is None else one.usage.cache_read
    prompt = None if one.usage is None else one.usage.prompt
    kind = one.task.replace("_", " ") or "main loop"
    yield (
        f"recorded request {one.id}, {fmt.moment(one.at)}, {kind}: "
        f"{fmt.count(prompt)} tokens, {fmt.count(read)} of them from the cache"
    )
    yield f"system prompt {one.system or fmt.UNKNOWN}: {_size(one.parts, 'system', 'memory', 'skills')}"
    many = f"{len(found.tools)}, " if "tools" in one.parts else ""
    yield f"tools {one.tools or fmt.UNKNOWN}: {many}{_size(one.parts, 'tools')}"
    if found.messages is None:
        yield "this release does not pass its messages to a recorder"
    for number, row in enumerate(found.messages or ()):
        yield f"{number:>5}  {_role(row):<9}  {_place(row):<14}  {row.row.size:>9,}  {_excerpt(row, context)}"
    answers = (text for part, text in found.texts.items() if part == "answer")
    yield from (f"answer: {masked_start(text, _EXCERPT)}" for text in answers)


def _size(parts: dict[str, int], *names: str) -> str:
    if names[0] not in parts:
        return "not recorded completely"
    return f"{sum(parts.get(name, 0) for name in names):,} characters"


def _role(one: SentMessage) -> str:
    return _ROLES.get(one.row.letter, one.row.letter)


def _place(one: SentMessage) -> str:
    if one.place.id is None:
        return "–" if one.kept is None else "kept"
    return f"row {one.place.id}{'' if one.place.same else ' (other)'}"


def _excerpt(one: SentMessage, context: ConversationContext) -> str:
    from core.redact.quick_check import masked_start

    text = one.kept or ""
    if one.kept is None and one.place.id is not None:
        text = "".join(message.text for message in context.messages((one.place.id,)))
    return " ".join(masked_start(text, 4 * _EXCERPT).split())[:_EXCERPT]
