"""Explains a provider's error from its text; status, provider and body make the answer more certain.

It separates our own reading from that of each release of Hermes: a release may mistake a refused
output size for a conversation that is too long, and compress needlessly.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from inspector.cli import output
from inspector.cli.arguments import options, parsers
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.hermes.provider_errors.explain import ErrorExplanation
    from core.hermes.provider_errors.failure import ProviderFailure
    from core.hermes.provider_errors.reaction import Reaction

_MAX_CHARS = 200_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `explain-error`."""
    add = parser.add_argument
    add("text", metavar="TEXT", help="the error, a log line, or - for stdin")
    add("--status", metavar="N", type=parsers.whole_number, help="its HTTP status")
    add("--provider", metavar="P", default="", help="the provider, as Hermes names it")
    add("--model", metavar="M", default="", help="the model")
    add("--body", metavar="JSON", help="the body of the response")
    add("--exception", metavar="NAME", default="", help="the exception's class")
    add("--base-url", metavar="URL", default="", help="the URL of the call")
    for name, kind, usual, what in (
        ("--tokens", parsers.whole_number, 20_000, "tokens of the conversation"),
        ("--window", parsers.positive, 200_000, "the model's context length"),
        ("--messages", parsers.whole_number, 12, "messages of the conversation"),
    ):
        add(name, metavar="N", type=kind, default=usual, help=f"{what} (default: {usual:,})")
    add("--release", metavar="X.Y", help="only this Hermes release (default: all known)")
    options.add_json_option(parser)


def run(args: argparse.Namespace) -> int:
    """Print what an error means, and what each release does with it."""
    from core.hermes.provider_errors.explain import explain_error
    from core.hermes.provider_errors.shapes import SessionSize
    from inspector.cli.compression import question

    release = question.asked_release(args)
    size = SessionSize(args.tokens, args.window, args.messages)
    failure = _failure(args)
    found = explain_error(failure, size, release)
    return output.show(
        args, lambda: payload(found) | {"summary_call": _as_summary(failure, found)}, lines(found)
    )


def _failure(args: argparse.Namespace) -> ProviderFailure:
    from core.hermes.config.config_values import is_own_server
    from core.hermes.provider_errors.failure import failure_of

    piped = args.text == "-"
    text = args.text[:_MAX_CHARS] if not piped else sys.stdin.read(_MAX_CHARS) if sys.stdin else ""
    body = _body(args.body)
    if not text.strip() and body is None and args.status is None:
        raise UsageError("there is no text", where="explain-error", remedy="Give the text of the error.")
    return failure_of(
        text,
        status=args.status,
        body=body,
        provider=args.provider,
        model=args.model,
        base_url=args.base_url or ("http://localhost" if is_own_server(args.provider) else ""),
        exception=args.exception,
    )


def _body(text: str | None) -> Any:
    """The body as JSON, or as plain text."""
    if text is None or text == "null":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def payload(found: ErrorExplanation) -> dict[str, Any]:
    """The document of `explain-error`."""
    meaning = found.meaning
    return {
        "meaning": {
            "class": meaning.kind,
            **jsonio.fields(meaning, "limit available used asked why"),
        },
        "releases": {reaction.release: _release(found, reaction) for reaction in found.reactions},
        "headline": found.headline,
        "remedy": found.remedy,
    }


def _as_summary(failure: ProviderFailure, found: ErrorExplanation) -> dict[str, Any]:
    """What each release's compressor would do if a summary call to its own model had failed this way."""
    from core.compress.requests.failure import FailedCall, route

    call = FailedCall(failure.message, failure.status, failure.exception or "Exception")
    routes = {
        one.release: route(call, one.release, own_model=True, main_answers=False) for one in found.reactions
    }
    return {
        name: {"asks_main_model": one.calls > 1, **jsonio.fields(one, "pause auth network")}
        for name, one in routes.items()
    }


def _release(found: ErrorExplanation, reaction: Reaction) -> dict[str, Any]:
    from core.hermes.provider_errors.explain import helps, next_step

    return {
        "class": reaction.kind,
        "action": reaction.action,
        "parsed_limit": reaction.limit,
        "parsed_available": reaction.available,
        "is_output_cap": reaction.output_cap,
        "window_after": reaction.window_after,
        "retry_max_tokens": reaction.retry_output,
        "attempts": reaction.attempts,
        "helps": helps(found.meaning, reaction),
        "next": next_step(reaction),
    }


def lines(found: ErrorExplanation) -> Iterator[str]:
    """An explanation as printed lines."""
    from core.model.finding import Severity
    from core.support.formatting import count

    meaning = found.meaning
    yield found.headline
    yield output.fix(found.remedy, Severity.WARNING, "")
    yield ""
    is_told = meaning.why.casefold() in found.headline.casefold()
    yield f"class: {meaning.kind}" if is_told else f"{meaning.kind}: {meaning.why}"
    parts = [("window", meaning.limit), ("input", meaning.used), ("output asked for", meaning.asked)]
    known = [
        f"{name} {count(value)}"
        for name, value in [*parts, ("room left", meaning.available)]
        if value is not None
    ]
    if known:
        yield f"  stated: {' · '.join(known)}"
    rows = [_cells(found, reaction) for reaction in found.reactions]
    if len(rows) == 1 or any(row[1:] != rows[0][1:] for row in rows):
        yield ""
        yield from _reactions(rows)


def _reactions(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """A table of what each release makes of the error."""
    from inspector.cli import table

    columns = [
        table.Column("Hermes"),
        table.Column("reads it as", varies=True, rank=3, wraps=True, shrinks=True),
        table.Column("window read", right=True, varies=True, rank=1),
        table.Column("room read", right=True, varies=True, rank=2),
        table.Column("what it does", shrinks=True, least=20, wraps=True, varies=True),
        table.Column("does that help", varies=True),
    ]
    return table.lines(columns, rows)


def _cells(found: ErrorExplanation, one: Reaction) -> list[str]:
    from core.hermes.provider_errors.explain import helps, next_step
    from core.support.formatting import count

    helped = "yes" if helps(found.meaning, one) else "no"
    return [one.release, one.kind, count(one.limit), count(one.available), next_step(one), helped]
