"""Computes the cost of tokens at a price entry, in exact decimals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, partial
from typing import TYPE_CHECKING

from core.hermes.config.config_values import in_own_network, is_own_server
from core.model.accounting.amounts import Buckets
from core.model.accounting.ledger import LedgerPart, LedgerRow, PriceRow, Rates, Term
from core.model.accounting.usage import Origin
from core.support.program_files import shared_table

if TYPE_CHECKING:
    from core.model.transcript.session import Session
    from core.model.transcript.storage import UsageRow

route_rules = partial(shared_table, "core/account/pricing/price_routes.yaml")
"""How prices are found for routes, and who pays for them."""

MILLION = Decimal(1_000_000)
_ZERO = Decimal(0)
ONE_HOUR_FACTOR = Decimal("1.6")
"""Price ratio of cache writes kept for an hour (2 x the input rate) and five minutes (1.25 x)."""


def entry_at(rows: Sequence[PriceRow], at: datetime | None) -> PriceRow | None:
    """The entry (oldest first) in force at a moment: the last one that applies, or the first if none did.

    Without a moment, the newest entry that applies all day.
    """
    if len(rows) < 2:
        return rows[0] if rows else None
    if at is None:
        return next((row for row in reversed(rows) if row.hours is None), rows[-1])
    return next((row for row in reversed(rows) if _holds(row, at.astimezone(UTC))), rows[0])


def rates_for(row: PriceRow, prompt: int) -> Rates:
    """The rates of a request by prompt length: exceeding a tier changes the rate of the whole request."""
    above = [tier for tier in row.tiers if prompt > tier.above]
    return above[-1].rates if above else row.rates


def price(row: PriceRow | None, tokens: Buckets, *, calls: int = 1, one_hour: bool = False) -> Decimal | None:
    """What the tokens of some calls cost; None if the entry, or the rate of a used bucket, is unknown.

    A bucket without a rate of its own is billed as uncached input, as providers without a cache price do.
    Reasoning is part of the output and not priced again. The mean prompt selects a long-context tier.
    """
    if row is None:
        return None
    buckets = (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output)
    return cost(row, buckets, calls=calls, one_hour=one_hour)


def write_rate(rates: Rates, *, one_hour: bool) -> Decimal | None:
    """USD per million tokens written to the cache."""
    if rates.cache_write is None:
        return rates.input
    if not one_hour:
        return rates.cache_write
    return rates.cache_write_1h if rates.cache_write_1h is not None else rates.cache_write * ONE_HOUR_FACTOR


def read_rate(rates: Rates) -> Decimal | None:
    """USD per million tokens read from the cache; as uncached input where that has no price of its own."""
    return rates.input if rates.cache_read is None else rates.cache_read


def cost(
    row: PriceRow, buckets: Sequence[int | None], *, calls: int = 1, one_hour: bool = False
) -> Decimal | None:
    """Like `price`, but from plain numbers (new input, cache read and write, output), for large ledgers."""
    prompt = sum(bucket or 0 for bucket in buckets[:3]) if row.tiers else 0
    total = _ZERO
    for amount, rate in zip(
        buckets, _bucket_rates(rates_for(row, prompt // max(1, calls)), one_hour), strict=True
    ):
        if amount:
            if rate is None:
                return None
            total += amount * rate
    return total / MILLION


def _bucket_rates(rates: Rates, one_hour: bool = False) -> tuple[Decimal | None, ...]:
    """The rates of uncached input, cache read, cache write and output."""
    return rates.input, read_rate(rates), write_rate(rates, one_hour=one_hour), rates.output


def _holds(row: PriceRow, at: datetime) -> bool:
    if row.since is not None and at.date() < row.since:
        return False
    if row.hours is None:
        return True
    start, end = row.hours
    now = at.timetz().replace(tzinfo=None)
    return start <= now < end if start <= end else now >= start or now < end


@cache
def billing_of(provider: str, base_url: str, mode: str = "") -> str:
    """Who pays for a route: `api`, `included` (a subscription) or `local`."""
    rules = route_rules()
    if mode in rules["included_modes"] or provider.lower() in rules["included"]:
        return "included"
    if is_own_server(provider) or in_own_network(base_url):
        return "local"
    return "api"


def is_local_only(routes: Iterable[Session | UsageRow]) -> bool:
    """Whether all sessions used local servers."""
    return all(billing_of(route.provider or "", route.base_url or "") == "local" for route in routes)


@dataclass(frozen=True, slots=True)
class BucketCosts:
    """The cost of a ledger row, by bucket.

    Attributes:
        usd: Cost by bucket, without buckets that have no price.
        saved: How much more the same prompts would cost without a cache, net of writes; None without a price.
    """

    usd: Mapping[str, Decimal]
    saved: Decimal | None = None


def bucket_rates(part: LedgerPart) -> dict[str, Decimal | None]:
    """USD per million tokens of each bucket by the part's newest entry; empty without one."""
    if part.price is None:
        return {}
    rates = rates_for(part.price, (part.tokens.prompt or 0) // max(1, part.calls))
    names = ("input", "cache_read", "cache_write", "output")
    return dict(zip(names, _bucket_rates(rates), strict=True))


def bucket_costs(row: LedgerRow) -> BucketCosts:
    """Split a row's cost by bucket, without what a subscription pays."""
    usd: dict[str, Decimal] = {}
    saved: Decimal | None = None
    for part in row.parts:
        rates = {} if part.billing == "included" else bucket_rates(part)
        fresh = rates.get("input")
        for name, rate in rates.items():
            amount = getattr(part.tokens, name)
            if rate is None or not amount:
                continue
            usd[name] = usd.get(name, _ZERO) + rate * amount / MILLION
            if fresh is not None and name.startswith("cache"):
                saved = (saved or _ZERO) + (fresh - rate) * amount / MILLION
    return BucketCosts(usd, saved)


def reread_cost(
    figure: str, tokens: int, fresh: Decimal, cached: Decimal, entry: PriceRow
) -> tuple[Decimal, Origin]:
    """The cost of rereading tokens above their price from the cache, and its origin.

    `fresh` and `cached` are USD per million tokens; `fresh` includes the write to the cache if that costs
    extra.
    """
    usd = (fresh - cached) * tokens / MILLION
    terms = (Term("read anew", tokens, fresh), Term("what the cache would have charged", -tokens, cached))
    formula = "re-read tokens × (USD per million uncached - cached) / 1,000,000"
    return usd, Origin(figure, usd, formula, terms, prices=(entry.label,))
