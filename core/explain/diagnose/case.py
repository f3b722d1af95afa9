"""What the rules look at: one conversation with everything known about it, read as rules ask for it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from core.compress.planning.plan import plan_messages
from core.compress.retention.score import retention_of
from core.compress.sizing.threshold import budgets
from core.explain.context.log.log_claims import about
from core.hermes.log.record import Kind, LogRecord
from core.hermes.markers.markers import SummaryMatch, find_summary
from core.model.compaction.event import CompressionEvent, Trigger
from core.model.compaction.plan import Plan, Span

if TYPE_CHECKING:
    from core.compress.sizing.threshold import Budgets
    from core.explain.context.context import ConversationContext
    from core.explain.context.rows.boundary_rows import BoundaryRows
    from core.explain.explanation import Explanation
    from core.hermes.log.read import Log
    from core.hermes.policy.policy import Policy
    from core.model.compaction.preview import Retention
    from core.model.transcript.conversation import Conversation
    from core.model.transcript.message import Message
    from core.model.transcript.session import Session
    from core.store.store import Store


_OF_THE_HOME = (Kind.AUX_LOWERED,)
"""Said once when a process starts, of its configuration."""


@dataclass(frozen=True)
class Case:
    """One conversation under examination.

    Attributes:
        context: Its surroundings.
        explanation: Its compactions and where the trigger stands.
        now: The moment it is examined at.
    """

    context: ConversationContext
    explanation: Explanation
    now: datetime

    @property
    def store(self) -> Store:
        """The database."""
        return self.context.store

    @property
    def conversation(self) -> Conversation:
        """The thread."""
        return self.explanation.conversation

    @property
    def tip(self) -> Session:
        """Its newest session."""
        return self.conversation.tip

    @property
    def log(self) -> Log:
        """The lines about it."""
        return self.explanation.log

    @property
    def events(self) -> tuple[CompressionEvent, ...]:
        """Its compactions, completed and aborted."""
        return self.explanation.events

    @property
    def completed(self) -> tuple[CompressionEvent, ...]:
        """Its completed compactions."""
        return tuple(event for event in self.events if event.completed)

    @property
    def window(self) -> int | None:
        """The window in force."""
        return self.explanation.window.tokens

    @property
    def policy(self) -> Policy:
        """The rules of the detected release."""
        return self.context.policy(None)

    @property
    def limits(self) -> Budgets | None:
        """Threshold and budgets of the next request; None without a window."""
        return self.context.limits_in_force

    @property
    def threshold(self) -> int | None:
        """Where compression fires."""
        return self.limits.threshold if self.limits is not None else None

    @property
    def live(self) -> tuple[Message, ...]:
        """The transcript the next request will carry."""
        return self.context.newest_messages

    def messages(self, row_ids: Sequence[int]) -> tuple[Message, ...]:
        """Messages by row, each read from the database once."""
        return self.context.messages(row_ids)

    def between(self, start: datetime, end: datetime) -> tuple[Message, ...]:
        """The messages written between two moments, copies made by compactions left out."""
        times, messages = self._written
        return messages[bisect_left(times, start) : bisect_right(times, end)]

    @cached_property
    def _written(self) -> tuple[list[datetime], tuple[Message, ...]]:
        """Every message once, by the time it was written."""
        rows: list[int] = []
        for one in self.conversation.generations:
            copies = set(one.copy_ids)
            rows += (row for row in one.row_ids if row not in copies)
        dated = [(m.row.timestamp, m) for m in self.messages(rows) if m.row and m.row.timestamp]
        dated.sort(key=lambda pair: pair[0])
        return [at for at, _ in dated], tuple(message for _, message in dated)

    @cached_property
    def summaries(self) -> tuple[tuple[Message, SummaryMatch], ...]:
        """Summaries in the live transcript."""
        found = ((m, find_summary(m.text)) for m in self.live if m.role in ("user", "assistant"))
        return tuple((message, match) for message, match in found if match is not None)

    @property
    def boundaries(self) -> tuple[BoundaryRows, ...]:
        """Compactions as rows show them."""
        return self.context.boundaries

    @cached_property
    def newest_retention(self) -> Retention | None:
        """What the newest summary kept of the messages it replaced; None when either is not on disk."""
        for rows in reversed(self.boundaries):
            if rows.summary is not None and rows.before and not rows.summary.fallback:
                messages, cut = self.messages(rows.before), self._cut(rows)
                found = (find_summary(message.text) for message in messages[: cut.end])
                previous = next((match.body for match in found if match is not None), None)
                earlier = self._earlier(rows)
                return retention_of(messages, cut, rows.summary.body, previous=previous, earlier=earlier)
        return None

    def _earlier(self, rows: BoundaryRows) -> tuple[Message, ...]:
        """Everything said before a compaction: a summary may still speak of what an earlier one took out."""
        past = (one for one in self.conversation.generations if one.index < rows.opened.index)
        return tuple(self.messages(list(dict.fromkeys(row for one in past for row in one.row_ids))))

    def middle(self, rows: BoundaryRows) -> tuple[Message, ...]:
        """The messages a summary replaced: what lies between the copied head and the copied tail."""
        cut = self._cut(rows)
        return self.messages(rows.before[cut.start : cut.end])

    def _cut(self, rows: BoundaryRows) -> Span:
        head = rows.boundary.head_rows
        tail = len(rows.after) - head - (rows.boundary.summary_row is not None) + rows.boundary.merged
        return Span(head, max(head, len(rows.before) - tail))

    @cached_property
    def plan(self) -> Plan:
        """What a compaction would do now."""
        return plan_messages(self.live, self.policy, self.context.settings_in_force)

    def lines(self, *kinds: Kind) -> tuple[LogRecord, ...]:
        """Log lines of these kinds about this conversation, oldest first."""
        return tuple(record for record in self._own_lines if record.kind in kinds)

    @cached_property
    def _own_lines(self) -> tuple[LogRecord, ...]:
        """A line that names no session may be any conversation's, where there are several."""
        own, alone = about(self.log, self.context.sessions), self._alone
        return tuple(
            record
            for record in self.log.records
            if own(record) or (record.session is None and (alone or record.kind in _OF_THE_HOME))
        )

    @property
    def _alone(self) -> bool:
        """The database holds no other conversation."""
        (sessions,) = self.store.connection.execute("SELECT count(*) FROM sessions").fetchone()
        return int(sessions) == len(self.context.sessions)


