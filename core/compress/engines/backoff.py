"""What a running compressor remembers of its attempts, so that it neither loops nor overloads a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.compress.requests.failure import consequence
from core.compress.summarise.base import FailureKind
from core.hermes.policy.summary_rules import FailureRules
from core.hermes.policy.trigger_rules import GateRules

_RECOVERY = 300.0
_GROWTH_LEAST, _GROWTH_SHARE = 4096, 0.05


@dataclass(slots=True)
class Backoff:
    """Counters of one session. Times are seconds of any steady clock.

    Attributes:
        strikes: Failed attempts in a row: those that did not help.
        fallback_streak: Summaries in a row made by rule because a model failed.
        cooldown_until: Until then no summary is asked for.
        error: The last failure, in words.
        aborts: After this failure conversations are left unchanged.
        failures: Failures in a row, by kind.
        last_real: The last prompt size a provider reported.
        fitted: The rough estimate for the last counted prompt that fitted.
        awaiting: Whether no prompt has been counted since the last compaction.
        probe_at: When a paused model is asked again.
        retry_at: When one attempt is allowed in spite of too many strikes.
    """

    strikes: int = 0
    fallback_streak: int = 0
    cooldown_until: float = 0.0
    error: str | None = None
    aborts: bool = False
    failures: dict[FailureKind, int] = field(default_factory=dict)
    last_real: int = 0
    fitted: int = 0
    awaiting: bool = False
    probe_at: float | None = None
    retry_at: float | None = None

    def blocks(self, rules: GateRules, now: float) -> bool:
        """Whether an automatic attempt is refused."""
        if rules.cooldown and now < self.cooldown_until:
            return True
        if rules.fallback_streak and self.fallback_streak >= rules.fallback_streak:
            return True
        if self.strikes < rules.strikes:
            self.retry_at = None
            return False
        return not self._may_retry(rules, now)

    def _may_retry(self, rules: GateRules, now: float) -> bool:
        """Whether enough time has passed for one more attempt, which then has to help."""
        if not rules.recovery:
            return False
        if self.retry_at is None:
            self.retry_at = now + _RECOVERY
        if now < self.retry_at:
            return False
        self.strikes, self.retry_at = 1, None
        return True

    def is_benched(self, rules: GateRules, now: float) -> bool:
        """Whether the summary model failed so often that a summary is made by rule without asking it."""
        if not rules.pause_after or self.fallback_streak < rules.pause_after:
            self.probe_at = None
            return False
        if self.probe_at is not None and now >= self.probe_at:
            self.probe_at = None
            return False
        if self.probe_at is None:
            self.probe_at = now + _RECOVERY
        return True

    def failed(
        self, kind: FailureKind, error: str, rules: FailureRules, now: float, *, configured: bool
    ) -> None:
        """Note that no summary could be obtained."""
        in_a_row = self.failures.get(kind, 0) + 1
        self.failures = {**self.failures, kind: in_a_row}
        outcome = consequence(kind, rules, in_a_row=in_a_row, abort_configured=configured)
        self.cooldown_until = now + outcome.cooldown
        self.error, self.aborts = error, outcome.aborts

    def succeeded(self) -> None:
        """Note that a model wrote a summary."""
        self.failures = {}
        self.fallback_streak = 0
        self.end_cooldown()

    def end_cooldown(self) -> None:
        """Forget the last failure, so that it does not stop the next attempt."""
        self.cooldown_until, self.error, self.aborts = 0.0, None, False

    def saved(self, before: int, after: int, rules: GateRules) -> None:
        """Judge a compaction by what it saved, in releases that do so."""
        if rules.verdict != "savings":
            return
        share = (before - after) / before * 100 if before > 0 else 0.0
        self.strikes = self.strikes + 1 if share < rules.min_savings else 0

    def counted(self, prompt: int, threshold: int, estimate: int, rules: GateRules) -> None:
        """Note the size of a prompt that a provider counted."""
        if prompt <= 0:
            return
        self.last_real = prompt
        fits = prompt < threshold
        if rules.verdict == "usage" and (self.awaiting or fits):
            self.strikes = 0 if fits else self.strikes + 1
        if not fits:
            self.fitted = 0
        elif self.awaiting and estimate > 0:
            self.fitted = estimate
        self.awaiting = False

    def defers(self, estimate: int, threshold: int, baseline: int, rules: GateRules) -> bool:
        """Whether a rough estimate above the threshold waits for a counted prompt."""
        if estimate < threshold or rules.deferral == "never":
            return False
        if rules.deferral == "always":
            return self.last_real < threshold
        if rules.deferral == "awaiting" and self.awaiting:
            return True
        known = self.fitted or baseline
        if not 0 < self.last_real < threshold or known <= 0:
            return False
        if max(0, estimate - known) > max(_GROWTH_LEAST, int(threshold * _GROWTH_SHARE)):
            return False
        self.fitted = max(known, estimate)
        return True
