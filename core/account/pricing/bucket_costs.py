"""What each bucket of tokens costs at the price list, and what reading from the cache spares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from core.account.pricing.price import MILLION, rates_for, write_rate
from core.model.accounting.ledger import LedgerPart, LedgerRow

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class BucketCosts:
    """Costs of a ledger row, split.

    Attributes:
        usd: By bucket; those of which nothing has a price are absent.
        saved: What the same prompts would cost more without a cache, writes paid for; None without a price.
    """

    usd: Mapping[str, Decimal]
    saved: Decimal | None = None


def bucket_rates(part: LedgerPart, *, one_hour: bool = False) -> dict[str, Decimal | None]:
    """USD per million tokens of each bucket by the part's newest entry; empty without one."""
    if part.price is None:
        return {}
    rates = rates_for(part.price, (part.tokens.prompt or 0) // max(1, part.calls))
    return {
        "input": rates.input,
        "cache_read": rates.cache_read if rates.cache_read is not None else rates.input,
        "cache_write": write_rate(rates, one_hour=one_hour),
        "output": rates.output,
    }


def bucket_costs(row: LedgerRow) -> BucketCosts:
    """Split what a row costs; what a subscription pays is left out."""
    usd: dict[str, Decimal] = {}
    saved: Decimal | None = None
    for part in row.parts:
        rates = {} if part.billing == "included" else bucket_rates(part)
        fresh = rates.get("input")
        for name, rate in rates.items():
            amount = getattr(part.tokens, name)
            if rate is None or not amount:
                continue
            usd[name] = usd.get(name, ZERO) + rate * amount / MILLION
            if fresh is not None and name.startswith("cache"):
                saved = (saved or ZERO) + (fresh - rate) * amount / MILLION
    return BucketCosts(usd, saved)
