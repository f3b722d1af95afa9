"""Where the trigger of a conversation stands at this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.compress.gate import gate_blocks
from core.explain.anchor import anchored_tokens
from core.explain.explanation import Now
from core.explain.frame import Frame
from core.explain.logged import lowered_threshold
from core.explain.situation import gate_of, last_prompt
from core.model.event import CompressionEvent
from core.model.evidence import Evidence, Source, Verdict


def where_it_stands(frame: Frame, events: Sequence[CompressionEvent]) -> Now:
    """The size of the next request against the threshold, and what would refuse a compaction."""
    tip = frame.conversation.tip
    limits = frame.limits(None, tip, frame.window.tokens)
    settings = frame.settings(None, tip, frame.window.tokens)
    tokens, verdict, evidence = _size(frame, events)
    threshold = limits.threshold if limits is not None else None
    lowered = lowered_threshold(frame.log, threshold) if threshold is not None else None
    if lowered is not None:
        threshold = lowered.threshold
        evidence = (*evidence, Evidence(Source.LOG, lowered.where, lowered.message))
    blocks = gate_blocks(
        gate_of(frame.store, tip), replace(settings, current_tokens=tokens), frame.policy(None)
    )
    if frame.window.tokens is None:
        blocks = (*blocks, "the window is unknown")
    return Now(
        tokens=tokens,
        threshold=threshold,
        window=frame.window.tokens,
        blocked_by=blocks,
        headroom=None if tokens is None or threshold is None else threshold - tokens,
        verdict=verdict,
        evidence=evidence,
        arithmetic=limits.arithmetic if limits is not None else (),
    )


def _size(
    frame: Frame, events: Sequence[CompressionEvent]
) -> tuple[int | None, Verdict, tuple[Evidence, ...]]:
    """The best number for the size of the transcript as it stands, and what it rests on."""
    tip = frame.conversation.tip
    generations = frame.conversation.generations
    newest = generations[-1] if generations else None
    if frame.checks(None).anchored and newest is not None:
        anchored = anchored_tokens(tip.model_config, frame.messages(newest.row_ids), frame.policy(None))
        if anchored is not None:
            text = "usage of the last response, and an estimate of what came since"
            return anchored, Verdict.DERIVED, (Evidence(Source.DATABASE, "sessions.model_config", text),)
    prompt = last_prompt(frame.log)
    if prompt is not None and prompt.input is not None:
        return prompt.input, Verdict.PROVED, (Evidence(Source.LOG, prompt.where, prompt.message),)
    for route in frame.store.routing():
        if route.session_id == tip.id and (route.last_prompt_tokens or 0) > 0:
            text = f"last_prompt_tokens {route.last_prompt_tokens}"
            return (
                route.last_prompt_tokens,
                Verdict.PROVED,
                (Evidence(Source.DATABASE, "gateway_routing", text),),
            )
    done = events[-1] if events and events[-1].completed else None
    if done is not None and done.tokens_after is not None and not frame.log.empty:
        text = "estimate after the last compaction; no call has been answered since"
        return done.tokens_after, Verdict.DERIVED, (Evidence(Source.DERIVED, "the last compaction", text),)
    if newest is None or not newest.row_ids:
        return None, Verdict.UNKNOWN, ()
    estimate = frame.request_tokens(frame.messages(newest.row_ids), tip, None)
    text = "estimate of the stored messages and system prompt"
    return estimate, Verdict.DERIVED, (Evidence(Source.DERIVED, "rows", text),)
