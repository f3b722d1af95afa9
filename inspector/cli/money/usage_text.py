"""What was spent, as a printed table."""

from __future__ import annotations

from collections.abc import Iterator

from core.explain.headline.usage import hit_without, usage_headline
from core.model.accounting.ledger import Ledger, LedgerRow
from core.support import formatting as fmt
from inspector.cli import output, table


def lines(found: Ledger, limit: int) -> Iterator[str]:
    """The headline, a table of rows with the total, and notes."""
    yield from output.headline(usage_headline(found))
    yield ""
    tasks, tables = any(row.task for row in found.rows), any(row.tables for row in found.rows)
    named = any(_named(row) for row in found.rows)
    rows = (_cells(row, tasks=tasks, tables=tables, named=named) for row in found.rows[:limit])
    total = _cells(found.totals, tasks=tasks, tables=tables, named=named)
    yield from table.lines(_columns(found.by, tasks=tasks, tables=tables, named=named), rows, total)
    if len(found.rows) > limit:
        yield f"{limit} of {len(found.rows):,} rows · --limit N shows more; the total covers all rows"
    if alone := hit_without(found):
        yield f"note: cache hit {fmt.percent(found.totals.tokens.hit_rate)}, {alone}"
    yield from (f"note: {note}" for note in found.notes)


def _columns(by: str, *, tasks: bool, tables: bool, named: bool) -> list[table.Column]:
    return [
        table.Column(by, shrinks=True, least=20),
        *([table.Column("task", varies=True, rank=3)] if tasks else ()),
        table.Column("calls", right=True, rank=6),
        table.Column("uncached input", right=True, rank=2),
        table.Column("cache read", right=True, rank=1),
        table.Column("cache write", right=True, rank=1),
        table.Column("output", right=True, rank=1),
        table.Column("reasoning", right=True, varies=True, rank=4),
        table.Column("cache hit", right=True, rank=7),
        table.Column("recorded", right=True),
        table.Column("list price", right=True, varies=True, rank=5),
        *([table.Column("recorded / list price by", shrinks=True, varies=True, rank=9)] if tables else ()),
        *([table.Column("id", rank=8)] if named else ()),
    ]


def _cells(row: LedgerRow, *, tasks: bool, tables: bool, named: bool) -> list[str]:
    tokens, own = row.tokens, row.status == "local"
    before, last = (tokens.input, tokens.cache_read, tokens.cache_write), (tokens.output, tokens.reasoning)
    return [
        row.label or row.key,
        *([row.task] if tasks else ()),
        fmt.tokens(row.calls, lower_bound=row.lower_bound, whole=True),
        *(fmt.tokens(value, lower_bound=row.lower_bound) for value in (*before, *last)),
        fmt.percent(tokens.hit_rate),
        fmt.sum_of_money(row.recorded, lower_bound=row.lower_bound, own=own),
        fmt.sum_of_money(row.computed, lower_bound=row.lower_bound, own=own),
        *([row.tables] if tables else ()),
        *([row.key if _named(row) else ""] if named else ()),
    ]


def _named(row: LedgerRow) -> bool:
    """Whether the row's name differs from its key."""
    return row.label not in ("", row.key)
