"""Conversations: the sessions of a thread, their generations, and the sessions related to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import reduce
from itertools import takewhile
from operator import add
from typing import TYPE_CHECKING

from core.model.accounting.amounts import Buckets, Money
from core.model.transcript.session import Kind, Session, Thread

if TYPE_CHECKING:
    from core.model.finding import Evidence
    from core.model.transcript.storage import UsageRow

_NOTHING = (Buckets(), Money())


@dataclass(frozen=True, slots=True)
class OwnCompaction:
    """A compaction that this program wrote and nobody undid.

    Attributes:
        id: Its entry in the journal.
        at: When it was written.
        rows: The messages it wrote.
        model: The model that wrote its summary; None if no model did.
    """

    id: str
    at: datetime
    rows: frozenset[int]
    model: str | None


@dataclass(frozen=True, slots=True)
class Boundary:
    """The compaction that began a generation, as far as the rows alone show it.

    Attributes:
        at: Time of the commit; None when no row says.
        summary_row: Row id of the summary that replaced the middle, None when there is none.
        head_rows: Leading rows of the new generation that are copies of the previous one's start.
        tail_rows: Rows after the summary that are copies of the previous generation's end.
        merged: The summary shares its row with a message of the tail.
        taken_back: Row ids of further copies after these, which the user has taken back since.
        own: What our journal says of it, if this program wrote its rows.
        same_size: It left as many rows as before and no other summary: if the home shortens old results, it
            did only that.
    """

    mode: BoundaryMode
    at: datetime | None = None
    summary_row: int | None = None
    head_rows: int = 0
    tail_rows: int = 0
    merged: bool = False
    taken_back: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    own: OwnCompaction | None = None
    same_size: bool = False


@dataclass(frozen=True, slots=True)
class Generation:
    """The messages between two compactions, as the model saw them.

    Attributes:
        index: Counted from 1 over the whole conversation.
        session_id: The session that holds these rows.
        row_ids: Rows in the order in which the release loads them, including copies.
        copies: How many of `row_ids` repeat rows of an earlier generation; those count once.
        boundary: The compaction that began it; None for the first.
        copy_ids: Which of `row_ids` are these copies.
        unseen: Which of `row_ids` the compaction that closed it was not given, although they were stored by
            then; None where unknown.
    """

    index: int
    session_id: str
    row_ids: tuple[int, ...]
    copies: int = 0
    boundary: Boundary | None = None
    copy_ids: tuple[int, ...] = ()
    unseen: frozenset[int] | None = frozenset()

    @property
    def fresh(self) -> int:
        """Messages that first appeared in this generation."""
        return len(self.row_ids) - self.copies

    @property
    def copied(self) -> frozenset[int]:
        """Positions of the rows that were stored again by the compaction which began it."""
        boundary = self.boundary
        if boundary is None:
            return frozenset()
        at = boundary.head_rows
        if boundary.summary_row in self.row_ids:
            at = self.row_ids.index(boundary.summary_row) + (not boundary.merged)
        return frozenset((*range(boundary.head_rows), *range(at, at + boundary.tail_rows)))

    def grew_to(self, other: Generation) -> bool:
        """Whether another is this one read later: same beginning, same messages and perhaps more."""
        began, also = (self.index, self.session_id), (other.index, other.session_id)
        alike = began == also and self.boundary == other.boundary
        return alike and other.row_ids[: len(self.row_ids)] == self.row_ids


@dataclass(frozen=True, slots=True)
class Conversation(Thread):
    """A logical thread: a session, its compression continuations, and the generations inside them.

    Attributes:
        sessions: Root first, tip last; continuations only.
        generations: Oldest first over all sessions; empty only without messages.
        resume_target: The session `hermes --resume` would open, with the reason.
        rewound: Row ids the user took back.
        notes: Damage or guesswork that a view should show.
        first_words: What its user said first, if it has no title.
        lost_tail: Row ids of its newest session that a partial compression should have kept but lost.
        lost_earlier: The same for each earlier one that another compaction has followed.
        forks: Sessions that several others continue, each with those others.
    """

    sessions: tuple[Session, ...]
    generations: tuple[Generation, ...]
    resume_target: str
    resume_reason: str = ""
    rewound: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    first_words: str = ""
    lost_tail: tuple[int, ...] = ()
    lost_earlier: tuple[tuple[int, ...], ...] = ()
    forks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name: the title, else how it began, else the id of its newest session."""
        return self.title or self.first_words or self.tip.id

    @property
    def tokens(self) -> Buckets:
        """What its sessions counted together, without calls outside their main loops."""
        return reduce(add, (session.tokens for session in self.sessions), Buckets())

    @property
    def newest_rows(self) -> tuple[int, ...]:
        """The rows of its newest generation; none in a conversation without messages."""
        return self.generations[-1].row_ids if self.generations else ()


