"""What rules examine: a conversation or a database, with everything known about it, read on demand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from core.account.pricing.price_book import open_book
from core.account.spending.ledger import collect
from core.compress.messages.kinds import FAILED_TURN
from core.compress.planning.plan import plan_messages
from core.compress.sizing.threshold import Budgets, budgets
from core.errors import NotFoundError
from core.explain.context.log.log_claims import about
from core.explain.context.past_compaction import past_of
from core.explain.prompt_cache import cache_of
from core.hermes.log.record import Kind, LogRecord
from core.hermes.markers.markers import SummaryMatch, find_summary
from core.model.compaction.event import CompressionEvent, Trigger
from core.model.compaction.plan import Plan
from core.model.transcript.conversation import BoundaryMode

if TYPE_CHECKING:
    from core.account.pricing.price_book import PriceBook
    from core.explain.context.context import ConversationContext
    from core.hermes.policy.policy import Policy
    from core.model.accounting.ledger import Ledger
    from core.model.accounting.prompt_cache import CacheReport
    from core.model.compaction.plan import Settings
    from core.model.compaction.preview import Retention
    from core.model.transcript.conversation import Conversation
    from core.model.transcript.message import Message
    from core.model.transcript.session import Session
    from core.model.transcript.storage import StoreHealth, UsageRow
    from core.store.store import Store


_HIGHEST = 0.99
"""The highest value of compression.threshold."""
_OF_THE_HOME = (Kind.AUX_LOWERED,)
"""Kinds of line about the home's configuration, written once when a process starts."""


@dataclass(frozen=True)
class Case:
    """One conversation under examination.

    Attributes:
        cache: What its prompt cache did, if already known.
    """

    context: ConversationContext
    events: tuple[CompressionEvent, ...]
    now: datetime
    cache: CacheReport | None = None

    @property
    def store(self) -> Store:
        """The database."""
        return self.context.store

    @property
    def conversation(self) -> Conversation:
        """All sessions of the thread, told as one."""
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
    def settings(self) -> Settings:
        """The settings of its newest session by today's config, whatever log lines state."""
        return self.context.settings(None, self.tip, self.window)

    @property
    def limits(self) -> Budgets | None:
        """Threshold and budgets of the next request; None without a window."""
        return self.context.limits_in_force

    @property
    def threshold(self) -> int | None:
        """The size of a request from which compression fires."""
        return self.limits.threshold if self.limits is not None else None

    @property
    def live(self) -> tuple[Message, ...]:
        """The messages the next request will carry."""
        return self.context.newest_messages

    @cached_property
    def distinct_messages(self) -> tuple[Message, ...]:
        """Every message once, in order of the generations: without the copies that compactions made."""
        found: list[Message] = []
        for generation in self.conversation.generations:
            copies, messages = generation.copied, self.context.messages(generation.row_ids)
            found += (message for place, message in enumerate(messages) if place not in copies)
        return tuple(found)

    def between(self, start: datetime, end: datetime) -> tuple[Message, ...]:
        """The messages written between two moments."""
        times, messages = self._written
        return messages[bisect_left(times, start) : bisect_right(times, end)]

    @cached_property
    def _written(self) -> tuple[list[datetime], tuple[Message, ...]]:
        """The messages in the order of writing, with their times."""
        dated = [(m.row.timestamp, m) for m in self.distinct_messages if m.row and m.row.timestamp]
        dated.sort(key=lambda pair: pair[0])
        return [at for at, _ in dated], tuple(message for _, message in dated)

    @cached_property
    def summaries(self) -> tuple[tuple[Message, SummaryMatch], ...]:
        """Summaries in the live transcript."""
        found = ((m, find_summary(m.text)) for m in self.live if m.role in ("user", "assistant"))
        return tuple((message, match) for message, match in found if match is not None)

    @cached_property
    def newest_retention(self) -> tuple[Retention | None, CompressionEvent | None]:
        """What the newest summary by a model kept of what it replaced, and its event; None where unknown."""
        for rows in reversed(self.context.boundaries):
            if rows.summary is not None and rows.before and not rows.summary.fallback:
                past, closed = past_of(self.context, rows), rows.opened.index - 1
                event = next((event for event in self.completed if event.generation == closed), None)
                return past.kept(event, brief=True) if past else None, event
        return None, None

    @cached_property
    def plan(self) -> Plan:
        """What a compaction would do now."""
        return plan_messages(self.live, self.policy, self.context.settings_in_force)

    def lines(self, *kinds: Kind) -> tuple[LogRecord, ...]:
        """Log lines of these kinds about this conversation, oldest first."""
        return tuple(record for record in self._own_lines if record.kind in kinds)

    @cached_property
    def _own_lines(self) -> tuple[LogRecord, ...]:
        """The lines about this conversation; one without a session counts if it can be about no other."""
        own, alone = about(self.context.log, self.context.sessions), _is_alone(self.context)
        return tuple(
            record
            for record in self.context.log.records
            if own(record) or (record.session is None and (alone or record.kind in _OF_THE_HOME))
        )

    @cached_property
    def report(self) -> CacheReport:
        """What its prompt cache did."""
        return self.cache or cache_of(self.context, results=False, markers=False)

    @cached_property
    def usage(self) -> tuple[UsageRow, ...]:
        """Its usage by route and task."""
        return self.store.model_usage(list(self.context.sessions))

    @cached_property
    def ledger(self) -> Ledger:
        """What it spent by model, with costs at list prices."""
        session = self.conversation.root.id
        return collect([self.store], by="model", session=session, prices=self.prices).ledger()

    @cached_property
    def prices(self) -> PriceBook:
        """The price list with the user's own prices."""
        return open_book()

    @cached_property
    def answers(self) -> tuple[Message, ...]:
        """The model's answers, without summaries.

        What a branch took from its parent, or a retried turn wrote into several sessions, counts once; what
        came before a compaction whose rows are gone does not count.
        """
        rewritten = (one for one in self.context.boundaries if one.boundary.mode is BoundaryMode.REWRITE)
        older = {row for rows in rewritten for row in rows.after}
        of_parent = (message for message in self._parent if message.role == "assistant")
        inherited = Counter(map(_text_and_calls, of_parent))
        seen: set[tuple[str, ...]] = set()
        answers: list[Message] = []
        for message in self.distinct_messages:
            if message.role != "assistant" or message.wire.get("display_kind") == FAILED_TURN:
                continue
            texts = _text_and_calls(message)
            if texts[1] in seen or (message.row and message.row.id in older) or find_summary(message.text):
                continue
            seen |= {texts[1]} - {()}
            if inherited[texts]:
                inherited[texts] -= 1
            else:
                answers.append(message)
        return tuple(answers)

    @property
    def _parent(self) -> Iterator[Message]:
        """The messages of the session that this conversation branched off from."""
        parent = self.conversation.root.parent_id
        with suppress(NotFoundError):
            for generation in self.store.conversation(parent).generations if parent is not None else ():
                yield from self.store.generation_messages(generation)

    @property
    def calls(self) -> int:
        """Main-loop calls Hermes counted."""
        return sum(session.api_calls or 0 for session in self.conversation.sessions)


