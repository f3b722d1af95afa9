"""Finds messages that contain every word; "double quotes" keep words together. Newest first."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from core.errors import UsageError
from core.model.transcript.session import LONG_AGO
from core.model.transcript.storage import SearchHit, SearchResult
from inspector.cli import output
from inspector.cli.arguments import options, parsers, target
from inspector.payloads import values as jsonio


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `search`."""
    add = parser.add_argument
    add("text", metavar="TEXT", nargs="+", help="words to look for")
    add("--limit", type=parsers.positive, default=50, metavar="N", help="show at most N hits (default: 50)")
    add("--in", dest="session", metavar="SESSION", help="only in this session")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the hits."""
    text = " ".join(args.text)
    if not text.strip():
        raise UsageError("there is no word to search for", where="search")
    found = _in_session(args, text) if args.session is not None else _everywhere(args, text)
    return output.show(args, lambda: _payload(text, found), _lines(found, text))


def _in_session(args: argparse.Namespace, text: str) -> SearchResult:
    with target.session(args) as (store, session):
        return store.search(text, limit=args.limit, session=session.id)


def _everywhere(args: argparse.Namespace, text: str) -> SearchResult:
    """Hits from all databases, newest first."""
    found: list[SearchResult] = []
    with target.stores(args) as opened:
        target.each(opened, lambda store: found.append(store.search(text, limit=args.limit)))
    hits = [hit for result in found for hit in result.hits]
    if len(found) > 1:
        hits.sort(key=lambda hit: hit.timestamp or LONG_AGO, reverse=True)
    return SearchResult(
        hits=tuple(hits[: args.limit]),
        partial=len(hits) > args.limit or any(result.partial for result in found),
        how=", ".join(dict.fromkeys(result.how for result in found)),
    )


def _payload(text: str, found: SearchResult) -> dict[str, Any]:
    return {
        "query": text,
        "hits": [_hit(hit) for hit in found.hits],
        "partial": found.partial,
        "how": found.how,
    }


def _hit(hit: SearchHit) -> dict[str, Any]:
    return {
        "session": hit.session_id,
        "row": hit.row_id,
        "role": hit.role,
        "at": jsonio.time(hit.timestamp),
        "state": hit.state.value,
        "excerpt": hit.excerpt,
    }


def _lines(found: SearchResult, text: str) -> Iterator[str]:
    from core.store.search import SCANNED, to_try
    from core.support import formatting as fmt
    from inspector.cli.table import Column, lines

    more = ", and there may be more" if found.partial else ", newest first" if found.hits else ""
    how = "scanning every row" if found.how == SCANNED else found.how
    count = fmt.plural(len(found.hits), "message") if found.hits else "No message"
    yield output.strong(f"{count} found by {how}{more}.")
    if not found.hits:
        yield to_try(text)
    columns = (
        Column("when", rank=4),
        Column("session", varies=True, rank=2),
        Column("row", right=True),
        Column("role", varies=True, rank=3),
        Column("text", shrinks=True, least=24),
    )
    rows = (
        [fmt.moment(hit.timestamp), hit.session_id, str(hit.row_id), hit.role, hit.excerpt]
        for hit in found.hits
    )
    if found.hits:
        yield from ("", *lines(columns, rows))
