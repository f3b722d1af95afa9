"""Conversations: the sessions of a thread, the generations inside them, and the family around them."""

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


@dataclass(frozen=True, slots=True)
class OwnCompaction:
    """A compaction that this program wrote, and nobody took back.

    Attributes:
        id: Its entry in the journal.
        at: When it was written.
        rows: The messages it wrote.
        model: What wrote its summary; None where it was written without a model.
    """

    id: str
    at: datetime
    rows: frozenset[int]
    model: str | None


@dataclass(frozen=True, slots=True)
class Boundary:
    """The compaction that began a generation, as far as rows alone can tell.

    Attributes:
        at: Time of the commit; None when no row says.
        summary_row: Row id of the summary that replaced the middle, None when there is none.
        head_rows: Leading rows of the new generation that are copies of the previous one's start.
        tail_rows: Rows after the summary that are copies of the previous generation's end.
        merged: The summary shares its row with a message of the tail.
        taken_back: Row ids of further copies behind those, which the user has taken back since.
        own: What our journal says of it, where this program wrote it.
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


@dataclass(frozen=True, slots=True)
class Generation:
    """The messages between two compactions, as the model saw them.

    Attributes:
        index: 1-based over the whole conversation.
        session_id: The session whose rows these are.
        row_ids: Rows in the order the release loads them, copies included.
        copies: How many of `row_ids` restate rows of an earlier generation; they count once.
        boundary: The compaction that began it; None for the first.
        copy_ids: Which of `row_ids` those copies are.
        unseen: Which of `row_ids` the compaction that closed it was not given, though they were stored by
            then; None where nothing tells.
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
        """Positions of the rows that the compaction which began it stored again."""
        boundary = self.boundary
        if boundary is None:
            return frozenset()
        at = boundary.head_rows
        if boundary.summary_row in self.row_ids:
            at = self.row_ids.index(boundary.summary_row) + (not boundary.merged)
        return frozenset((*range(boundary.head_rows), *range(at, at + boundary.tail_rows)))

    def grew_to(self, other: Generation) -> bool:
        """Whether another is this one read later: begun alike, with the same messages and perhaps more."""
        began, also = (self.index, self.session_id), (other.index, other.session_id)
        alike = began == also and self.boundary == other.boundary
        return alike and other.row_ids[: len(self.row_ids)] == self.row_ids


@dataclass(frozen=True, slots=True)
class Conversation(Thread):
    """A logical thread: a session, its compression continuations, and the generations inside them.

    Attributes:
        sessions: Root first, tip last; continuations only.
        generations: Oldest first over all sessions; never empty unless there are no messages.
        resume_target: The session `hermes --resume` would open, with the reason.
        rewound: Row ids the user took back.
        notes: Facts about damage or guesswork a view should show.
        first_words: What its user said first, where nobody gave it a title.
        lost_tail: Row ids of its newest session that a partial compression was to keep, and lost.
        forks: Each session of its family that several continue, with those.
    """

    sessions: tuple[Session, ...]
    generations: tuple[Generation, ...]
    resume_target: str
    resume_reason: str = ""
    rewound: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    first_words: str = ""
    lost_tail: tuple[int, ...] = ()
    forks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What to call it: its title, else how it began, else the id of its newest session."""
        return self.title or self.first_words or self.tip.id

    @property
    def newest_rows(self) -> tuple[int, ...]:
        """The rows of its newest generation; none in a conversation without messages."""
        return self.generations[-1].row_ids if self.generations else ()


@dataclass(frozen=True, slots=True)
class ChainNode:
    """One session in a lineage tree.

    Attributes:
        lost: Its first generation follows a compaction whose rows are gone.
        beside: Its calls beside the main loop, such as summaries; the session's own figures leave them out.
        lower_bound: What it used and cost is at least what is on record.
    """

    session: Session
    kind: Kind
    parent_id: str | None
    depth: int
    generations: int | None = None
    lost: bool = False
    orphan: bool = False
    beside: tuple[UsageRow, ...] = ()
    lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """The family of a session: continuations, branches and delegates, parents before children."""

    root: str
    tip: str
    resume_target: str
    resume_reason: str
    nodes: tuple[ChainNode, ...]
    findings: tuple[str, ...] = ()

    @property
    def compactions(self) -> int:
        """How many of its sessions a compaction began, and how many happened inside them."""
        inside = sum(node.generations - 1 for node in self.nodes if node.generations)
        return inside + sum(node.kind is Kind.CONTINUATION or node.lost for node in self.nodes)

    def subtree(self, place: int) -> tuple[ChainNode, ...]:
        """A node and everything that grew out of it."""
        top = self.nodes[place]
        return (top, *takewhile(lambda node: node.depth > top.depth, self.nodes[place + 1 :]))

    def spent_below(self) -> tuple[tuple[Buckets, Money], ...]:
        """What each node and everything that grew out of it spent, in one pass over the nodes."""
        found: list[tuple[Buckets, Money]] = []
        waiting: dict[int, tuple[Buckets, Money]] = {}
        for node in reversed(self.nodes):
            total = _both(spent((node,)), waiting.pop(node.depth + 1, _NOTHING))
            waiting[node.depth] = _both(total, waiting.get(node.depth, _NOTHING))
            found.append(total)
        return tuple(reversed(found))


def spent(nodes: Collection[ChainNode]) -> tuple[Buckets, Money]:
    """Tokens and recorded cost of sessions together, calls beside their main loops included."""
    booked: list[Session | UsageRow] = []
    for node in nodes:
        booked += (node.session, *node.beside)
    costs = [(one.recorded_cost.usd, bool(one.tokens.total)) for one in booked]
    costs += [(None, True) for node in nodes if node.lower_bound]
    return (
        reduce(add, (one.tokens for one in booked), Buckets()),
        reduce(add, (Money(usd, int(usd is None and used)) for usd, used in costs), Money()),
    )


_NOTHING = (Buckets(), Money())


def _both(one: tuple[Buckets, Money], other: tuple[Buckets, Money]) -> tuple[Buckets, Money]:
    return one[0] + other[0], one[1] + other[1]


class BoundaryMode(StrEnum):
    """How a compaction left the database."""

    IN_PLACE = "in_place"
    """Same session; old rows archived."""
    ROTATION = "rotation"
    """A continuation session was created."""
    REWRITE = "rewrite"
    """Same session; old rows destroyed."""
