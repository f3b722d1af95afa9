"""Lists conversations, one per row, or with --all sessions.

Tokens count the row's own calls; cost includes summaries and side tasks, which `usage` shows separately.

The JSON lists sessions, each with its place in its conversation, and has no limit unless --limit is given.
A session without a title has the user's first words as its preview. For more than 1,000 sessions,
generations and previews are null, because they require reading messages.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.store.conversations.sort_order import SORTS, place
from inspector.cli import output, printed_cache
from inspector.cli.arguments import options, parsers, target
from inspector.cli.arguments.target import Opened
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.model.transcript.session import ListQuery
    from core.store.database.locate import Location
    from inspector.cli.browse.listing import Row

DEFAULT_LIMIT = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sessions`."""
    add = parser.add_argument
    add(
        "--limit",
        type=parsers.whole_number,
        metavar="N",
        help=f"show at most N rows (default for the table: {DEFAULT_LIMIT})",
    )
    add("--all", action="store_true", help="list every session in its own row, without a limit")
    add("--since", type=parsers.moment, metavar="WHEN", help="only those active since: 7d, 24h, 2026-11-20")
    add("--source", metavar="NAME", help="only those from this source: cli, telegram, cron, ...")
    add("--filter", metavar="TEXT", help="only those whose id, title, model, source or folder contains TEXT")
    add("--sort", choices=SORTS, default="last_active", help="sort by this (default: %(default)s)")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    return _json(args) if args.json else _table(args)


def _json(args: argparse.Namespace) -> int:
    # With --since the answer depends on the time of the call, so it is not cached.
    cached = None if args.since else printed_cache.entry(args)
    text = cached.read() if cached else None
    if text is None:
        rows, total, _ = _sessions(args, None if args.all else args.limit)
        text = jsonio.dumps(jsonio.masked({"sessions": [_payload(row) for row in rows], "total": total}))
        if cached:
            printed_cache.write(cached, text)
    output.write_text(f"{text}\n")
    return 0


def _table(args: argparse.Namespace) -> int:
    from core.store.conversations.session_lists import ConversationLists
    from inspector.cli.browse import listing

    if args.all:
        rows, total, several = _sessions(args, None)
    else:
        limit = DEFAULT_LIMIT if args.limit is None else args.limit
        rows, total, several = _read(args, ConversationLists, listing.conversations, limit)
    output.write_lines(listing.table(rows, total, several=several))
    return 0


def _sessions(args: argparse.Namespace, limit: int | None) -> tuple[list[Row], int, bool]:
    from core.store.conversations.session_lists import SessionLists
    from inspector.cli.browse import listing

    return _read(args, SessionLists, listing.sessions, limit)


def _read(
    args: argparse.Namespace,
    kind: Callable[[Location], Opened],
    listed: Callable[[Opened, ListQuery], tuple[list[Row], int]],
    limit: int | None,
) -> tuple[list[Row], int, bool]:
    """Rows of all databases in one order; how many there are without the limit, and whether of several."""
    from core.model.transcript.session import ListQuery
    from inspector.cli.browse import listing

    query = ListQuery(limit, since=args.since, source=args.source, sort=args.sort, text=args.filter)
    found: list[Row] = []
    total = 0

    def read(database: Opened) -> None:
        nonlocal total
        rows, count = listed(database, query)
        found.extend(rows)
        total += count

    with target.opened(args, kind) as opened:
        target.each(opened, read)
        if len(opened) > 1:
            found.sort(key=lambda row: place(args.sort, row.line))
        return listing.with_previews(listing.with_generations(found[:limit])), total, len(opened) > 1


def _payload(row: Row) -> dict[str, Any]:
    session = row.session
    return {
        **jsonio.fields(session, "id title"),
        "preview": row.preview,
        **jsonio.fields(session, "source model provider started_at ended_at last_active end_reason messages"),
        "calls": session.api_calls,
        "tokens": jsonio.tokens(session.tokens),
        "hit_rate": session.tokens.hit_rate,
        "cost": jsonio.session_cost(session),
        "lower_bound": row.line.lower_bound,
        "conversation": jsonio.fields(row, "root tip position sessions generations"),
        "kind": row.line.kind.value,
        "parent": session.parent_id,
        "database": session.database,
        "damage": list(session.damage),
    }
