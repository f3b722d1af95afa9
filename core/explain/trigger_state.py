"""Where the trigger of a conversation stands at this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.compress.sizing.gate import gate_blocks
from core.explain.context.context import ConversationContext
from core.explain.context.gather import gate_of
from core.explain.context.log.log_claims import lowered_threshold
from core.explain.context.next_request import Size, counted_size
from core.explain.explanation import Now
from core.model.compaction.event import CompressionEvent
from core.model.evidence import Evidence, Source, Verdict
from core.model.transcript.conversation import Generation


def where_it_stands(context: ConversationContext, events: Sequence[CompressionEvent]) -> Now:
    """The size of the next request against the threshold, and what would refuse a compaction."""
    tip = context.conversation.tip
    limits = context.limits(None, tip, context.window.tokens)
    settings = context.settings(None, tip, context.window.tokens)
    tokens, verdict, evidence = _size(context, events)
    threshold = limits.threshold if limits is not None else None
    lowered = lowered_threshold(context.log, threshold) if threshold is not None else None
    if lowered is not None:
        threshold = lowered.threshold
        evidence = (*evidence, Evidence(Source.LOG, lowered.where, lowered.message))
    blocks = gate_blocks(
        gate_of(context.store, tip), replace(settings, current_tokens=tokens), context.policy(None)
    )
    if context.window.tokens is None:
        blocks = (*blocks, "the window is unknown")
    return Now(
        tokens=tokens,
        threshold=threshold,
        window=context.window.tokens,
        blocked_by=blocks,
        headroom=None if tokens is None or threshold is None else threshold - tokens,
        verdict=verdict,
        evidence=evidence,
        arithmetic=limits.arithmetic if limits is not None else (),
    )


def _size(context: ConversationContext, events: Sequence[CompressionEvent]) -> Size:
    """The best number there is for the transcript as it stands."""
    found = _counted(context) or _left(context, events) or _estimated(context)
    return found or Size(None, Verdict.UNKNOWN, ())


def _counted(context: ConversationContext) -> Size | None:
    newest = _newest(context)
    if newest is None:
        return None
    messages = context.messages(newest.row_ids)
    return counted_size(context.store, context.conversation, messages, context.log, context.policy(None))


def _left(context: ConversationContext, events: Sequence[CompressionEvent]) -> Size | None:
    """What the last compaction left, while no call has been answered since."""
    done = events[-1] if events and events[-1].completed else None
    if done is None or done.tokens_after is None or context.log.empty:
        return None
    text = "estimate after the last compaction; no call has been answered since"
    return _derived(done.tokens_after, Source.DERIVED, "the last compaction", text)


def _estimated(context: ConversationContext) -> Size | None:
    newest = _newest(context)
    if newest is None or not newest.row_ids:
        return None
    tokens = context.request_tokens(context.messages(newest.row_ids), context.conversation.tip, None)
    return _derived(tokens, Source.DERIVED, "rows", "estimate of the stored messages and system prompt")


def _newest(context: ConversationContext) -> Generation | None:
    generations = context.conversation.generations
    return generations[-1] if generations else None


def _derived(tokens: int | None, source: Source, where: str, text: str) -> Size:
    return Size(tokens, Verdict.DERIVED, (Evidence(source, where, text),))
