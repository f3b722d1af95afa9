"""`plugin request`: what Hermes sent, message by message, with the rows they are stored in."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from inspector.cli.arguments import target
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext
    from core.explain.sent_request import SentMessage, SentRequest

_ROLES = {"s": "system", "d": "developer", "u": "user", "a": "assistant", "t": "tool"}
_EXCERPT = 60


def payload(args: argparse.Namespace) -> dict[str, Any]:
    """The request of the command line as JSON; texts are those the recorder kept."""
    from core.explain.context.context import open_context

    with target.session(args) as (store, session):
        return _payload(_found(open_context(store, session.id), args))


def lines(args: argparse.Namespace) -> Iterator[str]:
    """The same for people, with the beginning of each message where either file holds it."""
    from core.explain.context.context import open_context

    with target.session(args) as (store, session):
        context = open_context(store, session.id)
        yield from _lines(_found(context, args), context)


def _found(context: ConversationContext, args: argparse.Namespace) -> SentRequest:
    from core.explain.sent_request import sent_request

    if len(args.words) > 1 or not all(word.isdecimal() for word in args.words):
        raise UsageError("`plugin request` takes the number of one request")
    return sent_request(context, int(args.words[0]) if args.words else None)


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
    from inspector.terminal import formatting as fmt

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
        yield "this release does not show its messages to a recorder"
    for number, row in enumerate(found.messages or ()):
        yield f"{number:>5}  {_role(row):<9}  {_place(row):<14}  {row.row.size:>9,}  {_excerpt(row, context)}"
    yield from (f"answer: {text[:_EXCERPT]}" for part, text in found.texts.items() if part == "answer")


def _size(parts: dict[str, int], *names: str) -> str:
    if names[0] not in parts:
        return "not seen whole"
    return f"{sum(parts.get(name, 0) for name in names):,} characters"


def _role(one: SentMessage) -> str:
    return _ROLES.get(one.row.letter, one.row.letter)


def _place(one: SentMessage) -> str:
    if one.place.id is None:
        return "–" if one.kept is None else "kept"
    return f"row {one.place.id}{'' if one.place.same else ' (other)'}"


def _excerpt(one: SentMessage, context: ConversationContext) -> str:
    text = one.kept or ""
    if one.kept is None and one.place.id is not None:
        text = "".join(message.text for message in context.messages((one.place.id,)))
    return " ".join(text[: 4 * _EXCERPT].split())[:_EXCERPT]
