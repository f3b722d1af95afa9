"""What other settings would have done to this history: when they fire, and how many tokens are sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.account.pricing.price_book import PriceBook
from core.explain.context.context import ConversationContext
from core.explain.context.release_checks import is_local
from core.explain.context.rows.unsaved_rows import copied_rows
from core.explain.what_if.bill import Bill
from core.explain.what_if.outcome import Outcome
from core.explain.what_if.run import Gateway, HistoryRun
from core.hermes.policy.policy import Policy
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

    Args:
        messages: The conversation as it was spoken.
        policy: Of the release.
        settings: Window, threshold, ratio, protected counts.
        overhead: Tokens of system prompt and tools in every request.
        gateway: The gateway's own check before every turn; None where none ran the conversation.
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
