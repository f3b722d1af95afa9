"""The recorded requests of a conversation, and the cache breaks and compactions they prove."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.compress.retention.words import weighed
from core.errors import DatabaseError
from core.model.accounting.amounts import Buckets
from core.model.finding import Evidence, Source, Verdict
from core.recordings import FILE_NAME
from core.support.own_files import state_directory

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext
    from core.model.accounting.prompt_cache import CacheBreak, CacheReport
    from core.model.accounting.usage import RecordedBreak, RecordedUse
    from core.model.compaction.event import CompressionEvent
    from core.recordings.read import RecordedCompaction, RecordedRequest, Recording
    from core.recordings.sent_lists import PrefixBreak

Found = TypeVar("Found")

_LOG_DELAY = timedelta(seconds=3)
"""A request's log line is written within this time of its answer."""
_CAUSES = {"system": "system_prompt_changed", "tools": "tools_changed", "messages": "messages_rewritten"}
_CLOSE = timedelta(seconds=5)
_SOON = timedelta(minutes=10)


def recorded_requests(context: ConversationContext) -> tuple[RecordedRequest, ...]:
    """The recorded requests of a conversation; none if nothing was recorded or it cannot be read."""
    return _requests(context.store.location.home, context.sessions)


def _requests(home: Path | None, sessions: Iterable[str]) -> tuple[RecordedRequest, ...]:
    if home is None:
        return ()
    return _recorded(lambda recording: recording.requests(home, tuple(sessions)), ())


def _recorded(read: Callable[[Recording], Found], nothing: Found) -> Found:
    """The result of reading a recording; `nothing` if there is none or it cannot be read."""
    folder = state_directory()
    if not (folder / FILE_NAME).exists():
        return nothing
    from core.recordings.read import Recording

    try:
        return read(Recording(folder))
    except DatabaseError:
        return nothing


def with_recording(report: CacheReport, context: ConversationContext) -> CacheReport:
    """A report with what a recording proves about it; unchanged without a recording."""
    requests = recorded_requests(context)
    if not requests:
        return report
    from core.recordings.sent_lists import prefix_breaks

    breaks = prefix_breaks(requests)
    use = _use(requests, breaks)
    return replace(
        report,
        breaks=tuple(_proved(one, breaks) for one in report.breaks),
        recorded=replace(use, breaks=tuple(map(partial(_with_row, context), breaks, use.breaks))),
    )


def _with_row(context: ConversationContext, found: PrefixBreak, one: RecordedBreak) -> RecordedBreak:
    """A break with the row of the first message that differs."""
    if found.at is None or found.at >= len(found.sent):
        return one
    from core.explain.sent_request import stored_places

    return replace(one, row=stored_places(context, found.sent)[found.at].id)


def recorded_use(home: Path | None, sessions: Sequence[str]) -> RecordedUse | None:
    """The recorded use of some sessions; None without a readable recording."""
    requests = _requests(home, sessions)
    if not requests:
        return None
    from core.recordings.sent_lists import prefix_breaks

    return _use(requests, prefix_breaks(requests))


def _use(requests: Sequence[RecordedRequest], breaks: Sequence[PrefixBreak]) -> RecordedUse:
    from core.model.accounting.usage import RecordedBreak, RecordedUse

    main = [request for request in requests if not request.task]
    auxiliary: dict[str, Buckets] = {}
    for request in requests:
        if request.task and request.usage is not None:
            auxiliary[request.task] = auxiliary.get(request.task, Buckets()) + request.usage
    newest = next((one for one in reversed(main) if one.parts), None)
    tools = None if newest is None else newest.tools
    return RecordedUse(
        requests=len(main),
        tokens=sum((one.usage for one in main if one.usage is not None), Buckets()),
        auxiliary=auxiliary,
        parts={} if newest is None else newest.parts,
        tool_schemas={} if tools is None else _schemas(tools),
        breaks=tuple(RecordedBreak(one.request.at, one.cause, one.at, one.of) for one in breaks),
    )


def _schemas(name: str) -> dict[str, int]:
    return _recorded(lambda recording: recording.tool_sizes(name), {})


def _proved(one: CacheBreak, breaks: Sequence[PrefixBreak]) -> CacheBreak:
    """A break with the position at which the request differs from the one before it."""
    for found in breaks:
        ended = found.request.at + timedelta(seconds=found.request.seconds or 0.0)
        if not found.request.at - _LOG_DELAY <= one.at <= ended + _LOG_DELAY:
            continue
        cause = _CAUSES[found.cause] if one.cause == "unknown" else one.cause
        where = f"recorded request {found.request.id}"
        return replace(
            one, cause=cause, evidence=(*one.evidence, Evidence(Source.RECORDING, where, _says(found)))
        )
    return one


def _says(found: PrefixBreak) -> str:
    if found.cause == "messages":
        return f"the first {found.at} of {found.of} messages are those of the request before, the next is not"
    return (
        f"its {'system prompt is' if found.cause == 'system' else 'tools are'} not that of the request before"
    )


def with_recorded_proof(
    events: Sequence[CompressionEvent], context: ConversationContext
) -> tuple[CompressionEvent, ...]:
    """The events with what a recording proves of each; unchanged without a recording."""
    requests, measured = recorded_requests(context), _compactions(context)
    if not requests and not measured:
        return tuple(events)
    from core.recordings.sent_lists import prefix_breaks

    breaks = [one for one in prefix_breaks(requests) if one.cause == "messages"]
    return tuple(_proved_by_count(_with_proof(event, breaks, measured), requests) for event in events)


def _proved_by_count(event: CompressionEvent, requests: Sequence[RecordedRequest]) -> CompressionEvent:
    """A derived size becomes proved if the provider counted as much in the request before."""
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
    return _recorded(lambda recording: recording.compactions(home, tuple(context.sessions)), ())


def _with_proof(
    event: CompressionEvent, breaks: Sequence[PrefixBreak], measured: Sequence[RecordedCompaction]
) -> CompressionEvent:
    at = event.at
    if at is None or not event.completed:
        return event
    proof = [
        Evidence(Source.RECORDING, "recorded compaction", _measure(one))
        for one in measured
        if abs(one.at - at) <= _CLOSE and event.messages_before in (None, one.before)
    ][:1]
    follows = next((one for one in breaks if at - _CLOSE <= one.request.at <= at + _SOON), None)
    if follows is not None:
        text = f"its first {follows.at} messages are those of the request before, which held {follows.of}"
        proof.append(Evidence(Source.RECORDING, f"recorded request {follows.request.id}", text))
    return replace(event, evidence=(*event.evidence, *proof))


def _measure(one: RecordedCompaction) -> str:
    kept = "" if one.score is None else f", {weighed(one.score)} kept"
    return f"our engine made {one.after} of {one.before} messages in {one.seconds:.2f} s{kept}"
