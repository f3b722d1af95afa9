"""Pages of the lists of conversations and sessions, which need no message read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from core.model.accounting.amounts import Buckets, Cost
from core.model.transcript.session import Kind, Session, Thread

NAME_CHARS = 80
"""Characters of what a user said first that name a conversation without a title."""


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a list should hold.

    Attributes:
        limit: Most rows wanted; None for all.
        since: Only what was active at or after this time.
        sort: One of `core.store.conversations.sort_order.SORTS`.
        text: Only where this stands in an id, title, model, source or folder; case does not matter.
        kinds: Only conversations whose root is one of these; None for all. A list of sessions does not ask.
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
        """When anything last happened in it."""
        times = [one.last_active for one in self.sessions if one.last_active is not None]
        return max(times, default=None)

    @property
    def messages(self) -> int | None:
        """The live messages of all its sessions."""
        return _sum(one.messages for one in self.sessions)

    @property
    def calls(self) -> int | None:
        """The model calls of all its sessions."""
        return _sum(one.api_calls for one in self.sessions)

    @property
    def usd(self) -> Decimal | None:
        """Its money."""
        return self.cost.usd


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """A page of the conversation list.

    Attributes:
        rows: The conversations asked for, in the order asked for.
        total: How many match without the limit.
    """

    rows: tuple[ConversationRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One session and its place in its conversation.

    Attributes:
        root, tip: First and last session of the conversation it belongs to.
        position: 0-based place in it, root first.
        sessions: How many sessions the conversation has.
        lower_bound: What it used and cost is at least what is on record.
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
