"""What could refuse an automatic compaction at a past moment, as far as log and events prove it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.compress.sizing.threshold import RUNNING, has_struck_out
from core.explain.context.context import ConversationContext
from core.explain.context.gather import gate_of
from core.explain.turns.checks import UNRECORDED, Check
from core.hermes.log.record import Kind
from core.model.compaction.event import CompressionEvent, SummaryStatus
from core.model.transcript.session import Session
from core.support.formatting import clock

_MAX_PAUSE = timedelta(seconds=900)


@dataclass(frozen=True, slots=True)
class _Pause:
    """A time until which the summary model was not asked again."""

    since: datetime
    until: datetime
    where: str


class PastGates:
    """The gates of one conversation at any moment. Hermes counts in memory, so past counts are replayed."""

    def __init__(self, context: ConversationContext, events: Sequence[CompressionEvent]) -> None:
        self._context, self._events = context, events
        self._rules = context.policy(None).gate
        self._calls = context.log.counted_calls
        self._pauses = tuple(_pauses(context, events))
        self._begun = context.clock.utc(context.log.records[0].at) if context.log.records else None

    def now(self, session: Session) -> Iterator[Check]:
        """The gates at present, from the columns of a session and a lock that is held."""
        gate = gate_of(self._context.store, session)
        if gate.locked_by is not None:
            yield Check(RUNNING, "none", f"({gate.locked_by})", passed=False)
        if self._rules.cooldown:
            until = gate.cooldown_until
            had = "none" if until is None else f"until {clock(until)}"
            yield _pause_check(had, not gate.is_ahead(until))
        yield from self._streak(gate.fallback_streak)
        known = gate.ineffective_count
        if known is None:
            yield self._strikes(gate.now)
        elif known < self._rules.strikes or has_struck_out(gate, self._rules):
            yield self._strike_check(str(known), known < self._rules.strikes)
        else:
            yield self._strike_check(f"{known}, but one more may be tried", passed=True)

    def then(self, at: datetime | None) -> Iterator[Check]:
        """The gates at a moment of the past."""
        if self._rules.cooldown:
            yield _pause_check(*self._paused(at))
        yield from self._streak(self._fallbacks(at))
        yield self._strikes(at)

    def covered(self, at: datetime | None) -> bool:
        """Whether the log reaches back far enough to show everything that still applied at a moment."""
        if at is None or self._begun is None:
            return False
        first = self._context.conversation.root.started_at
        return self._begun <= at - _MAX_PAUSE or (first is not None and self._begun <= first)

    def _paused(self, at: datetime | None) -> tuple[str, bool | None]:
        if at is None:
            return UNRECORDED, None
        for pause in self._pauses:
            if pause.since <= at < pause.until:
                return f"until {clock(pause.until)} ({pause.where})", False
        return ("none", True) if self.covered(at) else (UNRECORDED, None)

    def _streak(self, count: int | None) -> Iterator[Check]:
        most = self._rules.fallback_streak
        if most:
            had = UNRECORDED if count is None else str(count)
            yield Check("fallbacks in a row", f"< {most}", had, None if count is None else count < most)

    def _fallbacks(self, at: datetime | None) -> int | None:
        """How many summaries in a row no model wrote, up to a moment."""
        count = 0
        for event in reversed(self._before(at) or ()):
            if event.summary.status is SummaryStatus.UNKNOWN:
                return None
            if event.summary.status is SummaryStatus.MODEL:
                break
            count += event.summary.status is SummaryStatus.FALLBACK
        return None if at is None else count

    def _strikes(self, at: datetime | None) -> Check:
        """Compactions in a row that did not help; a restart resets the count without any line in the log."""
        events = self._before(at)
        if events is None or at is None:
            return self._strike_check(UNRECORDED, None)
        silent = self._rules.nothing_is_strike or self._rules.too_few_is_strike
        if silent and not self.covered(at):
            return self._strike_check(UNRECORDED, None)
        count = 0
        for event in reversed(events):
            helped = self._helped(event, at)
            if helped is None:
                return self._strike_check(UNRECORDED, None)
            if helped:
                break
            count += 1
        if count < self._rules.strikes:
            return self._strike_check(str(count), passed=True)
        return self._strike_check(f"{count}, unless restarted", None)

    def _strike_check(self, had: str, passed: bool | None) -> Check:
        return Check("failed attempts", f"< {self._rules.strikes}", had, passed)

    def _helped(self, event: CompressionEvent, at: datetime) -> bool | None:
        """Whether a compaction counted as effective by a moment; None where the figures are missing."""
        if not event.completed:
            # An attempt given up without a summary counts neither way; one that found nothing may count.
            return None
        if self._rules.verdict == "usage":
            return self._fitted(event, at)
        if event.tokens is None or event.tokens_after is None or not event.tokens:
            return None
        # The size recorded after it may include prompt and tools, so only a clear saving is certain.
        saved = (event.tokens - event.tokens_after) * 100 / event.tokens
        return True if saved >= self._rules.min_savings else None

    def _fitted(self, event: CompressionEvent, at: datetime) -> bool | None:
        """Whether the provider counted a prompt below the threshold since, which clears failed attempts."""
        if event.at is None or event.threshold is None:
            return None
        since = [call.input or 0 for call in self._calls if event.at < self._context.clock.utc(call.at) <= at]
        if not since:
            return None
        return any(size < event.threshold for size in since)

    def _before(self, at: datetime | None) -> list[CompressionEvent] | None:
        """The events before a moment; None when one of them has no time."""
        if at is None or any(event.at is None for event in self._events):
            return None
        return [event for event in self._events if event.at is not None and event.at < at]


def _pause_check(had: str, passed: bool | None) -> Check:
    return Check("summary model pause", "none, or ended", had, passed)


def _pauses(context: ConversationContext, events: Sequence[CompressionEvent]) -> Iterator[_Pause]:
    """Every pause that a line announces; a summary by a model in the meantime was forced and ended it."""
    written = [e.at for e in events if e.at is not None and e.summary.status is SummaryStatus.MODEL]
    quoted = {evidence.where for event in events for evidence in event.evidence}
    for record in context.log.records:
        paused = record.kind is Kind.SUMMARY_FAILED and (
            record.session in context.sessions or record.where in quoted
        )
        if paused and record.seconds:
            since = context.clock.utc(record.at)
            until = min([since + timedelta(seconds=record.seconds), *(at for at in written if at > since)])
            yield _Pause(since, until, record.where)
