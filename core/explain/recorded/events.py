"""Compactions borne out by a recording: the first request behind each, and what our engine measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from core.errors import DatabaseError
from core.explain.context.context import ConversationContext
from core.explain.recorded.requests import recorded_requests
from core.model.compaction.event import CompressionEvent
from core.model.evidence import Evidence, Source, Verdict
from core.recordings.prefix_breaks import PrefixBreak, prefix_breaks
from core.recordings.read import RecordedCompaction, RecordedRequest, Recording
from core.support.user_dirs import state_directory

_NEAR = timedelta(seconds=5)
_SOON = timedelta(minutes=10)


def borne_out(
    events: Sequence[CompressionEvent], context: ConversationContext
) -> tuple[CompressionEvent, ...]:
    """The events with what was recorded of each; the same ones without a recording."""
    requests = recorded_requests(context)
    breaks = [one for one in prefix_breaks(requests) if one.cause == "messages"]
    measured = _compactions(context)
    if not requests and not measured:
        return tuple(events)
    return tuple(_counted(_with_proof(event, breaks, measured), requests) for event in events)


def _counted(event: CompressionEvent, requests: Sequence[RecordedRequest]) -> CompressionEvent:
    """A size that was worked out, proved where the provider counted as much in the request before."""
    at = event.at
    if at is None or event.threshold is None or event.verdict is not Verdict.DERIVED:
        return event
    before = [one for one in requests if not one.task and one.usage is not None and one.at < at]
    prompt = before[-1].usage.prompt if before and before[-1].usage is not None else None
    if prompt is None or prompt < event.threshold:
        return event
    text = f"its prompt held {prompt:,} tokens by the provider's count"
    proof = Evidence(Source.RECORDING, f"recorded request {before[-1].id}", text)
    return replace(event, verdict=Verdict.PROVED, evidence=(*event.evidence, proof))


def _compactions(context: ConversationContext) -> tuple[RecordedCompaction, ...]:
    home = context.store.location.home
    if home is None:
        return ()
    try:
        return Recording(state_directory()).compactions(home, tuple(context.sessions))
    except DatabaseError:
        return ()


def _with_proof(
    event: CompressionEvent, breaks: Sequence[PrefixBreak], measured: Sequence[RecordedCompaction]
) -> CompressionEvent:
    at = event.at
    if at is None or not event.completed:
        return event
    proof = [
        Evidence(Source.RECORDING, "recorded compaction", _measure(one))
        for one in measured
        if abs(one.at - at) <= _NEAR and event.messages_before in (None, one.before)
    ][:1]
    follows = next((one for one in breaks if at - _NEAR <= one.request.at <= at + _SOON), None)
    if follows is not None:
        text = f"its first {follows.at} messages are those of the request before, which held {follows.of}"
        proof.append(Evidence(Source.RECORDING, f"recorded request {follows.request.id}", text))
    return replace(event, evidence=(*event.evidence, *proof))


def _measure(one: RecordedCompaction) -> str:
    kept = "" if one.score is None else f", {one.score:.0%} of the facts kept"
    return f"our engine made {one.after} of {one.before} messages in {one.seconds:.2f} s{kept}"
