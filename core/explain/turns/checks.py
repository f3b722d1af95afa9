"""What a release decided at one moment of a conversation: conditions, numbers and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from core.explain.compactions.refusals import FailedCall
from core.model.compaction.event import CompressionEvent, Trigger, TurnAttempt
from core.model.compaction.plan import Settings
from core.model.finding import Verdict

SIZE = "size"
"""The name of the check of the compared number."""
UNRECORDED = "not on record"
LOOSE = 0.05
"""The error allowed for an estimate of stored rows, which carry keys that live messages lack."""


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a decision.

    Attributes:
        needed, had: The required and the actual value, in words or figures.
        passed: None when nothing on record tells.
    """

    name: str
    needed: str
    had: str
    passed: bool | None


class Number(NamedTuple):
    """A number that a check compared; see `Decision`.

    Attributes:
        since: The part of it that is an estimate of the rows after the last counted prompt.
    """

    tokens: int
    real: bool = False
    where: str | None = None
    estimate: int | None = None
    since: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """One moment at which the release checked the size of the conversation.

    Attributes:
        row: The message it followed.
        tokens: The number compared; an estimate unless the provider counted it (`real`) or a line states it
            (`where`).
        estimate: The estimate by the rows, if a better number is known; None otherwise.
        generation: The generation whose transcript was checked, counted from 1.
        at: UTC; None where neither a log line nor the row says.
        event: Index (from 0) of the event of the explanation that it caused; None for none.
    """

    trigger: Trigger
    row: int | None
    tokens: int
    real: bool
    checks: tuple[Check, ...]
    generation: int = 1
    at: datetime | None = None
    event: int | None = None
    where: str | None = None
    estimate: int | None = None

    @property
    def fires(self) -> bool | None:
        """Whether it would have compressed; None when a condition is not on record."""
        if any(check.passed is False for check in self.checks):
            return False
        return None if any(check.passed is None for check in self.checks) else True

    @property
    def blocked_by(self) -> tuple[str, ...]:
        """The conditions that failed."""
        return tuple(check.name for check in self.checks if check.passed is False)

    @property
    def open(self) -> tuple[str, ...]:
        """The conditions about which nothing is on record."""
        return tuple(check.name for check in self.checks if check.passed is None)

    @property
    def large(self) -> bool:
        """Whether the size reached the threshold, or may have."""
        return all(check.passed is not False for check in self.checks if check.name == SIZE)


@dataclass(frozen=True, slots=True)
class PromptPoint:
    """One answered call: what the provider counted, and what Hermes would have estimated.

    Attributes:
        system, tools, messages: The parts of the estimate; None where unknown.
    """

    at: datetime
    where: str
    real: int
    cached: int | None
    system: int | None
    tools: int | None
    messages: int

    @property
    def estimate(self) -> int:
        """System prompt, tools and messages, as far as known."""
        return (self.system or 0) + (self.tools or 0) + self.messages


class Standing(StrEnum):
    """What happened in a turn."""

    FIRED = "fired"
    FAILED = "failed"
    """Compression was tried, but nothing was compressed."""
    BELOW = "below"
    """The conversation was not large enough at any check."""
    HELD = "held"
    """It was large enough, but a condition on record prevented compression."""
    OPEN = "open"
    """It was or may have been large enough; a condition not on record may have prevented compression."""
    DUE = "due"
    """Everything on record passed, yet nothing fired."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, from a user's message to the next, with its decisions in order.

    Attributes:
        index: Counted from 1 over the conversation.
        generation: The generation in which it began.
        request: Row of the user's message; None where the rows begin inside a turn.
        calls: Its answered calls on record.
        events: Indices (from 0) of the explanation's events that fell into it.
        failed: Those events that changed nothing.
        at: UTC; None where unknown.
        text: The beginning of the user's message. Untrusted.
        attempts: The attempts of the turn that refused requests used up, in order.
        unanswered: The failed call it ended with.
    """

    index: int
    generation: int
    request: int | None
    decisions: tuple[Decision, ...]
    calls: tuple[PromptPoint, ...] = ()
    events: tuple[int, ...] = ()
    at: datetime | None = None
    text: str = ""
    attempts: tuple[TurnAttempt, ...] = ()
    failed: tuple[int, ...] = ()
    unanswered: FailedCall | None = None

    @property
    def deciding(self) -> Decision | None:
        """The decision to show for the turn: the one that fired, else the one closest to firing."""
        fired = [one for one in self.decisions if one.event is not None]
        return max(fired or self.decisions, key=_closeness, default=None)

    @property
    def standing(self) -> Standing:
        """What happened in it."""
        deciding = self.deciding
        if self.events:
            return Standing.FAILED if len(self.failed) == len(self.events) else Standing.FIRED
        if deciding is None or not deciding.large:
            return Standing.BELOW
        if deciding.fires is None:
            return Standing.OPEN
        return Standing.DUE if deciding.fires else Standing.HELD


def decision(
    trigger: Trigger,
    row: int | None,
    number: Number,
    checks: Iterable[Check],
    generation: int,
    at: datetime | None,
) -> Decision:
    """A decision about a compared number."""
    seen = Decision(trigger, row, number.tokens, number.real, tuple(checks), generation, at)
    return replace(seen, where=number.where, estimate=number.estimate)


def enabled(settings: Settings) -> Check:
    """Whether compression is on."""
    return Check("compression.enabled", "true", str(settings.enabled).lower(), settings.enabled)


def decision_of(decision: Decision, event: CompressionEvent, number: int) -> Decision:
    """The decision that caused an event, with the event's own figures; its conditions had passed."""
    sure = event.verdict in (Verdict.PROVED, Verdict.DERIVED)
    passed = map(_let_it_run, decision.checks) if sure else decision.checks
    fired = replace(decision, event=number, checks=tuple(passed))
    if event.tokens is None or event.threshold is None:
        return fired
    size = Check(SIZE, f">= {event.threshold:,} tokens", f"{event.tokens:,}", event.tokens >= event.threshold)
    if event.trigger is Trigger.HYGIENE and not size.passed:  # the number of messages decided
        looked_at = next(check for check in fired.checks if check.name == SIZE)
        size = replace(looked_at, had=f"{event.tokens:,} tokens, {event.messages_before} rows", passed=True)
    checks = tuple(size if check.name == SIZE else check for check in fired.checks)
    estimate = decision.estimate if decision.where is not None else decision.tokens
    return replace(fired, tokens=event.tokens, checks=checks, estimate=estimate)


def _let_it_run(check: Check) -> Check:
    """A condition of a compaction that ran: a pause on record, say, can only be a result of the run."""
    if check.passed is None:
        return replace(check, passed=True)
    if check.passed or check.name == SIZE:
        return check
    return replace(check, passed=True, had="none when it ran")


def _closeness(decision: Decision) -> tuple[bool, int, int]:
    rank = {True: 2, None: 1, False: 0}
    return decision.large, rank[decision.fires], decision.tokens
