"""Finds what summaries dropped: it is still in the database, with its row and generation.

This searches the messages that compactions removed; --all searches the live ones too. Word endings are
ignored, and a message must match at least half of the query's weight.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from inspector.cli import output
from inspector.cli.arguments import options, parsers, target
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.preview.recall import Hit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `recall`."""
    options.add_session_argument(parser)
    add = parser.add_argument
    add("words", metavar="WORDS", nargs="+", help="what to look for")
    add("--all", action="store_true", help="also search messages that are still live")
    add("--limit", type=parsers.positive, default=20, metavar="N", help="show at most N hits (default: 20)")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the hits, best first."""
    from core.preview.recall import recall

    query = " ".join(args.words)
    if not query.strip():
        raise UsageError("there is no word to search for", where="recall")
    with target.session(args) as (store, session):
        conversation = store.conversation(session.id)
        found = recall(store, conversation, query, everything=args.all, limit=args.limit)
    return output.show(
        args,
        lambda: {"session": session.id, "query": query, "hits": [_payload(hit) for hit in found]},
        _lines(found, query, everything=args.all),
    )


def _payload(hit: Hit) -> dict[str, Any]:
    return {
        **jsonio.fields(hit, "row generation session"),
        "role": hit.message.role,
        **jsonio.fields(hit, "live score excerpt"),
    }


def _lines(found: Sequence[Hit], query: str, *, everything: bool) -> Iterator[str]:
    from core.support import formatting as fmt
    from inspector.cli.table import Column, lines

    removed = "" if everything else " that a compaction removed"
    first = ", best match first" if found else ""
    yield output.strong(f"{fmt.plural(len(found), 'message')} about {query!r}{removed}{first}.")
    if not found:
        yield "Try other words" + ("." if everything else ", or --all for messages that are still there.")
    columns = (
        Column("generation", right=True, varies=True, rank=2),
        Column("row", right=True),
        Column("role", varies=True, rank=1),
        *([Column("state", varies=True)] if everything else ()),
        Column("text", shrinks=True, least=20),
    )
    if found:
        yield from ("", *lines(columns, (_cells(hit, everything=everything) for hit in found)))


def _cells(hit: Hit, *, everything: bool) -> list[str]:
    state = ["live" if hit.live else "dropped"] if everything else []
    return [str(hit.generation), str(hit.row), hit.message.role, *state, hit.excerpt]
