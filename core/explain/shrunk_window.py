"""The window a running process was left with by a provider's refusal, which no file keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from core.explain.attempts import Attempt
from core.explain.causes import refusal_of
from core.explain.frame import Frame
from core.hermes.log import Kind, LogRecord
from core.model.event import Trigger

_REFUSED = (Trigger.OVERFLOW, Trigger.LONG_CONTEXT_TIER)
_BY_SIZE = (Trigger.POST_RESPONSE, Trigger.PREFLIGHT, Trigger.PRE_API)
_STATES = frozenset({Kind.PREFLIGHT, Kind.PRE_API, Kind.INIT})
_OF_MODEL = _STATES | {Kind.LIMIT_CACHED}


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A window below the configured one.

    Attributes:
        line: The refusal that led to it.
    """

    window: int
    line: LogRecord


def window_in_force(frame: Frame, attempt: Attempt | None) -> tuple[int | None, Shrunk | None]:
    """The window an attempt ran with, and the refusal that lowered it.

    A line that decides may state it. Else a refusal counts that this attempt answers; and an earlier one,
    where the number compared reaches the lowered threshold and not the configured one: a restart in between
    would have brought the configured window back.
    """
    base = frame.window.tokens if attempt is None else _of_model(frame, attempt)
    if attempt is None or attempt.cause.window is not None:
        return (attempt.cause.window if attempt is not None else base), None
    shrunk = _before(frame, attempt.first.at)
    if shrunk is None or base is None:
        return base, None
    cause = attempt.cause
    if cause.trigger in _REFUSED and cause.line is not None and cause.line.where == shrunk.line.where:
        return shrunk.window, shrunk
    session = frame.sessions.get(attempt.session, frame.conversation.tip)
    usual, lowered = (frame.limits(None, session, window) for window in (base, shrunk.window))
    tokens = cause.tokens
    if cause.trigger not in _BY_SIZE or tokens is None or usual is None or lowered is None:
        return base, None
    return (shrunk.window, shrunk) if lowered.threshold <= tokens < usual.threshold else (base, None)


def _of_model(frame: Frame, attempt: Attempt) -> int | None:
    """The configured window, or that of a model which had taken over: config.yaml does not set that one's."""
    model = attempt.started.model if attempt.started is not None else None
    lines = [
        record for record in frame.log.records if record.model == model and record.at <= attempt.first.at
    ]
    known = [record.window for record in lines if record.kind in _OF_MODEL and record.window]
    replaced = any(record.kind is Kind.MODEL_REPLACED for record in lines)
    if model and known and (replaced or _reconfigured(frame)):
        return known[-1]
    return None if _reconfigured(frame) else frame.window.tokens


def _reconfigured(frame: Frame) -> bool:
    """The conversation began with another model than config.yaml names: its window is of later times."""
    if frame.window.source != "config" or not frame.config.model:
        return False
    began = (
        line.model for line in frame.log.records if line.kind is Kind.TURN and line.session in frame.sessions
    )
    return next((model for model in began if model), frame.config.model) != frame.config.model


def _before(frame: Frame, moment: datetime) -> Shrunk | None:
    """The newest lowering before a moment that no later line contradicts."""
    found: Shrunk | None = None
    for step in _steps(frame):
        if isinstance(step, Shrunk):
            found = step if step.line.at <= moment else found
        elif step.at <= moment and found is not None and step.window != found.window:
            found = None
    return found


def _steps(frame: Frame) -> Iterator[Shrunk | LogRecord]:
    """Lowerings, and lines that state a window, in the order of the log."""
    window, rules = frame.window.tokens, frame.checks(None)
    for record in frame.log.records:
        ours = record.session is None or record.session in frame.sessions or record.tag in frame.sessions
        if not ours:
            continue
        if record.kind in _STATES and record.window:
            window = record.window
            yield record
        elif record.kind is Kind.CALL_FAILED and window is not None:
            lower = _lowered(record, window, rules.steps_down, rules.tier_window)
            if lower is not None:
                window = lower
                yield Shrunk(lower, record)


def _lowered(record: LogRecord, window: int, steps: tuple[int, ...], tier: int) -> int | None:
    """What a refusal makes of the window: the limit it names, else the next step down, if there are any.

    A limit already in force counts as well: a restart in between may have forgotten it.
    """
    refusal = refusal_of(f"{record.message} {record.text or ''}")
    if refusal is None or refusal.trigger not in _REFUSED:
        return None
    if refusal.trigger is Trigger.LONG_CONTEXT_TIER:
        return tier if tier <= window else None
    if refusal.limit is not None:
        return refusal.limit if refusal.limit <= window else None
    return next((step for step in steps if step < window), None)
