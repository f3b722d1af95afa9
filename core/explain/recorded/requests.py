"""The requests of a conversation as a recorder kept them, and the breaks of its prompt cache they prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from core.errors import DatabaseError
from core.explain.context.context import ConversationContext
from core.model.accounting.prompt_cache import CacheBreak, CacheReport, RecordedBreak, RecordedUse
from core.model.accounting.tokens import Buckets
from core.model.evidence import Evidence, Source
from core.recordings.prefix_breaks import PrefixBreak, prefix_breaks
from core.recordings.read import RecordedRequest, Recording
from core.support.user_dirs import state_directory

_NEAR = timedelta(seconds=3)
"""A request's line in the log is written within this of its answer."""
_CAUSES = {"system": "system_prompt_changed", "tools": "tools_changed", "messages": "messages_rewritten"}


def recorded_requests(context: ConversationContext) -> tuple[RecordedRequest, ...]:
    """The requests of a conversation; none where nobody recorded, or the recording cannot be read."""
    home = context.store.location.home
    if home is None:
        return ()
    try:
        return Recording(state_directory()).requests(home, tuple(context.sessions))
    except DatabaseError:
        return ()


def with_recording(report: CacheReport, context: ConversationContext) -> CacheReport:
    """A report with what a recording proves of it; the same one without a recording."""
    requests = recorded_requests(context)
    if not requests:
        return report
    breaks = prefix_breaks(requests)
    return replace(
        report,
        breaks=tuple(_proved(one, breaks) for one in report.breaks),
        recorded=_use(requests, breaks),
    )


def _use(requests: Sequence[RecordedRequest], breaks: Sequence[PrefixBreak]) -> RecordedUse:
    main = [one for one in requests if not one.task]
    auxiliary: dict[str, Buckets] = {}
    for one in requests:
        if one.task and one.usage is not None:
            auxiliary[one.task] = auxiliary.get(one.task, Buckets()) + one.usage
    newest = next((one for one in reversed(main) if one.parts), None)
    tools = next((one.tools for one in reversed(main) if one.tools), None)
    schemas = {} if tools is None else _schemas(tools)
    return RecordedUse(
        requests=len(main),
        tokens=sum((one.usage for one in main if one.usage is not None), Buckets()),
        auxiliary=auxiliary,
        parts={} if newest is None else newest.parts,
        tool_schemas=schemas,
        breaks=tuple(RecordedBreak(one.request.at, one.cause, one.at, one.of) for one in breaks),
    )


def _schemas(name: str) -> dict[str, int]:
    try:
        return Recording(state_directory()).tool_sizes(name)
    except DatabaseError:
        return {}


def _proved(one: CacheBreak, breaks: Sequence[PrefixBreak]) -> CacheBreak:
    """A break with the place at which the request left the one before it."""
    for found in breaks:
        ended = found.request.at + timedelta(seconds=found.request.seconds or 0.0)
        if not found.request.at - _NEAR <= one.at <= ended + _NEAR:
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
