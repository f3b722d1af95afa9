"""What can be written from the app, and the work of it. No widget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.hermes.policy.policy import load_policy
from core.model.compaction.apply import (
    Applied,
    ApplyMode,
    EntryState,
    GuardResult,
    GuardState,
    JournalEntry,
    Rehearsal,
)
from core.model.compaction.preview import Preview
from core.redact.text import redact_text
from core.store.database.locate import Location

if TYPE_CHECKING:
    from core.store.store import Store


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that can be written to one session, reviewed first and taken back later.

    Attributes:
        heading: What it is, for the title.
        rehearse: From an open database and a mode (None as the release does) to the exact rows.
        modes: How it may be written.
        sizes: Figures before and after, with their labels.
        said: What is said once it is written.
        failure: Why no model wrote the summary that was asked of one; what was made by rule stands in its
            place, and is written only when the user says so by name. Empty otherwise.
    """

    session_id: str
    heading: str
    rehearse: Callable[[Store, ApplyMode | None], Rehearsal]
    modes: tuple[ApplyMode, ...]
    sizes: tuple[tuple[str, str], ...]
    said: tuple[str, ...]
    failure: str = ""

    @property
    def confirmation(self) -> str:
        """What the user types before it is written."""
        short = short_id(self.session_id)
        return f"fallback {short}" if self.failure else short


def compaction(session_id: str, preview: Preview) -> Proposal:
    """What a preview shows, written, and told as Hermes words it; its size is that of our words."""
    from core.compress.assembly.feedback import token_line

    def rehearsed(store: Store, mode: ApplyMode | None) -> Rehearsal:
        from core.apply.rehearse import rehearse

        return rehearse(store, session_id, preview, mode)

    said, written = preview.feedback, preview.written_tokens
    size = preview.after_tokens if written is None else written
    line = token_line(preview.before_tokens, size, load_policy(preview.plan.release).feedback)
    return Proposal(
        session_id,
        "Apply the compaction",
        rehearsed,
        tuple(ApplyMode),
        (("tokens", f"~{preview.before_tokens:,} → ~{size:,}"),),
        tuple(text for text in (said.headline, line, said.note) if text),
        redact_text(preview.failure or ""),
    )


def repair(session_id: str) -> Proposal:
    """The turns that a partial compression lost, put back."""

    def rehearsed(store: Store, mode: ApplyMode | None) -> Rehearsal:
        from core.apply.rehearse import rehearse_repair

        return rehearse_repair(store, session_id)

    return Proposal(
        session_id,
        "Put the lost turns back",
        rehearsed,
        (ApplyMode.IN_PLACE,),
        (),
        ("The turns that were to be kept are back, before what was said since.",),
    )


@dataclass(frozen=True, slots=True)
class Review:
    """The exact rows, and everything that may stand against writing them."""

    rehearsal: Rehearsal
    guards: tuple[GuardResult, ...]

    @property
    def refused(self) -> bool:
        """A guard stands in the way."""
        return any(guard.state is GuardState.REFUSED for guard in self.guards)


def short_id(session_id: str) -> str:
    """The end of a session's id, which the user types to confirm."""
    return session_id.rsplit("_", 1)[-1][-8:]


def next_mode(modes: tuple[ApplyMode, ...], mode: ApplyMode) -> ApplyMode:
    """The mode behind this one, round and round."""
    return modes[(modes.index(mode) + 1) % len(modes)]


def examine(
    location: Location, proposal: Proposal, mode: ApplyMode | None, told: Callable[[str], None]
) -> Review:
    """Rehearse on a private copy and go through the checklist; nothing is changed.

    Raises:
        InspectorError: There is nothing to write, or not in this mode.
    """
    from core.apply.checks.guards import check_guards
    from core.store.store import Store

    with Store(location) as store:
        told("rehearse")
        rehearsal = proposal.rehearse(store, mode)
        return Review(rehearsal, check_guards(store, rehearsal, progress=told))


def carry_out(review: Review, told: Callable[[str], None]) -> Applied:
    """Write what was reviewed.

    Raises:
        DatabaseError: Something refuses, or the write failed; nothing was changed.
    """
    from core.apply.execute import execute
    from core.apply.journal import journal_of

    return execute(review.rehearsal, journal_of(review.rehearsal.database), progress=told)


def newest_write(location: Location, sessions: Iterable[str] | None = None) -> JournalEntry | None:
    """The newest operation on these sessions, or on any, that can be taken back; None without one."""
    from core.apply.journal import journal_of

    known = None if sessions is None else set(sessions)
    here = location.db.resolve()
    return next(
        (
            entry
            for entry in journal_of(location.db).entries()
            if entry.state is EntryState.APPLIED
            and entry.database.resolve() == here
            and (known is None or known & {entry.session_id, entry.target_id})
        ),
        None,
    )


def take_back(database: Path, undo_id: str) -> JournalEntry:
    """Put back what an operation replaced.

    Raises:
        DatabaseError: Hermes has gone on since.
    """
    from core.apply.journal import journal_of
    from core.apply.undo import undo

    return undo(journal_of(database), undo_id)
