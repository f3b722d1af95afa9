"""Headlines of usage and of the prompt cache: what was spent, what broke the cache, what would help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from core.account.pricing.price import bucket_costs
from core.account.spending.conversations import whole_rows
from core.model.accounting.amounts import Buckets
from core.model.accounting.ledger import Ledger, LedgerRow
from core.model.accounting.prompt_cache import CacheBreak, CacheCall, CacheReport, TtlAdvice
from core.model.finding import Headline, Severity
from core.redact.quick_check import masked_line
from core.support.formatting import LOWER_BOUND, money, percent, plural, short, sum_of_money
from core.support.program_files import shared_table

_table = partial(shared_table, "core/explain/headline/cache_breaks.yaml")

_BUCKETS = {
    "input": "uncached input",
    "cache_read": "cache reads",
    "cache_write": "cache writes",
    "output": "output",
}
_UNPAID = {
    "local": "sent to a server of your own, which no provider bills",
    "included": "a subscription covers them",
}
"""Why tokens have no cost beside them, by the status of a ledger row."""
_MIN_TOLD_SECONDS = 90
"""The shortest pause whose length is told."""
_LONGEST_LIFETIME = 3600
"""Seconds that the longest cache lifetime on offer lasts."""
_BEGUN = "Only conversations that began in that time count."
_MAX_NAME_CHARS = 60
"""The longest name, in characters."""


def usage_headline(ledger: Ledger, period: str = "") -> Headline:
    """The cost of a ledger and its most expensive row; `period` is the time it covers, in words.

    The cost is the recorded one, else the list price; where neither is known, tokens are given instead.
    """
    rows = whole_rows(ledger).rows
    largest = max(rows, key=lambda row: row.rank, default=None)
    told = of_sums(ledger.totals, largest, len(rows), ledger.lower_bound, period)
    bounded = ledger.since is not None or ledger.until is not None
    return told if rows or told.remedy or not bounded else replace(told, remedy=_BEGUN)


def of_sums(
    totals: LedgerRow, largest: LedgerRow | None, rows: int, lower_bound: bool, period: str = ""
) -> Headline:
    """The same from sums alone: the totals, the most expensive row, and how many rows there are."""
    over = _period_phrase(period)
    if largest is None and lower_bound:
        began = over or " in this time"
        return Headline(f"No conversation began{began}; an earlier one went on, and counts where it began.")
    if largest is None:
        return Headline(f"Nothing was spent{over}.")
    usd, missing = totals.cost.usd, totals.cost.missing
    if usd is None:
        if not totals.tokens.total:
            return Headline(f"Hermes recorded no usage{over}.", None, Severity.INFO)
        unpaid = _UNPAID.get(totals.status, "no price is known for them")
        mark = LOWER_BOUND if lower_bound else ""
        return Headline(f"{mark}{short(totals.tokens.total)} tokens{over}; {unpaid}.", None)
    mark = LOWER_BOUND if missing or lower_bound else ""
    listed = " at list price" if totals.recorded.usd is None else ""
    calls = f", {LOWER_BOUND if lower_bound else ''}{plural(totals.calls, 'call')}" if totals.calls else ""
    sentence = f"{mark}{money(usd)}{listed}{over}{calls}."
    share = largest.cost.usd
    if rows > 1 and usd > 0 and share:
        name = masked_line(largest.label or largest.key, _MAX_NAME_CHARS)
        task = f" ({largest.task})" if largest.task else ""
        cost = sum_of_money(largest.cost, lower_bound=largest.lower_bound)
        sentence += f" Largest: {name}{task}, {cost} ({percent(float(share / usd))})."
    return Headline(f"{sentence}{_largest_bucket(totals)}")


def _largest_bucket(totals: LedgerRow) -> str:
    """The bucket most of the money went to; empty until the price list is read."""
    costs = bucket_costs(totals).usd
    total = sum(costs.values(), Decimal(0))
    if not total:
        return ""
    name = max(costs, key=lambda one: costs[one])
    return f" {percent(float(costs[name] / total))} of the cost is {_BUCKETS.get(name, name)}."


def _period_phrase(period: str) -> str:
    if not period:
        return ""
    return f" {period}" if period in ("today", "yesterday") else f" in {period}"


def break_headline(one: CacheBreak, calls: Sequence[CacheCall] = ()) -> Headline:
    """What broke the cache once; the calls of the conversation give the length of the pause before."""
    entry, seconds = _entry(one.cause), _pause(one, calls)
    idle = f" of {seconds / 60:.0f} minutes" if seconds >= _MIN_TOLD_SECONDS else ""
    cost = "" if one.usd is None else f" for {money(one.usd)}"
    sentence = entry["says"].format(lost=short(one.tokens_lost), cost=cost, idle=idle)
    longer = seconds > _LONGEST_LIFETIME and entry.get("helps_after_an_hour")
    return Headline(f"{sentence}.", longer or entry["helps"])


def cache_headline(found: CacheReport) -> Headline:
    """The cache breaks of a conversation in one sentence: their cost, and the largest."""
    table = _table()
    if found.costliest is None:
        return _unbroken(found)
    largest = found.breaks[found.costliest]
    priced = [one.usd for one in found.breaks if one.usd is not None]
    headline = break_headline(largest, found.calls)
    words = headline.sentence[:1].lower() + headline.sentence[1:].rstrip(".")
    count = plural(len(found.breaks), "cache break")
    if len(found.breaks) == 1:
        sentence = headline.sentence.rstrip(".")
    elif len(priced) == len(found.breaks):
        sentence = table["some"].format(count=count, cost=money(sum(priced, Decimal(0))), largest=words)
    else:
        sentence = table["priceless"].format(count=count, largest=words)
    lifetime = _lifetime_advice(found.advice) if largest.cause in ("ttl_expired", "resume") else None
    return Headline(f"{sentence}.", lifetime or headline.remedy, Severity.INFO)


def hit_without(found: Ledger) -> str:
    """The hit rate without summaries and other side tasks, which `cache` gives; "" if they change nothing.

    Such calls are sent once and read nothing from a cache.
    """
    tasks = found.tasks
    main = tasks.pop("", Buckets()).hit_rate
    if not tasks or main is None or percent(main) == percent(found.totals.tokens.hit_rate):
        return ""
    return f"{percent(main)} without {'summaries' if tasks.keys() == {'compression'} else 'side tasks'}"


def brief_cause(cause: str) -> str:
    """The cause of a cache break, in two words."""
    return str(_entry(cause)["brief"])


def _unbroken(found: CacheReport) -> Headline:
    table, hit = _table(), found.tokens.hit_rate
    if hit is None:
        return Headline(f"{table['unread']}.")
    if not hit and found.layout == "none":
        return Headline(f"{table['uncached']}: {found.route.why}.", None, Severity.INFO)
    if not found.calls:
        return Headline(f"{table['summed'].format(hit=percent(hit))}.")
    return Headline(f"{table['none'].format(hit=percent(hit))}.")


def _lifetime_advice(advice: TtlAdvice | None) -> str | None:
    """Whether the other cache lifetime would have been cheaper; None where prices do not say."""
    if advice is None or advice.better is None or advice.usd_5m is None or advice.usd_1h is None:
        return None
    saved = money(abs(advice.usd_5m - advice.usd_1h))
    key = "lifetime_kept" if advice.better == advice.current else "lifetime"
    other = "5m" if advice.current == "1h" else "1h"
    words: str = _table()[key].format(better=advice.better, current=advice.current, other=other, saved=saved)
    return words


def _pause(one: CacheBreak, calls: Sequence[CacheCall]) -> float:
    """Seconds between the call that lost the cache and the one before it."""
    return calls[one.call].since(calls[one.call - 1]) if 0 < one.call < len(calls) else 0.0


def _entry(cause: str) -> Mapping[str, Any]:
    causes: Mapping[str, Mapping[str, Any]] = _table()["causes"]
    return causes.get(cause, causes["unknown"])
