"""What each day of a ledger came to, and what of it each bucket of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from core.account.pricing.price import bucket_costs
from core.model.accounting.ledger import Ledger, LedgerRow

MOST_DAYS = 400
BUCKETS = ("input", "cache_read", "cache_write", "output")
NOTHING = (0.0,) * len(BUCKETS)


@dataclass(frozen=True, slots=True)
class Day:
    """What one day cost; None when nothing of it has a price.

    Attributes:
        costs: The shares of `usd`, by the price list, that each of `BUCKETS` has; all 0 where nobody knows.
        buckets: Tokens of each of `BUCKETS`.
    """

    day: date
    usd: Decimal | None = None
    tokens: int = 0
    costs: tuple[float, ...] = NOTHING
    buckets: tuple[float, ...] = NOTHING


def spent(row: LedgerRow) -> Decimal | None:
    """What a row cost: as recorded, else at the price list."""
    return row.recorded.usd if row.recorded.usd is not None else row.computed.usd


def days_of(
    found: Ledger, first: date | None, last: date | None, *, exactly: bool = False
) -> tuple[Day, ...]:
    """Every day in order, those without spending too; none where nothing was spent at all.

    Args:
        found: Rows by day.
        first: The first day; the first of the rows by default.
        last: The last day; the last of the rows by default, or where one is later, unless `exactly` that one.
        exactly: Nothing after `last` counts.
    """
    known: dict[date, Day] = {}
    for row in found.rows:
        day = date_of(row.key)
        if day is not None:
            known[day] = _with(known.get(day, Day(day)), row)
    if not known:
        return ()
    end = last if exactly and last else max(known if last is None else (last, *known))
    count = min(MOST_DAYS, (end - (first or min(known))).days + 1)
    span = (end - timedelta(days=back) for back in reversed(range(count)))
    return tuple(known.get(day, Day(day)) for day in span)


def _with(before: Day, row: LedgerRow) -> Day:
    usd = [value for value in (before.usd, spent(row)) if value is not None]
    return Day(
        before.day,
        sum(usd, Decimal(0)) if usd else None,
        before.tokens + (row.tokens.total or 0),
        _sums(before.costs, _shares(row)),
        _sums(before.buckets, tuple(float(getattr(row.tokens, name) or 0) for name in BUCKETS)),
    )


def _shares(row: LedgerRow) -> tuple[float, ...]:
    """What a row cost, shared out as the price list would."""
    listed = bucket_costs(row).usd
    whole, cost = sum(listed.values(), Decimal(0)), spent(row)
    if not whole or cost is None:
        return NOTHING
    return tuple(float(cost * listed.get(name, Decimal(0)) / whole) for name in BUCKETS)


def _sums(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(left + right for left, right in zip(one, other, strict=True))


def date_of(key: str) -> date | None:
    """The day that a row by day is about; None for any other key."""
    try:
        return date.fromisoformat(key)
    except ValueError:
        return None
