"""What fewer tokens in every later request are worth."""

from __future__ import annotations

from decimal import Decimal

from core.account.pricing.price import rates_for
from core.account.pricing.price_book import open_book
from core.model.compaction.preview import Preview
from core.model.transcript.session import Session

MILLION = Decimal(1_000_000)


def read_rate(session: Session, prompt: int) -> Decimal | None:
    """USD a token costs when a later request carries it again, read from the cache where there is one.

    Args:
        session: Its model and route.
        prompt: Size of the requests, which may pick a long-context tier.

    Raises:
        ConfigError: The user's `prices.yaml` cannot be used.
    """
    row = open_book().entry(session.model or "", session.provider or "", session.base_url or "")
    if row is None:
        return None
    rates = rates_for(row, prompt)
    rate = rates.input if rates.cache_read is None else rates.cache_read
    return None if rate is None else rate / MILLION


def saved_per_call(made: Preview, session: Session) -> Decimal | None:
    """USD that each request after a compaction costs less; None when nobody knows the price."""
    rate = read_rate(session, made.plan.compared_tokens)
    return None if rate is None else rate * (made.before_tokens - made.after_tokens)
