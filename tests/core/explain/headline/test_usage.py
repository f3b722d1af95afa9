"""What a ledger and a family of sessions come to, in one sentence."""

from __future__ import annotations

from decimal import Decimal

from core.explain.headline.conversation import chain_headline
from core.explain.headline.usage import usage_headline
from core.model.accounting.ledger import Ledger, LedgerRow
from core.model.accounting.prices import Money
from core.model.accounting.tokens import Buckets
from core.model.finding import Severity
from core.model.transcript.conversation import Chain


def row(key: str, usd: str | None, calls: int = 10, missing: int = 0) -> LedgerRow:
    return LedgerRow(key, calls=calls, recorded=Money(None if usd is None else Decimal(usd), missing))


def test_the_cost_stands_first_and_then_what_most_of_it_went_to() -> None:
    ledger = Ledger("model", (row("opus", "6.03"), row("haiku", "0.97")), row("total", "7.00", 20))
    assert usage_headline(ledger, "30 days").sentence == (
        "$7.00 in 30 days, 20 calls. Largest: opus, $6.03 (86%)."
    )


def test_what_is_partly_unpriced_is_a_lower_bound() -> None:
    ledger = Ledger("model", (row("opus", "6.03"),), row("total", "6.03", 20, missing=3))
    assert usage_headline(ledger).sentence.startswith("≥$6.03, ")


def test_without_any_price_tokens_speak() -> None:
    totals = LedgerRow("total", tokens=Buckets(input=1_500, cache_read=0, cache_write=0, output=10))
    told = usage_headline(Ledger("model", (row("local", None),), totals)).sentence
    assert told.endswith("tokens; no price is known for them.")
    assert "$" not in told


def test_nothing_spent_is_said() -> None:
    assert usage_headline(Ledger("model", (), row("total", None)), "today").sentence == (
        "Nothing was spent today."
    )


def test_what_is_odd_about_a_family_is_a_warning() -> None:
    told = chain_headline(Chain("a", "a", "a", "", (), ("its parent is missing",)))
    assert told.severity is Severity.WARNING
    assert "its parent is missing" in told.sentence
