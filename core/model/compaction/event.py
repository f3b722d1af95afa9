"""Compactions that happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.model.finding import NO_HEADLINE, Evidence, Headline, Verdict
from core.model.transcript.conversation import BoundaryMode


class Trigger(StrEnum):
    """What made a compaction run."""

    PREFLIGHT = "preflight"
    PRE_API = "pre_api"
    POST_RESPONSE = "post_response"
    OVERFLOW = "overflow"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    LONG_CONTEXT_TIER = "long_context_tier"
    HYGIENE = "hygiene"
    MANUAL = "manual"
    INSPECTOR = "inspector"
    """This program wrote it at a person's request."""
    NATIVE = "native"
    IDLE = "idle"
    ENGINE = "engine"
    MICRO = "micro"
    """After a turn, the oldest exchange was moved into the summary: `compression.micro_compact` (0.20)."""
    PRUNE = "prune"
    """Old tool results were shortened without a summary: `compression.proactive_prune_tokens` (0.20)."""
    UNKNOWN = "unknown"


ASKED_FOR = (Trigger.MANUAL, Trigger.INSPECTOR)
"""Compactions by hand, for which no size was compared with a limit."""
ESTIMATED = (Trigger.PREFLIGHT, Trigger.PRE_API, Trigger.HYGIENE, Trigger.POST_RESPONSE)
"""Compactions for which Hermes compares an estimate of its own; after an answer only since 0.22."""
REFUSED = (Trigger.OVERFLOW, Trigger.PAYLOAD_TOO_LARGE, Trigger.LONG_CONTEXT_TIER)
"""Compactions after the provider had refused a request."""
BY_SETTING = (Trigger.MICRO, Trigger.PRUNE)
"""Compactions that a setting runs after turns, whatever the limit."""


class SummaryStatus(StrEnum):
    """Who wrote the summary, if there is one."""

    MODEL = "model"
    FALLBACK = "fallback"
    ABORTED = "aborted"
    INSPECTOR = "inspector"
    """This program, without a model."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt brought no summary by a model.

    Attributes:
        cause: `auth`, `timeout`, `no_progress`, ... as in failures.yaml.
        text: What the log or the row says. Untrusted.
        provider: The provider that was asked, if known.
    """

    cause: str
    text: str
    status: int | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class SummaryOutcome:
    """What became of the summary of one attempt.

    Attributes:
        replaced: How many messages a summary without a model says it replaces.
    """

    status: SummaryStatus
    model: str | None = None
    tokens: int | None = None
    failure: Failure | None = None
    replaced: int | None = None


@dataclass(frozen=True, slots=True)
class TurnAttempt:
    """One of the attempts that a turn has to make a request fit which the provider refuses.

    Attributes:
        number: Counted from 1; since 0.18, checks before a call use the same attempts.
        most: How many attempts a turn has.
        window_before, window_after: The window Hermes assumed; `window_after` is None if it did not change.
        stored: The new window is stored beyond the process; None until a call has fitted it.
        end: What came next: `fits`, `refused`, `exhausted`, `stuck` (it could not be made smaller),
            `too_small` (no summary model may have so small a window); None where no line tells.
        output: The most output the next call asks for, if that was lowered; None if not.
    """

    number: int
    most: int
    window_before: int | None
    window_after: int | None = None
    stored: bool | None = None
    end: str | None = None
    output: int | None = None

    @property
    def gives_up(self) -> bool:
        """Whether the turn ended with it."""
        return self.end in ("exhausted", "stuck", "too_small")


@dataclass(frozen=True, slots=True)
class CompressionEvent:
    """One compaction, completed or aborted.

    Attributes:
        session: The session it began in.
        to_session: The session it ended in; the same unless it rotated.
        generation: The generation it closed, counted from 1; None when no row shows it.
        tokens: The number compared with the threshold, or the size when nothing was compared.
        last_prompt: Prompt tokens of the call before it, as the provider counted them; None if no line tells.
        threshold, window: The ones in force then; None when unknown.
        explanation: The verdict in one sentence.
        arithmetic: The calculation behind it, one step a line.
        disagreements: Where two sources contradict each other.
        apart: What tells it from the others of its conversation, such as `at 14:05`; "" for a lone one.
        headline: What a reader is told first, and what helps.
        attempt: Its number among its turn's attempts; None where it uses none of them.
        refused: What the provider's refusal was really about: `input_overflow`, `output_cap`, ...
        window_verdict: How certain the window is: by a line of then, by files as old as that, or by today's.
        undo: The command that undoes it, if this program wrote it.
    """

    session: str
    to_session: str
    mode: BoundaryMode | None
    at: datetime | None
    generation: int | None
    trigger: Trigger
    verdict: Verdict
    tokens: int | None
    threshold: int | None
    window: int | None
    messages_before: int | None
    messages_after: int | None
    tokens_after: int | None
    focus: str | None
    summary: SummaryOutcome
    completed: bool = True
    duration: float | None = None
    release: str | None = None
    evidence: tuple[Evidence, ...] = ()
    explanation: str = ""
    arithmetic: tuple[str, ...] = ()
    disagreements: tuple[str, ...] = ()
    apart: str = ""
    headline: Headline = NO_HEADLINE
    refused: str = ""
    attempt: TurnAttempt | None = None
    window_verdict: Verdict = Verdict.UNKNOWN
    undo: str | None = None
    last_prompt: int | None = None

    @property
    def pruned(self) -> bool:
        """As many messages as before, and nothing summarised: results were shortened, whoever did it."""
        as_many = self.messages_before == self.messages_after is not None
        alike = as_many and self.mode is BoundaryMode.IN_PLACE
        return self.completed and alike and self.summary.status is SummaryStatus.UNKNOWN

    @property
    def failed(self) -> bool:
        """Whether no model's summary resulted: it was aborted, or fell back to a text without a model."""
        return not self.completed or self.summary.status is SummaryStatus.FALLBACK

    def outlasted(self, other: CompressionEvent) -> bool:
        """Whether it was still going on when another began."""
        if self.at is None or other.at is None or self.duration is None:
            return False
        return other.at < self.at + timedelta(seconds=self.duration)


def tally(events: Sequence[CompressionEvent]) -> tuple[int, int, int]:
    """How many of them are compactions that came about, how many only shortened results, how many failed."""
    failed = sum(not event.completed for event in events)
    pruned = sum(event.pruned for event in events)
    return len(events) - failed - pruned, pruned, failed
