"""What the rules look at: one conversation with everything known about it, read as rules ask for it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from core.account.spending.ledger import collect
from core.compress.planning.plan import plan_messages
from core.compress.retention.score import retention_of
from core.errors import NotFoundError
from core.explain.context.log.log_claims import about
from core.hermes.log.record import Kind, LogRecord
from core.hermes.markers.markers import SummaryMatch, find_summary
from core.model.compaction.event import CompressionEvent
from core.model.compaction.plan import Plan, Span

if TYPE_CHECKING:
    from core.account.pricing.price_book import PriceBook
    from core.compress.sizing.threshold import Budgets
    from core.explain.context.context import ConversationContext
    from core.explain.context.rows.boundary_rows import BoundaryRows
    from core.hermes.policy.policy import Policy
    from core.model.accounting.ledger import LedgerRow
    from core.model.accounting.prompt_cache import CacheReport
    from core.model.compaction.preview import Retention
    from core.model.transcript.conversation import Conversation
    from core.model.transcript.message import Message
    from core.model.transcript.session import Session
    from core.model.transcript.storage import UsageRow
    from core.store.store import Store


_OF_THE_HOME = (Kind.AUX_LOWERED,)
"""Said once when a process starts, of its configuration."""


@dataclass(frozen=True)
class Case:
    """One conversation under examination.

    Attributes:
        context: Its surroundings.
        events: Its compactions, completed and aborted.
        now: The moment it is examined at.
    """

    context: ConversationContext
    events: tuple[CompressionEvent, ...]
    now: datetime

    @property
    def store(self) -> Store:
        """The database."""
        return self.context.store

    @property
    def conversation(self) -> Conversation:
        """The thread."""
        return self.context.conversation

    @property
    def tip(self) -> Session:
        """Its newest session."""
        return self.conversation.tip

    @property
    def completed(self) -> tuple[CompressionEvent, ...]:
        """Its completed compactions."""
        return tuple(event for event in self.events if event.completed)

    @property
    def window(self) -> int | None:
        """The window in force."""
        return self.context.window.tokens

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
        dated = [(m.row.timestamp, m) for m in self.context.messages(rows) if m.row and m.row.timestamp]
        dated.sort(key=lambda pair: pair[0])
        return [at for at, _ in dated], tuple(message for _, message in dated)

    @cached_property
    def summaries(self) -> tuple[tuple[Message, SummaryMatch], ...]:
        """Summaries in the live transcript."""
        found = ((m, find_summary(m.text)) for m in self.live if m.role in ("user", "assistant"))
        return tuple((message, match) for message, match in found if match is not None)

    @cached_property
    def newest_retention(self) -> Retention | None:
        """What the newest summary kept of what it replaced, in brief; None when either is not on disk."""
        for rows in reversed(self.context.boundaries):
            if rows.summary is not None and rows.before and not rows.summary.fallback:
                messages, cut = self.context.messages(rows.before), self._cut(rows)
                found = (find_summary(message.text) for message in messages[: cut.end])
                previous = next((match.body for match in found if match is not None), None)
                earlier = self._earlier(rows)
                body = rows.summary.body
                return retention_of(messages, cut, body, previous=previous, earlier=earlier, brief=True)
        return None

    def _earlier(self, rows: BoundaryRows) -> tuple[Message, ...]:
        """Everything said before a compaction: a summary may still speak of what an earlier one took out."""
        past = (one for one in self.conversation.generations if one.index < rows.opened.index)
        return tuple(self.context.messages(list(dict.fromkeys(row for one in past for row in one.row_ids))))

    def middle(self, rows: BoundaryRows) -> tuple[Message, ...]:
        """The messages a summary replaced: what lies between the copied head and the copied tail."""
        cut = self._cut(rows)
        return self.context.messages(rows.before[cut.start : cut.end])

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
        own, alone = about(self.context.log, self.context.sessions), self._alone
        return tuple(
            record
            for record in self.context.log.records
            if own(record) or (record.session is None and (alone or record.kind in _OF_THE_HOME))
        )

    @property
    def _alone(self) -> bool:
        """The database holds no other conversation."""
        (sessions,) = self.store.connection.execute("SELECT count(*) FROM sessions").fetchone()
        return int(sessions) == len(self.context.sessions)


@dataclass(frozen=True)
class Account:
    """One conversation under examination, and what its prompt cache did."""

    context: ConversationContext
    report: CacheReport
    prices: PriceBook | None = None

    @property
    def session(self) -> str:
        """The session findings are filed under."""
        return self.context.conversation.root.id

    @cached_property
    def usage(self) -> tuple[UsageRow, ...]:
        """Its usage by route and task."""
        return self.context.store.model_usage([session.id for session in self.context.conversation.sessions])

    @cached_property
    def rows(self) -> tuple[LedgerRow, ...]:
        """Its ledger by model."""
        return (
            collect([self.context.store], by="model", session=self.session, prices=self.prices).ledger().rows
        )

    @cached_property
    def fresh(self) -> tuple[Message, ...]:
        """Every message once: copies made by compactions left out."""
        found: list[Message] = []
        for generation in self.context.conversation.generations:
            copies = generation.copied
            messages = self.context.messages(generation.row_ids)
            found += (message for place, message in enumerate(messages) if place not in copies)
        return tuple(found)

    @cached_property
    def answers(self) -> tuple[Message, ...]:
        """What the model answered.

        What a branch took from its parent, and what a retried turn wrote into several sessions, counts once.
        """
        inherited = Counter(_spoken(message) for message in self._parent if message.role == "assistant")
        seen: set[tuple[str, ...]] = set()
        answers: list[Message] = []
        for message in self.fresh:
            said = _spoken(message)
            if message.role != "assistant" or said[1] in seen:
                continue
            seen |= {said[1]} - {()}
            if inherited[said]:
                inherited[said] -= 1
            else:
                answers.append(message)
        return tuple(answers)

    @property
    def _parent(self) -> tuple[Message, ...]:
        """What the session had before it that this conversation branched from."""
        parent = self.context.conversation.root.parent_id
        try:
            generations = self.context.store.conversation(parent).generations if parent is not None else ()
        except NotFoundError:
            generations = ()
        return tuple(
            one for generation in generations for one in self.context.store.generation_messages(generation)
        )

    @property
    def calls(self) -> int:
        """Main-loop calls Hermes counted."""
        return sum(session.api_calls or 0 for session in self.context.conversation.sessions)


def _spoken(message: Message) -> tuple[str, tuple[str, ...]]:
    return message.text, tuple(call.id for call in message.tool_calls)


def billed(session: Session) -> tuple[int | None, ...]:
    """The buckets a provider bills."""
    tokens = session.tokens
    return tokens.input, tokens.cache_read, tokens.cache_write, tokens.output
