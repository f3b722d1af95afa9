"""What it costs to have tokens read anew that the cache held, and how that is worked out."""

from __future__ import annotations

from decimal import Decimal

from core.account.pricing.price import MILLION
from core.model.accounting.prices import PriceRow, Term
from core.model.accounting.usage import Origin


def anew(
    figure: str, tokens: int, fresh: Decimal, cached: Decimal, entry: PriceRow
) -> tuple[Decimal, Origin]:
    """Dollars above what the same tokens would have cost from the cache, and their origin.

    Args:
        figure: What the amount is called.
        tokens: How many were read anew.
        fresh: USD per million of a token that is read anew, written to the cache where that costs.
        cached: USD per million of one from the cache.
        entry: The price entry both are of.
    """
    usd = (fresh - cached) * tokens / MILLION
    terms = (Term("read anew", tokens, fresh), Term("what the cache would have charged", -tokens, cached))
    formula = "tokens read anew × (USD per million anew - from the cache) / 1,000,000"
    return usd, Origin(figure, usd, formula, terms, prices=(entry.label,))