@dataclass(frozen=True, slots=True)
class ChainNode:
    """One session in a lineage tree.

    Attributes:
        lost: Its first generation follows a compaction whose rows are gone.
        pruned: Generations that began when old results were shortened and nothing was summarised.
        beside: Calls outside its main loop, such as summaries; the session's own figures leave them out.
        lower_bound: Its recorded usage and cost are lower bounds.
    """

    session: Session
    kind: Kind
    parent_id: str | None
    depth: int
    generations: int | None = None
    lost: bool = False
    pruned: int = 0
    orphan: bool = False
    beside: tuple[UsageRow, ...] = ()
    lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """All sessions related to one: continuations, branches and sub-agents, parents before children."""

    root: str
    tip: str
    resume_target: str
    resume_reason: str
    nodes: tuple[ChainNode, ...]
    findings: tuple[str, ...] = ()

    @property
    def compactions(self) -> int:
        """How many compactions there were: inside sessions, between them, and into one deleted since."""
        inside = sum(node.generations - 1 - node.pruned for node in self.nodes if node.generations)
        continued = {node.parent_id for node in self.nodes if node.kind is Kind.CONTINUATION}
        ended = {node.session.id for node in self.nodes if node.session.end_reason == "compression"}
        between = sum(node.kind is Kind.CONTINUATION or node.lost for node in self.nodes)
        return inside + between + len(ended - continued)

    def subtree(self, place: int) -> tuple[ChainNode, ...]:
        """A node and all its descendants."""
        top = self.nodes[place]
        return (top, *takewhile(lambda node: node.depth > top.depth, self.nodes[place + 1 :]))

    def spent_below(self) -> tuple[tuple[Buckets, Money], ...]:
        """What each node spent together with its descendants, in one pass over the nodes."""
        found: list[tuple[Buckets, Money]] = []
        waiting: dict[int, tuple[Buckets, Money]] = {}
        for node in reversed(self.nodes):
            total = both(spent((node,)), waiting.pop(node.depth + 1, _NOTHING))
            waiting[node.depth] = both(total, waiting.get(node.depth, _NOTHING))
            found.append(total)
        return tuple(reversed(found))


def booked(nodes: Collection[ChainNode]) -> list[Session | UsageRow]:
    """Some sessions, each with its calls outside the main loop."""
    found: list[Session | UsageRow] = []
    for node in nodes:
        found += (node.session, *node.beside)
    return found


def spent(nodes: Collection[ChainNode]) -> tuple[Buckets, Money]:
    """Tokens and recorded cost of some sessions, including calls outside their main loops."""
    rows = booked(nodes)
    costs = [(one.recorded_cost.usd, bool(one.tokens.total)) for one in rows]
    costs += [(None, True) for node in nodes if node.lower_bound]
    return (
        reduce(add, (one.tokens for one in rows), Buckets()),
        reduce(add, (Money(usd, int(usd is None and used)) for usd, used in costs), Money()),
    )


def both(one: tuple[Buckets, Money], other: tuple[Buckets, Money]) -> tuple[Buckets, Money]:
    """Tokens and cost of one and of the other, added up."""
    return one[0] + other[0], one[1] + other[1]


class BoundaryMode(StrEnum):
    """How a compaction changed the database."""

    IN_PLACE = "in_place"
    """Same session; old rows archived."""
    ROTATION = "rotation"
    """A continuation session was created."""
    REWRITE = "rewrite"
    """Same session; old rows destroyed."""
