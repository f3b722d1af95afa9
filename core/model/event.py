"""Compactions that happened, and findings about a conversation."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.model.boundary import BoundaryMode
from core.model.evidence import Evidence, Verdict


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
    NATIVE = "native"
    IDLE = "idle"
    ENGINE = "engine"
    UNKNOWN = "unknown"


class SummaryStatus(StrEnum):
    """Who wrote the summary, if anybody did."""

    MODEL = "model"
    FALLBACK = "fallback"
    ABORTED = "aborted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SummaryOutcome:
    """What became of the summary of one attempt."""

    status: SummaryStatus
    model: str | None = None
    tokens: int | None = None


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


class Severity(StrEnum):
    """How bad a finding is, worst first."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Place from the worst: 0 is critical."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosis: what is wrong, how we know, what helps.

    Attributes:
        rule: `A2`, `C6`, ... as in findings.yaml.
        name: The rule's slug, `threshold-unreachable`.
        sentence: One sentence for a user.
        numbers: The figures behind it, by name; values are ints, floats or strings.
        remedy: The config line or command that helps; empty when nothing does.
        session: The session it is about; None for the whole store.
    """

    rule: str
    name: str
    severity: Severity
    sentence: str
    verdict: Verdict
    session: str | None = None
    numbers: dict[str, Any] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    remedy: str = ""
