"""Five minutes or an hour: what the same calls would have cost with each lifetime of the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from core.account.pricing.price import MILLION, rates_for, write_rate
from core.account.prompt_cache.causes import SECONDS
from core.model.accounting.prices import PriceRow
from core.model.accounting.prompt_cache import CacheBreak, CacheCall, TtlAdvice

_MARGIN = Decimal("0.02")
"""A difference below this share is none."""


def advise(
    calls: Sequence[CacheCall],
    breaks: Sequence[CacheBreak],
    ttl: str,
    price: Callable[[CacheCall], PriceRow | None] | None = None,
) -> TtlAdvice | None:
    """The better lifetime for these calls; None without calls.

    Each call is replayed: what the call before had in its prompt is read from the cache unless the pause was
    longer than the lifetime, the rest is written. Breaks that no lifetime prevents stay breaks.
    """
    gaps = [call.gap for call in calls if call.gap is not None]
    if not gaps:
        return None
    counts = (
        sum(gap <= SECONDS["5m"] for gap in gaps),
        sum(SECONDS["5m"] < gap <= SECONDS["1h"] for gap in gaps),
        sum(gap > SECONDS["1h"] for gap in gaps),
    )
    broken = {one.call for one in breaks if one.cause != "ttl_expired"}
    short, long = (_cost(calls, broken, lifetime, price) for lifetime in ("5m", "1h"))
    better, reason = _verdict(counts, short, long)
    return TtlAdvice(ttl, better, reason, short, long, counts)


def _cost(
    calls: Sequence[CacheCall],
    broken: set[int],
    lifetime: str,
    price: Callable[[CacheCall], PriceRow | None] | None,
) -> Decimal | None:
    """USD of the input side of all calls with one lifetime."""
    total, before = Decimal(0), 0
    for place, call in enumerate(calls):
        prompt = call.prompt
        entry = price(call) if price else None
        if prompt is None:
            continue
        rates = rates_for(entry, prompt) if entry else None
        write = write_rate(rates, one_hour=lifetime == "1h") if rates else None
        if rates is None or write is None or rates.cache_read is None or rates.cache_write is None:
            return None
        kept = place > 0 and call.gap is not None and call.gap <= SECONDS[lifetime]
        read = (call.cache_read or 0) if place in broken else min(before, prompt) if kept else 0
        total += (read * rates.cache_read + (prompt - read) * write) / MILLION
        before = prompt
    return total


def _verdict(
    counts: tuple[int, int, int], short: Decimal | None, long: Decimal | None
) -> tuple[str | None, str]:
    pauses = f"{counts[1]} of {sum(counts)} pauses lie between 5 minutes and an hour"
    if short is None or long is None:
        return None, f"{pauses}; no price tells whether an hour would pay"
    if abs(short - long) <= _MARGIN * max(short, long):
        return None, f"{pauses}; both cost about the same"
    better = "5m" if short < long else "1h"
    return better, f"{pauses}; {better} saves ${abs(short - long):.2f} over these calls"
