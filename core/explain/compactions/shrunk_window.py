"""The window a running agent was left with by a provider's refusal, which no file keeps."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.compactions.attempts import Attempt
from core.explain.compactions.causes import refusal_of
from core.explain.context.context import ConversationContext
from core.hermes.log.record import Kind, LogRecord
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
    rules, answered = context.policy(None).overflow, attempt.cause.line
    for record in context.log.records:
        own = run is not None and context.runs.get(record.where) == run
        if record.at > attempt.first.at or not (own or record is answered):
            continue
        if record.kind in _STATES and record.window:
            found = found if found is not None and found.window == record.window else None
            window = record.window
        elif record.kind is Kind.CALL_FAILED:
            lower = _lowered(record, window, rules.tiers, LONG_CONTEXT_TIER)
            if lower is not None:
                window, found = lower, Shrunk(lower, record)
    return found


def _lowered(record: LogRecord, window: int | None, steps: tuple[int, ...], tier: int) -> int | None:
    """What a refusal makes of the window: the limit it names, else the next step down, if there are any.

    A limit already in force counts as well: a restart in between may have forgotten it.
    """
    refusal = refusal_of(f"{record.message} {record.text or ''}")
    if refusal is None or refusal.trigger not in _REFUSED:
        return None
    if refusal.trigger is Trigger.LONG_CONTEXT_TIER:
        return tier if window is None or tier <= window else None
    if refusal.limit is not None:
        return refusal.limit if window is None or refusal.limit <= window else None
    return next((step for step in steps if window is not None and step < window), None)
