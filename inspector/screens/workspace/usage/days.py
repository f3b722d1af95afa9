"""What each day of a ledger cost, and each token bucket's share of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from core.account.pricing.price import bucket_costs
from core.model.accounting.ledger import Ledger, LedgerRow
from core.support import formatting as fmt

MAX_DAYS = 400
BUCKETS = ("input", "cache_read", "cache_write", "output")
NOTHING = (0.0,) * len(BUCKETS)


@dataclass(frozen=True, slots=True)
class Day:
    """The cost of one day; None if nothing of it has a price.

    Attributes:
        costs: Shares of `usd` by bucket, computed from the price list; all 0 if unknown.
        buckets: Tokens by bucket.
        lower_bound: Its cost is at least this.
        incomplete: Its tokens are at least these.
    """

    day: date
    usd: Decimal | None = None
    tokens: int = 0
    costs: tuple[float, ...] = NOTHING
    buckets: tuple[float, ...] = NOTHING
    lower_bound: bool = False
    incomplete: bool = False


def days_of(
    found: Ledger, first: date | None, last: date | None, *, exactly: bool = False
) -> tuple[Day, ...]:
    """Every day in order, including days without spending; empty if nothing was spent at all.

    The first and last day are by default those of the rows; later rows count unless `exactly` is set.
    """
    known: dict[date, Day] = {}
    for row in found.rows:
        day = date_of(row.key)
        if day is not None:
            known[day] = _with(known.get(day, Day(day)), row)
    if not known:
        return ()
    end = last if exactly and last else max(known if last is None else (last, *known))
    count = min(MAX_DAYS, (end - (first or min(known))).days + 1)
    span = (end - timedelta(days=back) for back in reversed(range(count)))
    return tuple(known.get(day, Day(day)) for day in span)


def _with(before: Day, row: LedgerRow) -> Day:
    usd = [value for value in (before.usd, row.cost.usd) if value is not None]
    return Day(
        before.day,
        sum(usd, Decimal(0)) if usd else None,
        before.tokens + (row.tokens.total or 0),
        _sums(before.costs, _shares(row)),
        _sums(before.buckets, tuple(float(getattr(row.tokens, name) or 0) for name in BUCKETS)),
        before.lower_bound or row.lower_bound or bool(row.cost.missing),
        before.incomplete or row.lower_bound,
    )


def cost_of(day: Day) -> str:
    """What a day cost, in words."""
    return fmt.money(day.usd, mark=fmt.LOWER_BOUND if day.lower_bound else "")


def _shares(row: LedgerRow) -> tuple[float, ...]:
    """The cost of a row, divided among the buckets in proportion to list prices."""
    listed = bucket_costs(row).usd
    total, cost = sum(listed.values(), Decimal(0)), row.cost.usd
    if not total or cost is None:
        return NOTHING
    return tuple(float(cost * listed.get(name, Decimal(0)) / total) for name in BUCKETS)


def _sums(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(left + right for left, right in zip(one, other, strict=True))


def date_of(key: str) -> date | None:
    """The day of a row by day; None for any other key."""
    try:
        return date.fromisoformat(key)
    except ValueError:
        return None
