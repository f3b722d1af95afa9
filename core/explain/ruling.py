"""What made one compaction run, and the numbers it ran by."""

from __future__ import annotations

from typing import NamedTuple

from core.compress.threshold import Budgets
from core.explain.attempts import Attempt
from core.explain.causes import Cause
from core.explain.derive import UNDERIVED, Derived, derive
from core.explain.engine import rules_of_another
from core.explain.frame import Frame
from core.explain.logged import lowered_threshold
from core.explain.rows import BoundaryRows
from core.explain.shrunk_window import Shrunk, window_in_force
from core.hermes.log import Kind, LogRecord
from core.model.event import Trigger
from core.model.evidence import Verdict
from core.model.session import Session


class Ruling(NamedTuple):
    """What made a compaction run, and the numbers it ran by.

    Attributes:
        missed: The number compared does not reach the threshold of today's config, so neither that nor the
            window is shown: what was in force then is not on record.
        lowered: The line that says the threshold was lowered for the summary model.
        others: Whose threshold it was, where not Hermes' own.
        claims: Windows the log states that may have been in force instead.
    """

    trigger: Trigger
    verdict: Verdict
    tokens: int | None
    threshold: int | None
    window: int | None
    missed: bool
    limits: Budgets | None
    derived: Derived | None
    shrunk: Shrunk | None
    lowered: LogRecord | None
    others: str | None
    claims: tuple[int, ...]

    @property
    def by_count(self) -> bool:
        """The gateway stepped in below its number of tokens: there were too many messages."""
        if self.trigger is not Trigger.HYGIENE or self.derived is not None:
            return False
        return self.tokens is not None and self.threshold is not None and self.tokens < self.threshold


def rule(
    frame: Frame, attempt: Attempt | None, rows: BoundaryRows | None, release: str, session: Session
) -> Ruling:
    """Decide what made one compaction run, from the log where it tells, else from rows and rules.

    Args:
        frame: Its surroundings.
        attempt: As the log tells it.
        rows: As the rows tell it.
        release: Whose rules apply.
        session: Where it began.
    """
    cause = attempt.cause if attempt is not None else None
    lowered = None
    window, shrunk, claims = window_in_force(frame, attempt)
    others = rules_of_another(frame, attempt, rows)
    limits = frame.limits(release, session, window) if others is None else None
    threshold = limits.threshold if limits is not None else None
    derived = None
    if rows is not None and _needs_rows(cause):
        derived = derive(frame, rows, release, threshold) if others is None else UNDERIVED
    trigger, verdict = _verdict(cause, derived)
    tokens = _tokens(attempt, derived)
    if trigger is Trigger.HYGIENE and not _stated_by_gateway(cause):
        # The telemetry of such an attempt names the agent's threshold, which nobody had compared.
        threshold = int(window * frame.checks(release).hygiene_share) if window else None
    elif cause is not None and cause.threshold is not None:
        threshold = cause.threshold
    elif attempt is not None and threshold is not None:
        lowered = lowered_threshold(frame.log, threshold, attempt.first.at)
        threshold = lowered.threshold if lowered is not None else threshold
    missed = _misses(trigger, tokens, threshold)
    if missed:
        threshold = window = None
    numbers = (tokens, threshold, window, missed)
    return Ruling(trigger, verdict, *numbers, limits, derived, shrunk, lowered, others, claims)


def _stated_by_gateway(cause: Cause | None) -> bool:
    return cause is not None and cause.line is not None and cause.line.kind is Kind.HYGIENE


def _misses(trigger: Trigger, tokens: int | None, threshold: int | None) -> bool:
    """It ran by size, at a size below today's threshold."""
    by_size = trigger in (Trigger.PREFLIGHT, Trigger.PRE_API, Trigger.POST_RESPONSE)
    return by_size and tokens is not None and threshold is not None and tokens < threshold


def _needs_rows(cause: Cause | None) -> bool:
    return cause is None or cause.verdict is Verdict.UNKNOWN


def _verdict(cause: Cause | None, derived: Derived | None) -> tuple[Trigger, Verdict]:
    if derived is not None:
        return derived.trigger, derived.verdict
    if cause is None:
        return Trigger.UNKNOWN, Verdict.UNKNOWN
    return cause.trigger, cause.verdict


def _tokens(attempt: Attempt | None, derived: Derived | None) -> int | None:
    if attempt is not None:
        for number in (attempt.started.tokens if attempt.started else None, attempt.cause.tokens):
            if number is not None:
                return number
    return derived.tokens if derived is not None else None
