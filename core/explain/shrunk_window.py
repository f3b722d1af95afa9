"""The window a running process was left with by a provider's refusal, which no file keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from core.explain.attempts import Attempt
from core.explain.causes import refusal_of
from core.explain.frame import Frame
from core.explain.logged import about, stated_windows
from core.hermes.log import Kind, LogRecord
from core.model.event import Trigger

_REFUSED = (Trigger.OVERFLOW, Trigger.LONG_CONTEXT_TIER)
_BY_SIZE = (Trigger.POST_RESPONSE, Trigger.PREFLIGHT, Trigger.PRE_API)
_STATES = frozenset({Kind.PREFLIGHT, Kind.PRE_API, Kind.INIT})


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A window below the configured one.

    Attributes:
        line: The refusal that led to it.
    """

    window: int
    line: LogRecord


class AttemptWindow(NamedTuple):
    """The window an attempt ran with.

    Attributes:
        window: None where nothing says.
        shrunk: The refusal that lowered it.
        claims: What the log states of other turns, where that differs.
    """

    window: int | None
    shrunk: Shrunk | None = None
    claims: tuple[int, ...] = ()


def window_in_force(frame: Frame, attempt: Attempt | None) -> AttemptWindow:
    """The window an attempt ran with: by its deciding line, by an earlier refusal, or by what others tell."""
    if attempt is None:
        return AttemptWindow(frame.window.tokens)
    if attempt.cause.window is not None:
        return AttemptWindow(attempt.cause.window)
    base = _of_model(frame, attempt)
    shrunk = _shrunk(frame, attempt, base)
    return AttemptWindow(shrunk.window, shrunk) if shrunk is not None else _told(frame, attempt, base)


def _shrunk(frame: Frame, attempt: Attempt, base: int | None) -> Shrunk | None:
    """The refusal that this attempt answers, or an earlier one that still held.

    An earlier one counts where the number compared reaches the lowered threshold and not the configured one:
    a restart in between would have brought the configured window back.
    """
    shrunk, cause = _before(frame, attempt.first.at), attempt.cause
    if shrunk is None or base is None:
        return None
    if cause.trigger in _REFUSED and cause.line is not None and cause.line.where == shrunk.line.where:
        return shrunk
    session = frame.sessions.get(attempt.session, frame.conversation.tip)
    usual, lowered = (frame.limits(None, session, window) for window in (base, shrunk.window))
    if cause.trigger not in _BY_SIZE or cause.tokens is None or usual is None or lowered is None:
        return None
    return shrunk if lowered.threshold <= cause.tokens < usual.threshold else None


def _told(frame: Frame, attempt: Attempt, base: int | None) -> AttemptWindow:
    """What the nearest lines state, where they bear on the attempt; else what is configured today.

    A process that was started anew between turns read the configuration again, so a line of an earlier turn
    tells only where a later one agrees; where they differ, both are told.
    """
    moment, model = attempt.first.at, _model(attempt)
    stated = [*stated_windows(frame.log, frame.sessions, model)]
    before = [line for line in stated if line.at <= moment][-1:]
    after = [line for line in stated if line.at > moment][:1]
    said = {line.window for line in (*before, *after) if line.window}
    if any(_same_turn(frame, line.at, moment) for line in before) or (before and after and len(said) == 1):
        return AttemptWindow(before[0].window)
    return AttemptWindow(base, claims=tuple(sorted(said - {base})) if base is not None else ())


def _same_turn(frame: Frame, start: datetime, end: datetime) -> bool:
    turns = (line for line in frame.log.records if line.kind is Kind.TURN and line.session in frame.sessions)
    return not any(start < line.at <= end for line in turns)


def _of_model(frame: Frame, attempt: Attempt) -> int | None:
    """The configured window, or that of a model which had taken over: config.yaml does not set that one's."""
    model, moment = _model(attempt), attempt.first.at
    lines = [record for record in frame.log.records if record.model == model and record.at <= moment]
    replaced = any(record.kind is Kind.MODEL_REPLACED for record in lines)
    if model and (replaced or _reconfigured(frame)):
        stated = [line for line in stated_windows(frame.log, frame.sessions, model) if line.at <= moment]
        known = stated or [record for record in lines if record.kind is Kind.LIMIT_CACHED and record.window]
        if known:
            return known[-1].window
    return None if _reconfigured(frame) else frame.window.tokens


def _model(attempt: Attempt) -> str | None:
    return attempt.started.model if attempt.started is not None else None


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
    ours = about(frame.log, frame.sessions)
    for record in frame.log.records:
        if not ours(record) and record.tag not in frame.sessions:
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
