"""Calls that missed the cache although the call before had filled it, each with its cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import pairwise
from statistics import median

from core.account.pricing.price import rates_for, write_rate
from core.account.prompt_cache.causes import Causes, Surroundings
from core.account.prompt_cache.reread_cost import anew
from core.model.accounting.prices import PriceRow
from core.model.accounting.prompt_cache import CacheBreak, CacheCall
from core.model.accounting.usage import Origin
from core.model.evidence import Evidence, Source

SHARE = 0.4
"""A break loses at least this share of what the call before left in the cache."""
LEAST = 1024
"""... and at least so many tokens: providers cache nothing shorter."""

_PRICE = Callable[[CacheCall], PriceRow | None]


def find_breaks(
    calls: Sequence[CacheCall], around: Surroundings, price: _PRICE | None = None, *, one_hour: bool = False
) -> tuple[CacheBreak, ...]:
    """Every break, with cause and price.

    Providers regularly find a little less than the whole previous prompt; that usual shortfall is the median
    over the conversation, and only what is missing beyond it counts.

    Args:
        calls: Of one conversation, in time order.
        around: What else happened.
        price: The price entry of a call; None leaves amounts unknown.
        one_hour: Cache writes are kept for an hour.
    """
    usual = _usual_shortfall(calls)
    caching = {call.route for call in calls if call.cache_read}
    causes = Causes(around, calls)
    found: list[CacheBreak] = []
    for place in range(1, len(calls)):
        before, call = calls[place - 1], calls[place]
        lost = _lost(before, call, usual)
        # Where a route never hits there is no cache to break; after a change of route both are asked.
        if lost is None or not {before.route, call.route} & caching:
            continue
        cause, evidence = causes.of(before, call)
        bill = _bill(lost, call, price, one_hour)
        found.append(
            CacheBreak(
                at=call.at,
                call=place,
                cause=cause,
                tokens_lost=lost,
                usd=bill[0] if bill else None,
                before=before.hit_rate,
                after=call.hit_rate,
                evidence=(_miss(call, lost), *evidence),
                origin=bill[1] if bill else None,
            )
        )
    return tuple(found)


def _usual_shortfall(calls: Sequence[CacheCall]) -> int:
    """How much of the previous prompt is typically not found again, in tokens."""
    gaps = [
        max(0, before.prompt - call.cache_read)
        for before, call in pairwise(calls)
        if before.prompt and call.prompt and call.cache_read and before.prompt <= call.prompt
    ]
    return int(median(gaps)) if gaps else 0


def _lost(before: CacheCall, call: CacheCall, usual: int) -> int | None:
    """Tokens that should have come from the cache and did not; None for an ordinary call."""
    if before.prompt is None or call.prompt is None or call.cache_read is None:
        return None
    expected = min(before.prompt, call.prompt) - usual
    lost = expected - call.cache_read
    return lost if lost >= LEAST and lost >= SHARE * expected else None


def _miss(call: CacheCall, lost: int) -> Evidence:
    found = f"{call.cache_read or 0:,} of {call.prompt or 0:,} prompt tokens came from the cache"
    text = f"{found}, {lost:,} fewer than usual"
    return Evidence(Source.LOG, call.where, text)


def _bill(lost: int, call: CacheCall, price: _PRICE | None, one_hour: bool) -> tuple[Decimal, Origin] | None:
    """What reading the lost tokens anew cost above reading them from the cache, and the sum."""
    entry = price(call) if price else None
    if entry is None:
        return None
    rates = rates_for(entry, call.prompt or 0)
    fresh = write_rate(rates, one_hour=one_hour)
    if fresh is None or rates.cache_read is None:
        return None
    return anew("cost", lost, fresh, rates.cache_read, entry)
