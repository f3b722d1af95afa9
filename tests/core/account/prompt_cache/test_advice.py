"""Five minutes or an hour: the advice follows from the pauses and the prices."""

from __future__ import annotations

from decimal import Decimal

from core.account.prompt_cache.routes import advise
from core.model.accounting.ledger import PriceRow, Rates
from core.model.accounting.prompt_cache import CacheBreak
from tests.core.account.prompt_cache.logs import START, call

OPUS = PriceRow("anthropic", "opus", Rates(*map(Decimal, ("5", "25", "0.5", "6.25", "10"))), "test")


def test_short_pauses_speak_for_five_minutes() -> None:
    found = advise(
        (call(0, 100_000, 0), call(60, 110_000, 99_000), call(120, 120_000, 109_000)),
        (),
        "1h",
        lambda _: OPUS,
    )
    assert found is not None
    assert (found.better, found.gaps) == ("5m", (2, 0, 0))
    # 100K written, then 10K more each time; the rest read.
    assert found.usd_5m == (120_000 * Decimal("6.25") + 210_000 * Decimal("0.5")) / 1_000_000
    assert found.usd_1h == (120_000 * Decimal(10) + 210_000 * Decimal("0.5")) / 1_000_000


def test_long_pauses_speak_for_an_hour() -> None:
    found = advise(tuple(call(n * 1200, 100_000, 0) for n in range(6)), (), "5m", lambda _: OPUS)
    assert found is not None
    assert (found.better, found.gaps) == ("1h", (0, 5, 0))
    assert "5 of 5 pauses" in found.reason


def test_a_break_no_lifetime_prevents_counts_for_both() -> None:
    calls = (call(0, 100_000, 0), call(60, 100_000, 0))
    broken = (CacheBreak(START, 1, "model_changed", 100_000),)
    found = advise(calls, broken, "5m", lambda _: OPUS)
    assert found is not None
    assert found.usd_5m == 200_000 * Decimal("6.25") / 1_000_000


def test_without_prices_nothing_is_recommended() -> None:
    found = advise((call(0, 1000, 0), call(600, 1000, 0)), (), "5m", lambda _: None)
    assert found is not None
    assert (found.better, found.usd_5m) == (None, None)
    assert "no price tells" in found.reason


def test_one_call_needs_no_advice() -> None:
    assert advise((call(0, 1000, 0),), (), "5m", lambda _: OPUS) is None
