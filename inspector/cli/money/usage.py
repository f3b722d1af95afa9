"""Adds up tokens and cost. Each call counts once; summaries, titles and other side tasks have their own rows.

Recorded cost is what Hermes wrote down; computed cost is the tokens at list price, from the price list that
ships with the program or your own prices.yaml. The two are never mixed, and what has no price has no cost.
Reasoning is part of the output and never added to it.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import BudgetPassed, UsageError
from inspector.cli import output, printed_cache
from inspector.cli.arguments import options, parsers, target
from inspector.cli.money import recorded_usage
from inspector.terminal import waiting

if TYPE_CHECKING:
    from core.account.pricing.price_book import PriceBook
    from core.account.spending.ledger import Books
    from core.model.accounting.ledger import Ledger, LedgerRow
    from core.store.database.open_database import OpenDatabase
    from core.support.program_files import KeptAnswer

_BUCKETS = ("input", "cache_read", "cache_write", "output", "reasoning")
BY = ("session", "conversation", "model", "provider", "source", "day", "hour", "task", "profile")
SORTS = ("cost", "tokens", *_BUCKETS, "calls", "hit", "name")
DEFAULT_LIMIT = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `usage`."""
    options.add_session_argument(parser, optional=True)
    add = parser.add_argument
    add("--by", choices=BY, default="session", help="group by this (default: %(default)s)")
    add("--since", type=parsers.moment, metavar="WHEN", help="sessions begun since: today, 30d, 2026-11-01")
    add("--until", type=parsers.moment, metavar="WHEN", help="only sessions started before")
    add("--sort", choices=SORTS, help="sort by this (default: cost; days and hours by time)")
    most = f"show at most N rows (default for the table: {DEFAULT_LIMIT})"
    add("--limit", type=parsers.positive, metavar="N", help=most)
    add("--budget", type=parsers.dollars, metavar="USD", help="exit with code 6 if more was spent")
    add(
        "--transcript",
        action="extend",
        nargs="+",
        metavar="FILE",
        help="read JSONL logs of Claude Code or Codex, or API responses, one per line, instead of a database",
    )
    add("--no-prices", action="store_true", help="leave list prices out; faster")
    options.add_shared_options(parser, csv="print CSV for a spreadsheet")
    options.add_fleet_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print tokens by bucket, and cost.

    Raises:
        UsageError: The time asked about ends before it begins.
    """
    if args.since and args.until and args.until < args.since:
        raise UsageError("--until comes before --since")
    if args.transcript:
        return _of_transcripts(args)
    cached = _cache_entry(args)
    text = cached.read() if cached else None
    if text is None:
        return _add_up(args, cached)
    output.write_text(f"{text}\n")
    return 0


def _cache_entry(args: argparse.Namespace) -> KeptAnswer | None:
    if args.budget is not None or args.since or args.until:
        return None  # "the last 30 days" means other days tomorrow
    return printed_cache.entry(args, *(() if args.no_prices else printed_cache.prices()))


def _add_up(args: argparse.Namespace, cached: KeptAnswer | None) -> int:
    from inspector.payloads import usage as usage_json

    books = _books(args)
    if (args.sort or args.limit) and (args.json or args.csv):
        _print(books.ledger(), args, recorded_usage.payload(args, books))
    elif args.json:
        pieces = list(usage_json.document(books, recorded_usage.payload(args, books)))
        waiting.stop()
        sys.stdout.writelines((*pieces, "\n"))
        if cached:
            printed_cache.write(cached, *pieces)
    elif args.csv:
        import json  # not needed when a cached answer is printed

        found = json.loads("".join(usage_json.document(books)))
        output.write_csv(map(_flat, (*found["rows"], found["totals"])))
    else:
        _print(_named(books.ledger(), args), args)
        output.write_lines(recorded_usage.lines(args, books))
    if args.budget is not None:
        _check_budget(args.budget, books.ledger())
    return 0


def _named(found: Ledger, args: argparse.Namespace) -> Ledger:
    """The ledger with names for conversations that have no title."""
    from core.account.spending.conversations import with_names
    from core.store.conversations.session_lists import SessionLists

    with target.opened(args, SessionLists) as opened:
        return with_names(found, opened)


def _print(found: Ledger, args: argparse.Namespace, recorded: dict[str, Any] | None = None) -> None:
    from core.account.spending.conversations import whole_rows
    from inspector.payloads import usage as usage_json

    if not (args.json or args.csv):
        found = whole_rows(found)
    if args.sort or args.limit or not args.json:
        found = replace(found, rows=_sorted(found, args.sort))
    if args.json:
        output.write_json(usage_json.payload(found, args.limit, recorded))
    elif args.csv:
        output.write_csv(_flat(usage_json.row(one)) for one in (*found.rows[: args.limit], found.totals))
    else:
        from inspector.cli.money import usage_text

        output.write_lines(usage_text.lines(found, args.limit or DEFAULT_LIMIT))


def _of_transcripts(args: argparse.Namespace) -> int:
    """Print the usage in logs of other tools."""
    from core.account.spending.imported_ledger import transcript_ledger

    if args.session is not None:
        raise UsageError("give either SESSION or --transcript FILE")
    files = [Path(file) for file in dict.fromkeys(args.transcript)]
    found = transcript_ledger(files, by=args.by, since=args.since, until=args.until, prices=_prices(args))
    _print(found, args)
    if args.budget is not None:
        _check_budget(args.budget, found)
    return 0


def _check_budget(budget: Decimal, found: Ledger) -> None:
    """Compare spending with the budget, which ends the command with its exit code if passed."""
    from core.account.spending.budget import check_budget

    checked = check_budget(found, budget)
    if checked.passed:
        raise BudgetPassed(checked.sentence)
    output.write_note(checked.sentence)


def _books(args: argparse.Namespace) -> Books:
    if args.session is None:
        from core.store.database.open_database import OpenDatabase

        with target.opened(args, OpenDatabase) as opened:
            return _collect(opened, args, None)
    with target.named(args) as (store, session):
        return _collect((store,), args, session.id)


def _collect(opened: tuple[OpenDatabase, ...], args: argparse.Namespace, session: str | None) -> Books:
    from core.account.spending.ledger import collect

    prices = _prices(args)
    return collect(opened, by=args.by, since=args.since, until=args.until, session=session, prices=prices)


def _prices(args: argparse.Namespace) -> PriceBook | None:
    if args.no_prices:
        return None
    from core.account.pricing.price_book import open_book

    return open_book()


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    kept = ("key", "label", "task", "sessions", "calls")
    cost = ("recorded_usd", "computed_usd", "status", "recorded_source", "price_source")
    return {
        **{name: row[name] for name in kept},
        **row["tokens"],
        **{name: row["cost"][name] for name in cost},
        "hit_rate": row["hit_rate"],
        "lower_bound": row["lower_bound"],
    }


def _sorted(found: Ledger, sort: str | None) -> tuple[LedgerRow, ...]:
    """Rows in the order people want: the most expensive first; for days and hours, the newest first."""
    if sort == "name":
        return tuple(sorted(found.rows, key=lambda row: (row.label or row.key).lower()))
    if sort is None and found.by in ("day", "hour"):
        return tuple(sorted(found.rows, key=lambda row: row.key, reverse=True))
    if sort is None or sort == "cost":
        return tuple(sorted(found.rows, key=lambda row: row.rank, reverse=True))
    return tuple(sorted(found.rows, key=lambda row: _weight(row, sort), reverse=True))


def _weight(row: LedgerRow, sort: str) -> tuple[float, int]:
    """What a row is sorted by, then its tokens; unknown values come last."""
    tokens = row.tokens
    known = {name: getattr(tokens, name) for name in _BUCKETS}
    known |= {"tokens": tokens.total, "calls": row.calls, "hit": tokens.hit_rate}
    value = known[sort]
    return (-1.0 if value is None else float(value), tokens.total or 0)