@dataclass(frozen=True)
class StoreCase:
    """A database under examination.

    Attributes:
        integrity: Whether SQLite's own check was asked for, which reads the whole file.
    """

    store: Store
    now: datetime
    integrity: bool = False

    @cached_property
    def health(self) -> StoreHealth:
        """Sizes, layout and damage."""
        return self.store.health(integrity=self.integrity)

    @cached_property
    def ledger(self) -> Ledger:
        """The usage of all sessions together, by model, with costs at list prices."""
        return collect([self.store], by="model", prices=open_book()).ledger()


def _is_alone(context: ConversationContext) -> bool:
    """Whether the database holds no other conversation."""
    ((sessions,),) = context.store.query("SELECT count(*) FROM sessions")
    return int(sessions) == len(context.sessions)


def _text_and_calls(message: Message) -> tuple[str, tuple[str, ...]]:
    return message.text, tuple(call.id for call in message.tool_calls)


def billed(session: Session) -> tuple[int | None, ...]:
    """The token buckets a provider bills."""
    tokens = session.tokens
    return tokens.input, tokens.cache_read, tokens.cache_write, tokens.output


def unbooked(case: Case) -> dict[str, list[str]]:
    """The models that answered by the log, in sessions that are booked on one model, as before 0.19."""
    booked = {row.session_id for row in case.usage}
    calls = [(one.session or "", one.model) for one in case.lines(Kind.CALL) if one.model]
    models = {session: {model for own, model in calls if own == session} for session, _ in calls}
    return {session: sorted(used) for session, used in models.items() if session not in booked}


def moves(case: Case, share: float = _HIGHEST) -> bool:
    """Whether another compression.threshold would change the threshold in spite of floors and caps."""
    if case.window is None:
        return False
    settings = replace(case.settings, threshold=share)
    return budgets(settings, case.policy, case.window).threshold != case.threshold


def passes(case: Case) -> int:
    """How many compactions removed messages; those that only shortened results removed none."""
    return sum(event.trigger is not Trigger.PRUNE for event in case.completed)
