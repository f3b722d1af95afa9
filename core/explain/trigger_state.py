"""Where the trigger of a conversation stands at this moment."""

from __future__ import annotations

from dataclasses import replace

from core.compress.sizing.threshold import gate_blocks
from core.explain.context.context import ConversationContext
from core.explain.context.gather import gate_of
from core.explain.context.next_request import next_request
from core.explain.explanation import Now
from core.model.evidence import Evidence, Source


def where_it_stands(context: ConversationContext) -> Now:
    """The size of the next request against the threshold, and what would refuse a compaction."""
    limits, lowered = context.limits_in_force, context.lowered
    size = next_request(context)
    evidence = size.evidence
    if lowered is not None:
        evidence = (*evidence, Evidence(Source.LOG, lowered.where, lowered.message))
    settings = replace(context.settings_in_force, current_tokens=size.tokens)
    blocks = gate_blocks(gate_of(context.store, context.conversation.tip), settings, context.policy(None))
    if limits is None:
        blocks = (*blocks, "the window is unknown")
    threshold = None if limits is None else limits.threshold
    return Now(
        tokens=size.tokens,
        threshold=threshold,
        window=context.window.tokens,
        blocked_by=blocks,
        headroom=None if size.tokens is None or threshold is None else threshold - size.tokens,
        verdict=size.verdict,
        evidence=evidence,
        arithmetic=limits.arithmetic if limits is not None else (),
    )