def case_of(context: ConversationContext, explanation: Explanation, now: datetime | None = None) -> Case:
    """A case for the rules; `now` defaults to this moment."""
    return Case(context, explanation, now or datetime.now(UTC))


_LEAST, _MOST = 0.01, 0.99
_REFUSED = (Trigger.OVERFLOW, Trigger.PAYLOAD_TOO_LARGE, Trigger.LONG_CONTEXT_TIER)


def to_fire_earlier(case: Case) -> str:
    """What would lower the threshold."""
    if case.policy.threshold.absolute_cap:
        return "Set compression.threshold_tokens in config.yaml"
    if case.limits is not None and not moves(case, _LEAST):
        return f"Set a lower model.context_length in config.yaml ({case.limits.percent:.0%} is the least)"
    return "Set a lower compression.threshold in config.yaml"


def to_fire_later(case: Case) -> str:
    """What would raise the threshold."""
    settings = case.context.settings(None, case.tip, case.window)
    if case.threshold is not None and case.threshold == settings.threshold_cap:
        return "Raise compression.threshold_tokens in config.yaml"
    if case.threshold is not None and case.threshold == settings.aux_window:
        return "Set auxiliary.compression.model to one with a longer window"
    if case.limits is not None and not moves(case, _MOST):
        return "Take a model with a longer window, as no compression.threshold is higher here"
    return "Raise compression.threshold in config.yaml"


def to_fire_less(case: Case, events: Iterable[CompressionEvent]) -> str:
    """What would have spared some compactions."""
    if any(event.trigger in _REFUSED for event in events):
        return "The provider refused what was sent: set model.context_length to what it serves"
    return to_fire_later(case)


def moves(case: Case, share: float = _MOST) -> bool:
    """Another compression.threshold would be another threshold, whatever floors and caps there are."""
    if case.window is None:
        return False
    settings = replace(case.context.settings(None, case.tip, case.window), threshold=share)
    return budgets(settings, case.policy, case.window).threshold != case.threshold
