"""The window a running agent was left with by a provider's refusal, which no file keeps."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.compactions.attempts import Attempt
from core.explain.compactions.causes import refusal_of
from core.explain.context.context import ConversationContext
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy
from core.hermes.provider_errors.numbers import parsed_available, parsed_limit
from core.hermes.provider_errors.reaction import LONG_CONTEXT_TIER
from core.model.compaction.event import Trigger

_REFUSED = (Trigger.OVERFLOW, Trigger.LONG_CONTEXT_TIER)
_STATES = frozenset({Kind.PREFLIGHT, Kind.PRE_API, Kind.INIT, Kind.TELEMETRY})


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A window below the configured one.

    Attributes:
        line: The refusal that led to it.
    """

    window: int
    line: LogRecord


def shrunk_in(
    context: ConversationContext, attempt: Attempt, run: int | None, window: int | None
) -> Shrunk | None:
    """The newest lowering in the run of an attempt, up to it, that no later line of the run contradicts.

    Args:
        context: The conversation.
        attempt: It counts as well that it answers a refusal, where its run is not known.
        run: See `runs_of`.
        window: What the run began with; None where nothing says.
    """
    found: Shrunk | None = None
    policy, answered = context.policy(None), attempt.cause.line
    for record in context.log.records:
        own = run is not None and context.runs.get(record.where) == run
        if record.at > attempt.first.at or not (own or record is answered):
            continue
        if record.kind in _STATES and record.window:
            found = found if found is not None and found.window == record.window else None
            window = record.window
        elif record.kind is Kind.CALL_FAILED:
            lower = _lowered(record, window, policy)
            if lower is not None:
                window, found = lower, Shrunk(lower, record)
    return found


def _lowered(record: LogRecord, window: int | None, policy: Policy) -> int | None:
    """What a refusal makes of the window: the limit the release reads, else the next step down, if any.

    A limit already in force counts as well: a restart in between may have forgotten it.
    """
    refusal = refusal_of(f"{record.message} {record.text or ''}")
    text = record.text or record.message
    if refusal is None or refusal.trigger not in _REFUSED:
        return None
    if refusal.trigger is Trigger.LONG_CONTEXT_TIER:
        return LONG_CONTEXT_TIER if window is None or window >= LONG_CONTEXT_TIER else None
    if parsed_available(text, policy.release) is not None:
        return None
    limit = parsed_limit(text, policy.release)
    step = next((tier for tier in policy.overflow.tiers if window is not None and tier < window), None)
    if limit is None or limit == window:
        return step or limit
    return limit if window is None or limit < window else None
