"""Settings worth trying on a past conversation, changed one at a time, and what each would have done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from core.account.pricing.price import cost
from core.account.pricing.price_book import PriceBook
from core.account.prompt_cache.routes import open_book_for
from core.explain.context.context import ConversationContext
from core.explain.context.gather import gateway_rows, without_gateway
from core.explain.context.next_request import overhead
from core.explain.context.rows.unsaved_rows import fresh_rows
from core.explain.what_if.outcome import Outcome, cheapest
from core.explain.what_if.run import HistoryRun
from core.hermes.policy.policy import Policy
from core.model.accounting.ledger import PriceRow
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message

SHARES = (0.35, 0.50, 0.60, 0.70, 0.75, 0.80, 0.85, 0.90)
RATIOS = (0.10, 0.40)
"""Shares of the threshold kept as the tail, besides the one in force."""
WINDOWS = {"32K": 32_000, "64K": 64_000, "128K": 128_000, "200K": 200_000, "400K": 400_000, "1M": 1_000_000}
"""Context lengths besides the one in force: of another model, or set lower in config.yaml."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """The conversation under one setting.

    Attributes:
        name: What differs from the setting in force.
        usable: Hermes starts with a window of this size.
        best: It costs least of all; known once all have been tried.
    """

    name: str
    outcome: Outcome
    actual: bool = False
    best: bool = False
    usable: bool = True


def scenarios(context: ConversationContext, release: str | None = None) -> Iterator[tuple[Scenario, bool]]:
    """Each scenario when computed, and whether it is the last; none where the window is unknown.

    Raises:
        ConfigError: The user's `prices.yaml` cannot be used.
    """
    actual = context.settings_in_force
    if actual.window is None:
        return
    prices = open_book_for(context.config, context.conversation.tip, context.release.release)
    tried, least = variations(actual), context.policy(release).threshold.minimum
    outcomes = compare(context, [settings for _, settings in tried], release=release, prices=prices)
    for place, ((name, settings), outcome) in enumerate(zip(tried, outcomes, strict=True), 1):
        usable = (settings.window or 0) >= (settings.minimum_window or least)
        yield Scenario(name, outcome, settings == actual, usable=usable), place == len(tried)
    prices.save()


def mark_best(found: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """The scenarios with the best one marked; among equals the one in force, as changing it gains nothing."""
    usable = [one for one in found if one.usable or one.actual]
    best = cheapest(one.outcome for one in sorted(usable, key=lambda one: not one.actual))
    return tuple(replace(one, best=one.outcome is best) for one in found)


def variations(actual: Settings) -> tuple[tuple[str, Settings], ...]:
    """Settings worth trying, each with what differs: thresholds, tails and windows, lowest first."""
    shares = sorted({*SHARES, actual.threshold})
    return (
        *((f"{share:.2f}", replace(actual, threshold=share)) for share in shares),
        *(
            (f"tail {ratio:.2f}", replace(actual, target_ratio=ratio))
            for ratio in RATIOS
            if ratio != actual.target_ratio
        ),
        *(
            (f"window {name}", replace(actual, window=window))
            for name, window in WINDOWS.items()
            if window != actual.window
        ),
    )


def history(context: ConversationContext) -> tuple[Message, ...]:
    """Every message of the conversation once, without summaries."""
    found: list[Message] = []
    for generation in context.conversation.generations:
        found += context.messages(fresh_rows(generation))
    return tuple(found)


def simulate(
    messages: Sequence[Message],
    policy: Policy,
    settings: Settings,
    overhead: int = 0,
    *,
    gateway_rows: int | None = None,
) -> Outcome:
    """Simulate a conversation (each message once, without summaries) under some settings.

    The check runs before every call, as in the newest releases; each answer is a call. A summary has the size
    that the release asks for. `overhead` are the tokens of system prompt and tools; from `gateway_rows` on
    the gateway compacts before a turn.
    """
    run = HistoryRun(policy, settings, overhead, gateway_rows)
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
    """The outcome of the same history under each setting, one by one; with costs if prices are given."""
    policy, tip = context.policy(release), context.conversation.tip
    carried = overhead(context, policy).tokens
    past_requests = history(context)
    bill = None if prices is None else Bill.of(context, prices)
    gateway = None if without_gateway(tip.source) else gateway_rows(context.config, context.policy(release))
    for settings in candidates:
        outcome = simulate(past_requests, policy, settings, carried, gateway_rows=gateway)
        if bill is not None:
            usd = bill.usd(outcome.requests, outcome.summarised_tokens, outcome.written_tokens)
            outcome = replace(outcome, usd=usd)
        yield outcome


@dataclass(frozen=True, slots=True)
class Bill:
    """The prices that apply to a conversation.

    Attributes:
        entry: The price row of its last model; None when no price is known.
        caches: Its provider served prompts from a cache.
    """

    entry: PriceRow | None
    caches: bool
    one_hour: bool = False

    @classmethod
    def of(cls, context: ConversationContext, prices: PriceBook) -> Bill:
        """The prices for a conversation that continues in its newest session."""
        tip = context.conversation.tip
        entry = prices.entry_of(tip, at=tip.last_active or tip.started_at)
        caches = any(session.tokens.cache_read for session in context.conversation.sessions)
        return cls(entry, caches, prices.one_hour)

    def usd(self, requests: Iterable[tuple[int, int]], summarised: int, written: int) -> Decimal | None:
        """The cost of prompts and summaries; answers are left out, as they cost the same under every setting.

        Summaries are priced at the conversation's own model, without cache reads. With a cache, the repeated
        part of a prompt is read from it and the rest is written; without one, all of it is uncached input.
        `requests` are the tokens of every prompt, and how many of them repeat the previous one.
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
