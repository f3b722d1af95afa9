"""What a summary dropped is still in the database: this finds it, with its row and generation.

Searched are the messages that compactions took out of the conversation; --all searches the live ones too.
Words are compared whatever their ending; a message must hold at least half of what the query weighs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.arguments import parsers as numbers
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.preview.recall import Hit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `recall`."""
    options.add_session_argument(parser)
    add = parser.add_argument
    add("words", metavar="WORDS", nargs="+", help="what to look for")
    add("--all", action="store_true", help="messages that are still live too")
    add("--limit", type=numbers.positive, default=20, metavar="N", help="hits (default: %(default)s)")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the hits, best first."""
    from core.preview.recall import recall

    query = " ".join(args.words)
    with target.session(args) as (store, session):
        conversation = store.conversation(session.id)
        found = recall(store, conversation, query, everything=args.all, limit=args.limit)
    return output.show(
        args,
        lambda: {"session": session.id, "query": query, "hits": [_payload(hit) for hit in found]},
        _lines(found, query),
    )


def _payload(hit: Hit) -> dict[str, Any]:
    return {
        **jsonio.fields(hit, "row generation session"),
        "role": hit.message.role,
        **jsonio.fields(hit, "live score excerpt"),
    }


def _lines(found: Sequence[Hit], query: str) -> Iterator[str]:
    from core.support import formatting as fmt
    from inspector.cli.table import Column, lines

    columns = (
        Column("generation", right=True, varies=True, rank=2),
        Column("row", right=True),
        Column("role", varies=True, rank=1),
        Column("text", shrinks=True, least=20),
    )
    if found:
        yield from lines(
            columns, ([str(hit.generation), str(hit.row), hit.message.role, hit.excerpt] for hit in found)
        )
    yield f"{fmt.plural(len(found), 'message')} about {query!r} that a compaction removed"
