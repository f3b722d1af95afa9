"""Calls that missed the cache although the call before had filled it, each with its cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from statistics import median

from core.account.cache.calls import ToUtc, local_time
from core.account.prices import MILLION, rates_for, write_rate
from core.hermes.log import Kind, Log, LogRecord
from core.model.evidence import Evidence, Source
from core.model.usage import CacheBreak, CacheCall, PriceRow

SHARE = 0.4
"""A break loses at least this share of what the call before left in the cache."""
LEAST = 1024
"""... and at least so many tokens: providers cache nothing shorter."""
SECONDS = {"5m": 300.0, "1h": 3600.0}

_COMPACTED = frozenset({Kind.DONE, Kind.STARTED})
_REWRITTEN = frozenset({Kind.MICRO, Kind.TURN})
_PRICE = Callable[[CacheCall], PriceRow | None]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What may have broken the cache between two calls.

    Attributes:
        log: Lines of the conversation's sessions.
        sessions: Its session ids.
        starts: When an agent was set up anew.
        tools: Hash of the tool schemas by session, where the store keeps one.
        ttl: How long the cache is kept.
    """

    log: Log
    sessions: frozenset[str]
    starts: Sequence[datetime] = ()
    tools: Mapping[str, str] | None = None
    ttl: str = "5m"
    to_utc: ToUtc = local_time


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
    caching = {_route(call) for call in calls if call.cache_read}
    lines = _lines(around)
    found: list[CacheBreak] = []
    for place in range(1, len(calls)):
        before, call = calls[place - 1], calls[place]
        lost = _lost(before, call, usual)
        # Where a route never hits there is no cache to break; after a change of route both are asked.
        if lost is None or not {_route(before), _route(call)} & caching:
            continue
        cause, evidence = _cause(
            before, call, around, [line for at, line in lines if before.at <= at <= call.at]
        )
        found.append(
            CacheBreak(
                at=call.at,
                call=place,
                cause=cause,
                tokens_lost=lost,
                usd=_usd(lost, call, price, one_hour),
                before=before.hit_rate,
                after=call.hit_rate,
                evidence=(_miss(call, lost), *evidence),
            )
        )
    return tuple(found)


def _route(call: CacheCall) -> tuple[str, str]:
    return call.provider, call.model


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


def _lines(around: Surroundings) -> list[tuple[datetime, LogRecord]]:
    """Lines that may explain a break; of turns only those with fewer messages than the turn before."""
    found = []
    history = 0
    for record in around.log.records:
        if record.session not in around.sessions and record.kind is not Kind.MICRO:
            continue
        if record.kind is Kind.TURN:
            shrunk, history = (record.before or 0) < history, record.before or 0
            if not shrunk:
                continue
        elif record.kind is Kind.DONE:
            history = 0
        found.append((around.to_utc(record.at), record))
    return found


def _cause(
    before: CacheCall, call: CacheCall, around: Surroundings, between: Sequence[LogRecord]
) -> tuple[str, tuple[Evidence, ...]]:
    """The first cause that fits, in the order in which one explains away the others."""
    if compacted := [line for line in between if line.kind in _COMPACTED]:
        return "compaction", tuple(map(_quote, compacted))
    if _route(before) != _route(call):
        text = f"{before.provider}/{before.model} before, {call.provider}/{call.model} now"
        return "model_changed", (Evidence(Source.LOG, call.where, text),)
    if rewritten := [line for line in between if line.kind in _REWRITTEN]:
        return "messages_rewritten", tuple(map(_quote, rewritten))
    if rebuilt := [line for line in between if line.kind is Kind.PROMPT_REBUILT]:
        return "system_prompt_changed", tuple(map(_quote, rebuilt))
    limit = SECONDS.get(around.ttl, SECONDS["5m"])
    if call.gap is not None and call.gap > limit:
        text = f"{call.gap:,.0f} s since the previous call; the cache is kept for {limit:,.0f} s"
        return "ttl_expired", (Evidence(Source.DERIVED, call.where, text),)
    tools = around.tools or {}
    if (one := tools.get(before.session)) and (other := tools.get(call.session)) and one != other:
        text = f"tool schemas {one[:12]} before, {other[:12]} now"
        return "tools_changed", (Evidence(Source.DATABASE, f"session {call.session}", text),)
    started = next((at for at in around.starts if before.at < at <= call.at), None)
    if started is not None and call.number <= 1:
        text = f"the agent was set up anew at {started:%Y-%m-%d %H:%M:%S} UTC"
        return "resume", (Evidence(Source.LOG, call.where, text),)
    return "unknown", ()


def _miss(call: CacheCall, lost: int) -> Evidence:
    found = f"{call.cache_read or 0:,} of {call.prompt or 0:,} prompt tokens came from the cache"
    text = f"{found}, {lost:,} fewer than usual"
    return Evidence(Source.LOG, call.where, text)


def _quote(record: LogRecord) -> Evidence:
    return Evidence(Source.LOG, record.where, record.message)


def _usd(lost: int, call: CacheCall, price: _PRICE | None, one_hour: bool) -> Decimal | None:
    """What reading the lost tokens anew cost above reading them from the cache."""
    entry = price(call) if price else None
    if entry is None:
        return None
    rates = rates_for(entry, call.prompt or 0)
    fresh = write_rate(rates, one_hour=one_hour)
    if fresh is None or rates.cache_read is None:
        return None
    return (fresh - rates.cache_read) * lost / MILLION
