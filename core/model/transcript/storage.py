"""What a session database holds besides sessions and messages: previews, hits, locks, health."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from core.model.accounting.amounts import Buckets, Cost, recorded
from core.model.transcript.message import RowState


@dataclass(frozen=True, slots=True)
class RowPreview:
    """As much of a stored message as one line of a list shows.

    Attributes:
        text: The first characters, decoded. Untrusted.
        size: Bytes of content and tool calls as stored.
        tool_name: The tool a result comes from, or the first tool an assistant calls.
        calls: How many calls an assistant makes.
        images: The content holds images, as far as its first characters show.
    """

    id: int
    session_id: str
    role: str
    text: str
    size: int
    state: RowState
    timestamp: datetime | None = None
    tool_name: str | None = None
    calls: int = 0
    is_summary: bool = False
    images: bool = False
    damage: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One message that matches.

    Attributes:
        excerpt: Text around the match, on one line. Untrusted.
    """

    row_id: int
    session_id: str
    role: str
    excerpt: str
    timestamp: datetime | None
    state: RowState


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    Attributes:
        partial: Not everything was searched, or more than the limit matched.
        how: `full-text index`, `trigram index` or `scan`.
    """

    hits: tuple[SearchHit, ...]
    partial: bool
    how: str


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What one session spent on one route for one task (`session_model_usage`).

    Attributes:
        task: Empty for the main loop, else `compression`, `vision`, `title_generation`, ...
    """

    session_id: str
    model: str
    provider: str
    base_url: str
    task: str
    calls: int | None
    tokens: Buckets
    estimated_cost: Cost
    actual_cost: Cost
    first_seen: datetime | None = None
    last_seen: datetime | None = None

    @property
    def recorded_cost(self) -> Cost:
        """What it cost according to Hermes."""
        return recorded(self.actual_cost, self.estimated_cost, self.tokens)


@dataclass(frozen=True, slots=True)
class ToolPin:
    """The tool schemas a session last sent, and the Hermes version that sent them (0.22)."""

    version: str | None
    tools: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Lease:
    """A claim on a session: a compression lock or a running turn.

    Attributes:
        kind: `compression` or `turn`.
        key: Session id, or conversation id for a turn.
        pid: Process id, if the holder names one.
    """

    kind: str
    key: str
    holder: str
    pid: int | None
    acquired_at: datetime | None
    expires_at: datetime | None

    def lasts(self, moment: datetime) -> bool:
        """Whether it has not run out at a moment."""
        return self.expires_at is None or self.expires_at > moment


@dataclass(frozen=True, slots=True)
class Routing:
    """A gateway chat and its current session.

    Attributes:
        last_prompt_tokens: The size of its last prompt as the gateway recorded it.
    """

    key: str
    session_id: str | None
    last_prompt_tokens: int | None


@dataclass(frozen=True, slots=True)
class TableSize:
    """How many rows a table holds; None when a damaged page prevents counting."""

    name: str
    rows: int | None


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """The result of examining a database without changing it.

    Attributes:
        size, wal_size: Bytes of the file and of its write-ahead log; None without a log.
        mode: Permission bits of the file, `0o600`; None where the system has none.
        free_bytes: Space inside the file that no row uses.
        integrity: `ok`, the first complaints, or None when not asked for.
        damage: How many sessions hold something that cannot be decoded, by kind.
        unreadable: What is wrong with each table that cannot be read whole, by name.
        notes: What a reader should know, one sentence each.
    """

    path: Path
    size: int
    wal_size: int | None
    journal_mode: str
    schema_version: int | None
    page_size: int
    mode: int | None
    free_bytes: int
    sessions: int | None
    messages: int | None
    full_text: str
    tables: tuple[TableSize, ...] = ()
    leases: tuple[Lease, ...] = ()
    integrity: str | None = None
    foreign_key_errors: int | None = None
    damage: dict[str, int] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
