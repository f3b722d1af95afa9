"""The window and the threshold a generation was watched with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from core.explain.compactions.verdict import BY_SIZE
from core.explain.context.context import ConversationContext
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import CompressionEvent
from core.model.transcript.session import Session

_AT_ONCE = timedelta(seconds=1)
"""What an attempt looks up before its first line takes less."""


@dataclass(frozen=True)
class ThresholdInForce:
    """Tells them for one conversation."""

    context: ConversationContext

    def limits(self, event: CompressionEvent | None, session: Session) -> tuple[int | None, int | None]:
        """Window and threshold of the check that ended a generation, else of today's config."""
        by_size = event is not None and event.trigger in BY_SIZE
        window = event.window if event is not None and by_size else self.context.window.tokens
        if event is not None and by_size and event.threshold is not None:
            return window, event.threshold
        limits = self.context.limits(None, session, window, lowered=self.context.log.empty)
        if limits is None or limits.threshold is None:
            return window, None
        return window, self._lowered(limits.threshold, event.at if event is not None else None)

    @cached_property
    def _lowerings(self) -> tuple[LogRecord, ...]:
        return tuple(line for line in self.context.log.records if line.kind is Kind.AUX_LOWERED)

    def _lowered(self, threshold: int, until: datetime | None) -> int:
        """A threshold as lines before an attempt lowered it; what the attempt itself finds comes late."""
        for line in reversed(self._lowerings):
            before = until is None or self.context.clock.utc(line.at) < until - _AT_ONCE
            if line.tokens == threshold and line.threshold is not None and before:
                return line.threshold
        return threshold
