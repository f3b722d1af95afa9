"""What applying a compaction to a database would do, did, and can take back."""

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
    """A new session stands beside the old one, which stays as it is."""


class GuardState(StrEnum):
    """Outcome of one check."""

    PASSED = "passed"
    NOTED = "noted"
    """Nothing stands in the way, but the reader should know."""
    FORCED = "forced"
    """Would refuse, but the user said to go on."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class GuardResult:
    """One line of the checklist before writing.

    Attributes:
        name: `lock`, `turn`, `writer`, `activity`, `unchanged`, `complete`, `schema`, `pause`, `writable`,
            `room`, `integrity`.
        text: What was found, one sentence.
        forceable: The user may go on regardless.
    """

    name: str
    state: GuardState
    text: str
    forceable: bool = False


@dataclass(frozen=True, slots=True)
class NewRow:
    """One row that would be inserted.

    Attributes:
        position: 0-based place in the new transcript.
        source_row: The stored row it is a copy of; None for a row that is new.
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
        target_id: The session that holds the new rows: the same one, or one that would be made.
        archived: Rows that leave the transcript because they are summarised, or copied at its head.
        superseded: Rows that leave it because the new tail repeats them (0.22 tells the two apart).
        changes: Columns of `session_id` that would change.
        new_session: Columns of the session that would be made; empty in place.
        before: The live messages the compaction was made from, in order.
        after: The messages that must be loaded afterwards, in order.
        verified: The same statements ran on a private copy and gave exactly `after`.
        seconds: Processor time they took there, which is about how long the database will be locked; None
            when they were not tried.
        call: The call to a model that wrote the summary; None where none did.
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
        undo_id: Names the journal entry that takes it back.
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
    """Where an operation stands, as the journal knows it."""

    PENDING = "pending"
    """Recorded, not yet known to be committed."""
    APPLIED = "applied"
    UNDONE = "undone"
    ABANDONED = "abandoned"
    """Recorded, but never reached the database."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One operation in the journal, without its rows.

    Attributes:
        call: The call to a model that wrote the summary; None where none did, or it was not noted yet.
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
