"""What a compaction cost, and when it had earned that."""

from __future__ import annotations

from decimal import Decimal

from core.account.prompt_cache.calls import SummaryCost, paybacks
from core.hermes.log.record import Kind
from core.model.accounting.ledger import PriceRow, Rates
from core.model.accounting.prompt_cache import CacheCall, Payback
from tests.core.account.prompt_cache.logs import call, line, log, utc

OPUS = PriceRow("anthropic", "opus", Rates(*map(Decimal, ("5", "25", "0.5", "6.25", "10"))), "test")
LINES = log(line(Kind.STARTED, 20), line(Kind.DONE, 30))


def found(after: int, *, summaries: dict[str, SummaryCost] | None = None, price: bool = True) -> Payback:
    calls: list[CacheCall] = [call(0, 140_000, 0), call(10, 150_000, 139_000)]
    calls += [call(40 + n, 30_000 + n, 5_000 if n == 0 else 29_000) for n in range(after)]
    costs = {"s": SummaryCost(Decimal("0.10"), 2)} if summaries is None else summaries
    (one,) = paybacks(tuple(calls), LINES, frozenset({"s"}), costs, lambda _: OPUS if price else None, utc)
    return one


def test_a_compaction_is_paid_back_by_the_tokens_later_calls_do_not_carry() -> None:
    one = found(10)
    assert one.saved_per_call == 120_000
    assert one.saving_per_call_usd == Decimal("0.06")
    assert one.summariser_usd == Decimal("0.05"), "one of two summaries"
    assert one.reread_usd == 25_000 * Decimal("5.75") / 1_000_000
    assert (one.paid_back_after, one.calls_after) == (4, 10)


def test_a_cache_kept_for_an_hour_is_rebuilt_at_the_rate_of_an_hour() -> None:
    calls = (call(10, 150_000, 139_000), call(40, 30_000, 5_000))
    (one,) = paybacks(calls, LINES, frozenset({"s"}), {}, lambda _: OPUS, utc, one_hour=True)
    assert one.reread_usd == 25_000 * Decimal("9.5") / 1_000_000


def test_too_few_calls_afterwards_do_not_pay_it_back() -> None:
    assert (found(3).paid_back_after, found(3).calls_after) == (None, 3)


def test_a_summariser_without_record_is_not_counted_as_free() -> None:
    one = found(10, summaries={})
    assert (one.summariser_usd, one.price_usd) == (None, None)
    assert "left no record" in one.notes[0]


def test_without_prices_the_tokens_remain() -> None:
    one = found(4, price=False)
    assert (one.saved_per_call, one.reread_usd, one.paid_back_after) == (120_000, None, None)


def test_a_summary_asked_for_by_hand_left_no_record() -> None:
    lines = log(line(Kind.STARTED, 20, text="auth"), line(Kind.DONE, 30))
    calls = (call(0, 100_000, 0), call(40, 20_000, 0))
    (one,) = paybacks(calls, lines, frozenset({"s"}), {"s": SummaryCost(Decimal(1), 1)}, lambda _: OPUS, utc)
    assert one.summariser_usd is None


def test_an_attempt_that_never_finished_has_no_payback() -> None:
    calls = (call(0, 100_000, 0), call(40, 20_000, 0))
    assert paybacks(calls, log(line(Kind.STARTED, 20)), frozenset({"s"}), {}, lambda _: None, utc) == ()
