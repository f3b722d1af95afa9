"""What a ledger comes to, in one sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from core.explain.headline.usage import break_headline, cache_headline, usage_headline
from core.model.accounting.amounts import Buckets, Money
from core.model.accounting.ledger import Ledger, LedgerRow
from core.model.accounting.prompt_cache import (
    CacheBreak,
    CacheCall,
    CacheReport,
    CacheRoute,
    CallLine,
    TtlAdvice,
)


def row(key: str, usd: str | None, calls: int = 10, missing: int = 0) -> LedgerRow:
    return LedgerRow(key, calls=calls, recorded=Money(None if usd is None else Decimal(usd), missing))


def test_the_cost_comes_first_and_then_what_most_of_it_went_to() -> None:
    ledger = Ledger("model", (row("opus", "6.03"), row("haiku", "0.97")), row("total", "7.00", 20))
    assert usage_headline(ledger, "30 days").sentence == (
        "$7.00 in 30 days, 20 calls. Largest: opus, $6.03 (86%)."
    )


def test_a_cost_that_hermes_did_not_record_is_called_list_price() -> None:
    listed = LedgerRow("total", calls=6, computed=Money(Decimal("0.08")))
    assert usage_headline(Ledger("model", (listed,), listed), "today").sentence.startswith(
        "$0.080 at list price today, 6 calls."
    )


def test_what_is_partly_unpriced_is_a_lower_bound() -> None:
    ledger = Ledger("model", (row("opus", "6.03"),), row("total", "6.03", 20, missing=3))
    assert usage_headline(ledger).sentence.startswith("≥$6.03, ")


def test_calls_and_the_largest_are_lower_bounds_where_usage_was_not_recorded() -> None:
    rows = replace(row("opus", "5.63"), lower_bound=True), row("haiku", "0.40")
    ledger = Ledger("model", rows, row("total", "6.03", 112), lower_bound=True)
    assert usage_headline(ledger).sentence == "≥$6.03, ≥112 calls. Largest: opus, ≥$5.63 (93%)."


def test_calls_that_nobody_counted_are_not_0_calls() -> None:
    uncounted = replace(row("opus", "6.03"), calls=None)
    assert usage_headline(Ledger("model", (uncounted,), uncounted, lower_bound=True)).sentence == "≥$6.03."


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ("unknown", "no price is known for them."),
        ("local", "sent to a server of your own, which no provider bills."),
        ("included", "a subscription covers them."),
    ],
)
def test_without_any_price_tokens_speak_and_it_is_stated_why(status: str, why: str) -> None:
    used = Buckets(input=1_500, cache_read=0, cache_write=0, output=10)
    totals = LedgerRow("total", tokens=used, status=status)
    told = usage_headline(Ledger("model", (row("local", None),), totals)).sentence
    assert told.endswith(f"tokens; {why}")
    partly = usage_headline(Ledger("model", (row("local", None),), totals, lower_bound=True)).sentence
    assert partly == f"≥{told}"
    assert "$" not in told


def test_calls_of_which_no_usage_was_recorded_are_not_said_to_have_used_nothing() -> None:
    told = usage_headline(Ledger("model", (row("local", None),), LedgerRow("total"))).sentence
    assert told == "Hermes recorded no usage."


def test_a_time_in_which_only_an_earlier_conversation_went_on_is_not_said_to_have_cost_nothing() -> None:
    told = usage_headline(Ledger("model", (), row("total", None), lower_bound=True), "today").sentence
    assert told == "No conversation began today; an earlier one went on, and counts where it began."


def test_nothing_spent_is_stated() -> None:
    assert usage_headline(Ledger("model", (), row("total", None)), "today").sentence == (
        "Nothing was spent today."
    )


NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
CALL = CacheCall(NOW, CallLine("agent.log:1", "S", "m", "anthropic", input=50_000, output=50, cached=8_000))
BEFORE = replace(CALL, at=NOW - timedelta(seconds=726))
EXPIRED = CacheBreak(NOW, 1, "ttl_expired", 41_327, Decimal("0.24"))
COMPACTED = CacheBreak(NOW, 1, "compaction", 32_395, Decimal("0.19"))
ROUTE = CacheRoute("native", "provider anthropic")


def report(*breaks: CacheBreak, advice: TtlAdvice | None = None, read: int = 8_000) -> CacheReport:
    return CacheReport(
        strategy="system_and_3",
        layout="native",
        ttl="5m",
        route=ROUTE,
        breakpoints=(),
        calls=(BEFORE, CALL),
        breaks=breaks,
        advice=advice,
        tokens=Buckets(input=50_000 - read, cache_read=read, cache_write=0),
    )


def test_the_largest_break_is_named_with_the_sum_of_all() -> None:
    told = cache_headline(report(COMPACTED, EXPIRED))
    assert told.sentence == (
        "2 cache breaks cost $0.43 in all; the largest: the cache expired during a pause of "
        "12 minutes: 41.3K tokens were re-read for $0.24."
    )


def test_another_lifetime_is_advised_only_where_it_is_cheaper() -> None:
    dearer = TtlAdvice("5m", "5m", "", Decimal("1.00"), Decimal("1.55"))
    cheaper = replace(dearer, better="1h", usd_1h=Decimal("0.76"))
    kept = cache_headline(report(EXPIRED, advice=dearer)).remedy or ""
    assert kept.startswith("Keep prompt_caching.cache_ttl at 5m: 1h would")
    assert "$0.55 more" in kept
    assert cache_headline(report(EXPIRED, advice=cheaper)).remedy == (
        "Set prompt_caching.cache_ttl to 1h: it would have saved $0.24 over these calls."
    )


def test_after_a_pause_of_hours_no_longer_lifetime_is_advised_as_none_would_have_helped() -> None:
    noon = replace(CALL, at=NOW - timedelta(hours=2))
    assert break_headline(EXPIRED, (BEFORE, CALL)).remedy == (
        "Set prompt_caching.cache_ttl to 1h if such pauses are common."
    )
    helps = break_headline(EXPIRED, (noon, CALL)).remedy or ""
    assert helps.startswith("No cache is kept longer than an hour: run /compress before")


def test_without_prices_no_sum_is_reported() -> None:
    told = cache_headline(report(replace(COMPACTED, usd=None), EXPIRED))
    assert told.sentence.startswith("2 cache breaks; the largest: the cache expired")


def test_a_cache_without_breaks_says_how_much_it_served() -> None:
    assert cache_headline(report(read=45_000)).sentence == (
        "No cache break: 90% of all prompt tokens came from the cache."
    )


def test_a_cache_without_a_log_says_how_much_it_served_and_that_its_breaks_are_not_known() -> None:
    assert cache_headline(replace(report(read=45_000), calls=(), log=False)).sentence == (
        "90% of all prompt tokens came from the cache; no log line is left to tell its breaks."
    )


@pytest.mark.parametrize(
    "cause",
    [
        *("compaction", "model_changed", "system_prompt_changed", "tools_changed"),
        *("messages_rewritten", "ttl_expired", "resume", "unknown", "a cause of tomorrow"),
    ],
)
def test_every_cause_has_a_sentence(cause: str) -> None:
    told = break_headline(replace(COMPACTED, cause=cause), (CALL,))
    assert "32.4K" in told.sentence
    assert len(told.sentence) <= 170
