"""Compares a provider's usage export with what Hermes recorded, by day and model.

Exports of OpenRouter, Anthropic, OpenAI and DeepSeek, of usage or of cost, are recognised by their columns;
for others, --columns says which column is which.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import NotFoundError
from core.model.accounting.usage import ReconcileRow, Reconciliation
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.payloads import values as jsonio


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `reconcile`."""
    add = parser.add_argument
    add("export", metavar="EXPORT.csv", type=Path, help="the export file")
    add("--mapping", metavar="NAME", help="column mapping (default: recognised by the columns)")
    add("--columns", type=_columns, metavar="FIELD=COLUMN,...", help="columns of an unknown export")
    options.add_shared_options(parser, csv="print CSV for a spreadsheet")


def run(args: argparse.Namespace) -> int:
    """Print where both records agree and where they do not."""
    from core.account.reconcile.reconcile import reconcile

    if not args.export.exists():
        raise NotFoundError("no such file", where=str(args.export))
    with target.stores(args) as opened:
        found = reconcile(opened, args.export, mapping=args.mapping, columns=args.columns)
    if args.json:
        output.write_json(_payload(found))
    elif args.csv:
        output.write_csv(map(_flat, found.rows))
    else:
        output.write_lines(_lines(found))
    return 0


def _columns(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and column.strip() for name, _, column in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not FIELD=COLUMN,..., such as day=Date,model=Engine")
    return {name.strip(): column.strip() for name, _, column in pairs}


def _payload(found: Reconciliation) -> dict[str, Any]:
    return {
        "mapping": found.mapping,
        "rows": [_row(row) for row in found.rows],
        **jsonio.fields(found, "covered holes skipped notes"),
    }


def _row(row: ReconcileRow) -> dict[str, Any]:
    return {
        "day": row.day.isoformat(),
        "model": row.model,
        "provider": {
            "tokens": jsonio.tokens(row.provider_tokens),
            "usd": jsonio.money(row.provider_usd),
            "calls": row.provider_calls,
        },
        "hermes": {
            "tokens": jsonio.tokens(row.hermes_tokens),
            "usd": jsonio.money(row.hermes_usd),
            "calls": row.hermes_calls,
        },
        "verdict": row.verdict,
    }


def _flat(row: ReconcileRow) -> dict[str, Any]:
    return {
        "day": row.day.isoformat(),
        "model": row.model,
        "verdict": row.verdict,
        "provider_tokens": row.provider_total,
        "hermes_tokens": row.hermes_total,
        "provider_usd": jsonio.money(row.provider_usd),
        "hermes_usd": jsonio.money(row.hermes_usd),
    }


def _lines(found: Reconciliation) -> Iterator[str]:
    from inspector.cli.table import Column, lines

    columns = (
        Column("day"),
        Column("model", shrinks=True, varies=True),
        Column("verdict"),
        Column("provider tokens", right=True, rank=2),
        Column("Hermes tokens", right=True, rank=1),
        Column("provider cost", right=True),
        Column("Hermes cost", right=True),
    )
    yield from lines(columns, map(_cells, found.rows))
    counted = any(row.provider_total is not None for row in found.rows)
    what = "the provider's tokens are" if counted else "the provider's bill is"
    yield f"{fmt.percent(found.covered)} of {what} recorded by Hermes ({found.mapping})"
    yield from (f"gap: {hole}" for hole in found.holes)
    yield from (f"note: {note}" for note in found.notes)
    if found.skipped:
        yield f"{fmt.plural(found.skipped, 'line')} of the file could not be read"


def _cells(row: ReconcileRow) -> list[str]:
    return [
        row.day.isoformat(),
        row.model,
        row.verdict.replace("_", " "),
        fmt.count(row.provider_total),
        fmt.count(row.hermes_total),
        fmt.money(row.provider_usd),
        fmt.money(row.hermes_usd),
    ]
