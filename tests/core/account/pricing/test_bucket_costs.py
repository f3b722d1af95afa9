"""What each bucket costs, and what the cache spares."""

from __future__ import annotations

from decimal import Decimal

from core.account.pricing.price import bucket_costs
from core.model.accounting.amounts import Buckets
from core.model.accounting.ledger import LedgerPart, LedgerRow, PriceRow, Rates

MILLION = 1_000_000
RATES = Rates(input=Decimal(5), output=Decimal(25), cache_read=Decimal("0.5"), cache_write=Decimal("6.25"))


def row(price: PriceRow | None, billing: str = "api") -> LedgerRow:
    tokens = Buckets(input=MILLION, cache_read=10 * MILLION, cache_write=2 * MILLION, output=MILLION)
    part = LedgerPart("m", "p", "", 1, 4, tokens, billing=billing, price=price)
    return LedgerRow("k", tokens=tokens, parts=(part,))


def test_a_bucket_costs_its_tokens_at_its_rate() -> None:
    found = bucket_costs(row(PriceRow("p", "m", RATES, "list")))
    assert {name: int(usd * 100) for name, usd in found.usd.items()} == {
        "input": 500,
        "cache_read": 500,
        "cache_write": 1250,
        "output": 2500,
    }


def test_what_the_cache_spares_is_less_what_writing_it_costs() -> None:
    spared, premium = 10 * Decimal("4.5"), 2 * Decimal("1.25")
    assert bucket_costs(row(PriceRow("p", "m", RATES, "list"))).saved == spared - premium


def test_without_a_price_nothing_is_stated() -> None:
    assert bucket_costs(row(None)).usd == {}
    assert bucket_costs(row(None)).saved is None
    assert bucket_costs(row(PriceRow("p", "m", RATES, "list"), "included")).saved is None
