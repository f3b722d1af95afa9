"""Sessions, the generations inside them, and the conversations they form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from core.model.evidence import Evidence
from core.model.tokens import Buckets, Cost


class Kind(StrEnum):
    """What a session is to its parent."""

    MAIN = "main"
    CONTINUATION = "continuation"
    BRANCH = "branch"
    DELEGATE = "delegate"


class BoundaryMode(StrEnum):
    """How a compaction left the database."""

    IN_PLACE = "in_place"
    """Same session; old rows archived."""
    ROTATION = "rotation"
    """A continuation session was created."""
    REWRITE = "rewrite"
    """Same session; old rows destroyed."""


@dataclass(frozen=True, slots=True)
class Guards:
    """Columns of a session that can stop automatic compression; None where the column does not exist."""

    cooldown_until: datetime | None = None
    failure_error: str | None = None
    fallback_streak: int | None = None
    ineffective_count: int | None = None
    recovery_deadline: datetime | None = None
    overload_streak: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One row of `sessions`. None means the row or the schema does not say.

    Attributes:
        database: The file it was read from.
        messages: `message_count` as stored: live rows only after an in-place compaction.
        last_active: Newest of the times the row itself carries; of an open session whose row says no more
            than its start (before 0.22), the time of its newest message.
        system_prompt_hash: Key into `system_prompts` (0.22), else None and the text is in the row.
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
    cwd: str | None = None
    profile: str | None = None
    rewind_count: int | None = None
    archived: bool | None = None
    guards: Guards = field(default_factory=Guards)
    system_prompt_hash: str | None = None
    tools_hash: str | None = None
    damage: tuple[str, ...] = ()

    @property
    def recorded_cost(self) -> Cost:
        """What Hermes says it cost: the actual amount where a provider reported one, else its estimate.

        Tokens that cost nothing were not priced, unless a subscription includes them.
        """
        cost = self.actual_cost if self.actual_cost.usd else self.estimated_cost
        free = cost.status == "included" or not self.tokens.total
        return cost if cost.usd or free else replace(cost, usd=None)


@dataclass(frozen=True, slots=True)
class Boundary:
    """The compaction that began a generation, as far as rows alone can tell.

    Attributes:
        at: Time of the commit; None when no row says.
        summary_row: Row id of the summary that replaced the middle, None when there is none.
        head_rows: Leading rows of the new generation that are copies of the previous one's start.
        tail_rows: Rows after the summary that are copies of the previous generation's end.
        merged: The summary shares its row with a message of the tail.
    """

    mode: BoundaryMode
    at: datetime | None = None
    summary_row: int | None = None
    head_rows: int = 0
    tail_rows: int = 0
    merged: bool = False
    evidence: tuple[Evidence, ...] = ()


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
    """

    index: int
    session_id: str
    row_ids: tuple[int, ...]
    copies: int = 0
    boundary: Boundary | None = None
    copy_ids: tuple[int, ...] = ()

    @property
    def fresh(self) -> int:
        """Messages that first appeared in this generation."""
        return len(self.row_ids) - self.copies


@dataclass(frozen=True, slots=True)
class Conversation:
    """A logical thread: a session, its compression continuations, and the generations inside them.

    Attributes:
        sessions: Root first, tip last; continuations only.
        generations: Oldest first over all sessions; never empty unless there are no messages.
        resume_target: The session `hermes --resume` would open, with the reason.
        rewound: Row ids the user took back.
        notes: Facts about damage or guesswork a view should show.
    """

    sessions: tuple[Session, ...]
    generations: tuple[Generation, ...]
    resume_target: str
    resume_reason: str = ""
    rewound: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def root(self) -> Session:
        """The first session of the thread."""
        return self.sessions[0]

    @property
    def tip(self) -> Session:
        """The session that carries the thread on."""
        return self.sessions[-1]

    @property
    def title(self) -> str | None:
        """The newest title any session of the thread carries."""
        return next((s.title for s in reversed(self.sessions) if s.title), None)


@dataclass(frozen=True, slots=True)
class ChainNode:
    """One session in a lineage tree."""

    session: Session
    kind: Kind
    parent_id: str | None
    depth: int
    generations: int | None = None
    orphan: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """The family of a session: continuations, branches and delegates, parents before children."""

    root: str
    tip: str
    resume_target: str
    resume_reason: str
    nodes: tuple[ChainNode, ...]
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One line of the session list: a conversation without its messages."""

    sessions: tuple[Session, ...]
    kind: Kind
    tokens: Buckets
    cost: Cost
    delegates: int = 0
    branches: int = 0
    generations: int | None = None
    lower_bound: bool = False

    @property
    def root(self) -> Session:
        """The first session of the thread."""
        return self.sessions[0]

    @property
    def tip(self) -> Session:
        """The session that carries the thread on."""
        return self.sessions[-1]

    @property
    def title(self) -> str | None:
        """The newest title any session of the thread carries."""
        return next((s.title for s in reversed(self.sessions) if s.title), None)
