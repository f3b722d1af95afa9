"""Compactions that happened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
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
    """This program wrote it, as a person had it do."""
    NATIVE = "native"
    IDLE = "idle"
    ENGINE = "engine"
    MICRO = "micro"
    """After a turn, the oldest exchange was moved into the summary: `compression.micro_compact` (0.20)."""
    PRUNE = "prune"
    """Old tool results were shortened and nothing summarised: `compression.proactive_prune_tokens` (0.20)."""
    UNKNOWN = "unknown"


ASKED_FOR = (Trigger.MANUAL, Trigger.INSPECTOR)
"""Compactions by hand: no size was compared with any limit."""
BY_SETTING = (Trigger.MICRO, Trigger.PRUNE)
"""What a setting has done after turns at a pace of its own, whatever the limit."""


class SummaryStatus(StrEnum):
    """Who wrote the summary, if anybody did."""

    MODEL = "model"
    FALLBACK = "fallback"
    ABORTED = "aborted"
    INSPECTOR = "inspector"
    """This program did, without a model."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt brought no summary by a model.

    Attributes:
        cause: `auth`, `timeout`, `no_progress`, ... as in failures.yaml.
        text: What the log or the row says. Untrusted.
        provider: Who was asked, where that is known.
    """

    cause: str
    text: str
    status: int | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class SummaryOutcome:
    """What became of the summary of one attempt.

    Attributes:
        replaced: How many messages a summary without a model says it stands for.
    """

    status: SummaryStatus
    model: str | None = None
    tokens: int | None = None
    failure: Failure | None = None
    replaced: int | None = None


@dataclass(frozen=True, slots=True)
class TurnAttempt:
    """The place of a compaction among the attempts a turn has at a request the provider refuses.

    Attributes:
        number: 1-based; checks before a call take from the same ones since 0.18.
        most: How many a turn has.
        window_before, window_after: What Hermes believed the model reads; the latter None where it stayed.
        stored: The new window outlives the process; None while no call has fitted it.
        end: What came next: `fits`, `refused`, `exhausted`, `stuck` (it could not be made smaller),
            `too_small` (what was read is no window for a summary model); None where no line tells.
        output: The most output the next call asks for, where that was lowered; None where it was not.
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
        """The turn ended there."""
        return self.end in ("exhausted", "stuck", "too_small")


@dataclass(frozen=True, slots=True)
class CompressionEvent:
    """One compaction, completed or aborted.

    Attributes:
        session: The session it began in.
        to_session: The session it ended in; the same unless it rotated.
        generation: 1-based generation it closed; None when no row shows it.
        tokens: The number compared with the threshold, or the size when nothing was compared.
        threshold, window: As in force then; None when nothing says.
        explanation: One sentence, the verdict in words.
        arithmetic: The sums behind it, one step a line.
        disagreements: Where two sources say different things.
        headline: What a reader is told first, and what helps.
        attempt: Which of its turn's attempts it was; None where it takes none of them.
        refused: What a provider's refusal behind it truly was about: `input_overflow`, `output_cap`, ...
        window_verdict: How sure the window is: stated then, by files as old as that, or by those of today.
        undo: The command that takes it back, where this program wrote it.
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
    headline: Headline = NO_HEADLINE
    refused: str = ""
    attempt: TurnAttempt | None = None
    window_verdict: Verdict = Verdict.UNKNOWN
    undo: str | None = None

    @property
    def failed(self) -> bool:
        """No model's summary came of it: it was given up, or words without a model were put in its place."""
        return not self.completed or self.summary.status is SummaryStatus.FALLBACK
