"""What applying a compaction to a database would do, what it did, and how that is undone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.model.compaction.preview import SummaryCall
from core.model.transcript.message import Message


class ApplyMode(StrEnum):
    """How a compaction is written."""

    IN_PLACE = "in-place"
    """Same session; the old rows are archived (Hermes 0.18 and later)."""
    CONTINUATION = "continuation"
    """A new session continues the old one, which is closed."""
    FORK = "fork"
    """A new session is created beside the old one, which stays unchanged."""


class GuardState(StrEnum):
    """Outcome of one check."""

    PASSED = "passed"
    NOTED = "noted"
    """Nothing prevents the write, but the user should know."""
    FORCED = "forced"
    """The check refuses, but the user forced it."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class GuardResult:
    """One line of the checklist before writing.

    Attributes:
        name: `lock`, `turn`, `writer`, `activity`, `unchanged`, `complete`, `schema`, `pause`, `writable`,
            `room`, `integrity`.
        text: What was found, in one sentence.
        forceable: The user may continue anyway.
    """

    name: str
    state: GuardState
    text: str
    forceable: bool = False


@dataclass(frozen=True, slots=True)
class NewRow:
    """One row that would be inserted.

    Attributes:
        position: Its position in the new transcript, from 0.
        source_row: The stored row it is a copy of; None for a new row.
        values: Columns in which the copy differs from its source; for a new row, all of them.
    """

    position: int
    source_row: int | None
    is_summary: bool
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """One column of a session that would change."""

    column: str
    new: Any


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A compaction as the exact rows it would write.

    Attributes:
        session_id: The session whose live rows are compacted.
        target_id: The session that will hold the new rows: the same one, or one to be created.
        archived: Rows that leave the transcript because they are summarised, or copied at its head.
        superseded: Rows that leave it because the new tail repeats them (0.22 distinguishes the two).
        changes: Columns of `session_id` that would change.
        new_session: Columns of the session to be created; empty in place.
        before: The live messages the compaction was made from, in order.
        after: The messages that must be loaded afterwards, in order.
        verified: The same statements ran on a private copy and gave exactly `after`.
        seconds: Processor time they took there, which is about how long the database will be locked; None
            when they were not tried.
        call: The model call that wrote the summary; None if no model did.
    """

    database: Path
    mode: ApplyMode
    session_id: str
    target_id: str
    archived: tuple[int, ...]
    superseded: tuple[int, ...]
    inserted: tuple[NewRow, ...]
    changes: tuple[ColumnChange, ...]
    new_session: dict[str, Any]
    before: tuple[Message, ...]
    after: tuple[Message, ...]
    verified: bool = False
    seconds: float | None = None
    call: SummaryCall | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """A compaction that was written.

    Attributes:
        undo_id: The journal entry that undoes it.
        seconds: How long the database was locked for others.
    """

    undo_id: str
    database: Path
    mode: ApplyMode
    session_id: str
    target_id: str
    inserted: tuple[int, ...]
    seconds: float


class EntryState(StrEnum):
    """The state of an operation, according to the journal."""

    PENDING = "pending"
    """Recorded, not yet known to be committed."""
    APPLIED = "applied"
    UNDONE = "undone"
    ABANDONED = "abandoned"
    """Recorded, but never written to the database."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One operation in the journal, without its rows.

    Attributes:
        call: The model call that wrote the summary; None if no model did, or it was not recorded yet.
    """

    id: str
    at: datetime
    state: EntryState
    database: Path
    session_id: str
    target_id: str
    mode: ApplyMode
    replaced: int
    written: int
    size: int
    call: SummaryCall | None = None
