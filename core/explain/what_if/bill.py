"""What a conversation's requests would cost, sent to the model that answered it last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from core.account.pricing.price import cost
from core.account.pricing.price_book import PriceBook
from core.explain.context.context import ConversationContext
from core.model.accounting.prices import PriceRow


@dataclass(frozen=True, slots=True)
class Bill:
    """The price list of a conversation.

    Attributes:
        entry: Of its last model; None when nobody has a price.
        caches: Its provider did serve prompts from a cache.
        one_hour: Cache writes are kept for an hour.
    """

    entry: PriceRow | None
    caches: bool
    one_hour: bool = False

    @classmethod
    def of(cls, context: ConversationContext, prices: PriceBook) -> Bill:
        """The bill of a conversation as its newest session would get it."""
        tip = context.conversation.tip
        entry = prices.entry(
            tip.model or "",
            tip.provider or "",
            tip.base_url or "",
            tip.billing_mode or "",
            at=tip.last_active or tip.started_at,
        )
        caches = any(session.tokens.cache_read for session in context.conversation.sessions)
        return cls(entry, caches, prices.one_hour)

    def usd(self, requests: Iterable[tuple[int, int]], summarised: int, written: int) -> Decimal | None:
        """Prompts and summaries together; answers are left out, they cost the same under every setting.

        Summaries are priced at the conversation's own model, and read nothing from its cache. With a cache,
        what a prompt repeats is read from it and the rest is written to it; without one all of it is fresh.

        Args:
            requests: Tokens of every prompt, and how many of them repeat the one before.
            summarised: Tokens the summaries are made of.
            written: Tokens of the summaries.
        """
        if self.entry is None:
            return None
        amounts = [cost(self.entry, (summarised, 0, 0, written), one_hour=self.one_hour)]
        for sent, repeated in requests:
            buckets = (0, repeated, sent - repeated, 0) if self.caches else (sent, 0, 0, 0)
            amounts.append(cost(self.entry, buckets, one_hour=self.one_hour))
        known = [amount for amount in amounts if amount is not None]
        return (
            sum(known, Decimal(0)) if len(known) == len(amounts) and self.entry.billing != "local" else None
        )
