"""What other settings would have done to this history: when they fire, and how many tokens are sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from core.account.pricing.price import cost
from core.account.pricing.price_book import PriceBook
from core.explain.context.context import ConversationContext
from core.explain.context.gather import is_local
from core.explain.context.rows.unsaved_rows import copied_rows
from core.explain.what_if.outcome import Outcome
from core.explain.what_if.run import Gateway, HistoryRun
from core.hermes.policy.policy import Policy
from core.model.accounting.prices import PriceRow
from core.model.compaction.settings import Settings
from core.model.transcript.message import Message


def history(context: ConversationContext) -> tuple[Message, ...]:
    """The conversation as it was spoken: every message once, no summaries."""
    found: list[Message] = []
    for generation in context.conversation.generations:
        found += context.messages(generation.row_ids[copied_rows(generation) :])
    return tuple(found)


def simulate(
    messages: Sequence[Message],
    policy: Policy,
    settings: Settings,
    overhead: int = 0,
    *,
    gateway: Gateway | None = None,
) -> Outcome:
    """Live through a conversation under some settings.

    The check runs before every call, as the newest releases do; an answer is a call. A summary weighs what
    its release would ask for.
    """
    run = HistoryRun(policy, settings, overhead, gateway)
    for message in messages:
        if message.role == "assistant":
            run.call()
        run.add(message)
    return run.outcome()


def compare(
    context: ConversationContext,
    candidates: Iterable[Settings],
    *,
    release: str | None = None,
    prices: PriceBook | None = None,
) -> Iterator[Outcome]:
    """The same history under each of several settings, as they are worked out; in money too, given prices."""
    policy, tip = context.policy(release), context.conversation.tip
    overhead = (context.prompt_tokens(tip, policy) or 0) + (context.tools_tokens(tip) or 0)
    spoken = history(context)
    bill = None if prices is None else Bill.of(context, prices)
    rows = context.config.value("compression.hygiene_hard_message_limit", policy.release)
    gateway = None if is_local(tip.source) else Gateway(int(rows or policy.hygiene.limit))
    for settings in candidates:
        outcome = simulate(spoken, policy, settings, overhead, gateway=gateway)
        if bill is not None:
            usd = bill.usd(outcome.requests, outcome.summarised_tokens, outcome.written_tokens)
            outcome = replace(outcome, usd=usd)
        yield outcome


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
        Of the tokens of a prompt, so many repeat the one before.
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
