"""What a session or conversation cost in all: its main loop together with its summaries and other helpers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import reduce
from operator import add

from core.model.accounting.ledger import Ledger, LedgerRow
from core.model.accounting.prices import Money

BY_ID = frozenset(("session", "conversation"))
"""Ledgers whose keys are ids."""


def best_cost(row: LedgerRow) -> Money:
    """What a row cost: as recorded where anything is, else by the price list."""
    return row.recorded if row.recorded.usd is not None else row.computed


def whole(found: Ledger) -> Ledger:
    """A ledger with one row for each session or conversation; that of other things as it is."""
    if found.by not in BY_ID:
        return found
    rows: dict[str, list[LedgerRow]] = defaultdict(list)
    for row in found.rows:
        rows[row.key].append(row)
    together = (same[0] if len(same) == 1 else _together(same) for same in rows.values())
    ordered = sorted(together, key=lambda row: best_cost(row).usd or Decimal(0), reverse=True)
    return replace(found, rows=tuple(ordered))


def _together(rows: Sequence[LedgerRow]) -> LedgerRow:
    first = min(rows, key=lambda row: bool(row.task))
    statuses = {row.status for row in rows}
    return replace(
        first,
        task="",
        sessions=max(row.sessions for row in rows),
        calls=sum(row.calls for row in rows),
        tokens=reduce(add, (row.tokens for row in rows)),
        recorded=reduce(add, (row.recorded for row in rows)),
        computed=reduce(add, (row.computed for row in rows)),
        included=reduce(add, (row.included for row in rows)),
        status=statuses.pop() if len(statuses) == 1 else "mixed",
        parts=tuple(part for row in rows for part in row.parts),
        lower_bound=any(row.lower_bound for row in rows),
    )
