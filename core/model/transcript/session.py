"""Sessions as stored, one row each, and pages of session lists, for which no message is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path

from core.model.accounting.amounts import Buckets, Cost, recorded

NAME_CHARS = 80
"""How many characters of a user's first words name a conversation without a title."""
LONG_AGO = datetime.min.replace(tzinfo=UTC)
"""Sorts what has no time behind everything else, newest first."""


class Kind(StrEnum):
    """How a session is related to its parent."""

    MAIN = "main"
    CONTINUATION = "continuation"
    BRANCH = "branch"
    DELEGATE = "delegate"


@dataclass(frozen=True, slots=True)
class Guards:
    """Columns of a session that can stop automatic compression; None where the column does not exist."""

    cooldown_until: datetime | None = None
    failure_error: str | None = None
    fallback_streak: int | None = None
    ineffective_count: int | None = None
    recovery_deadline: datetime | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One row of `sessions`. None means that the row or the schema does not say.

    Attributes:
        messages: `message_count` as stored: live rows only after an in-place compaction.
        last_active: The newest time in the row; for an open session whose row only has its start (before
            0.22), the time of its newest message.
        system_prompt_hash: Key into `system_prompts` (0.22), else None and the text is in the row.
        auxiliary_usd: Cost of calls outside the main loop, such as summaries, which no column of the session
            includes.
        unpriced: Provider and address of such calls that no cost is recorded for.
        damage: What could not be decoded in this row, in words.
    """

    id: str
    database: Path
    source: str | None = None
    title: str | None = None
    model: str | None = None
    model_config: str | None = None
    provider: str | None = None
    base_url: str | None = None
    billing_mode: str | None = None
    parent_id: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    last_active: datetime | None = None
    end_reason: str | None = None
    messages: int | None = None
    tool_calls: int | None = None
    api_calls: int | None = None
    tokens: Buckets = field(default_factory=Buckets)
    estimated_cost: Cost = field(default_factory=Cost)
    actual_cost: Cost = field(default_factory=Cost)
    auxiliary_usd: Decimal | None = None
    unpriced: tuple[tuple[str, str], ...] = ()
    cwd: str | None = None
    guards: Guards = field(default_factory=Guards)
    system_prompt_hash: str | None = None
    tools_hash: str | None = None
    damage: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether nothing says that it ended."""
        return self.ended_at is None and not self.end_reason

    @property
    def recorded_cost(self) -> Cost:
        """What Hermes says its main loop cost."""
        return recorded(self.actual_cost, self.estimated_cost, self.tokens)

    @property
    def cost(self) -> Cost:
        """What Hermes says all its calls cost: the main loop's and the auxiliary ones."""
        main = self.recorded_cost
        return replace(main, usd=(main.usd or 0) + self.auxiliary_usd) if self.auxiliary_usd else main


class Thread:
    """What the sessions of a thread say of it, both for a whole thread and for a line of a list."""

    __slots__ = ()
    sessions: tuple[Session, ...]

    @property
    def root(self) -> Session:
        """The first session of the thread."""
        return self.sessions[0]

    @property
    def tip(self) -> Session:
        """The session that continues the thread."""
        return self.sessions[-1]

    @property
    def title(self) -> str | None:
        """The newest title of any of its sessions."""
        return next((session.title for session in reversed(self.sessions) if session.title), None)

    def named(self, said: Mapping[str, str]) -> str:
        """Its name in lists: the title, else what its user `said` first, by first session, else an id."""
        return self.title or said.get(self.root.id) or self.tip.id


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a list should hold.

    Attributes:
        limit: The most rows; None for all.
        since: Only what was active at or after this time.
        sort: One of `core.store.conversations.sort_order.SORTS`.
        text: Only rows with this text in id, title, model, source or folder; case does not matter.
        kinds: Only conversations whose root is one of these; None for all. Ignored in a list of sessions.
    """

    limit: int | None = None
    offset: int = 0
    since: datetime | None = None
    source: str | None = None
    sort: str = "last_active"
    text: str | None = None
    kinds: Collection[Kind] | None = None


EVERYTHING = ListQuery()


@dataclass(frozen=True, slots=True)
class ConversationRow(Thread):
    """One line of the session list: a conversation without its messages."""

    sessions: tuple[Session, ...]
    kind: Kind
    tokens: Buckets
    cost: Cost
    delegates: int = 0
    branches: int = 0
    lower_bound: bool = False

    @property
    def last_active(self) -> datetime | None:
        """The time of the latest activity in it."""
        times = [session.last_active for session in self.sessions if session.last_active is not None]
        return max(times, default=None)

    @property
    def messages(self) -> int | None:
        """The live messages of all its sessions."""
        return _sum(session.messages for session in self.sessions)

    @property
    def calls(self) -> int | None:
        """The model calls of all its sessions."""
        return _sum(session.api_calls for session in self.sessions)

    @property
    def usd(self) -> Decimal | None:
        """The total cost in US dollars; None without a price."""
        return self.cost.usd


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """A page of the conversation list.

    Attributes:
        rows: The conversations, in the requested order.
        total: How many match without the limit.
    """

    rows: tuple[ConversationRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One session and its place in its conversation.

    Attributes:
        root, tip: First and last session of its conversation.
        position: Its position there, from 0 for the root.
        sessions: How many sessions the conversation has.
        lower_bound: Its recorded usage and cost are lower bounds.
    """

    session: Session
    kind: Kind
    root: str
    tip: str
    position: int
    sessions: int
    lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of the session list; `total` counts without the limit."""

    rows: tuple[SessionEntry, ...]
    total: int
