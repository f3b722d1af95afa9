"""What the app can write, and the work of doing so. No widget."""

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
    """Something that can be written to one session, reviewed first and undone later.

    Attributes:
        heading: Title of the screen.
        rehearse: Makes the exact rows, from an open database and a mode (None: the release's own).
        modes: The ways it can be written.
        sizes: What the messages come to before and after, and with other words around the summary.
        said: What is shown once it is written.
        failure: Why the model that was asked wrote no summary. A fallback made by rule replaces it then, and
            is written only if the user confirms it by name. Empty otherwise.
        futile: What is written is as long as what it replaces, or longer.
    """

    session_id: str
    heading: str
    rehearse: Callable[[Store, ApplyMode | None], Rehearsal]
    modes: tuple[ApplyMode, ...]
    sizes: tuple[str, ...]
    said: tuple[str, ...]
    failure: str = ""
    futile: bool = False

    @property
    def confirmation(self) -> str:
        """What the user must type before it is written."""
        short = short_id(self.session_id)
        return f"fallback {short}" if self.failure else short


def compaction(session_id: str, preview: Preview) -> Proposal:
    """A preview as a proposal, in Hermes' words; its size includes the text we add to the summary."""
    from core.compress.assembly.feedback import token_line

    def rehearsed(store: Store, mode: ApplyMode | None) -> Rehearsal:
        from core.apply.rehearse import rehearse

        return rehearse(store, session_id, preview, mode)

    said, written = preview.feedback, preview.written_tokens
    size = preview.after_tokens if written is None else written
    sizes = [token_sizes(preview.before_tokens, size)]
    if size != preview.after_tokens:
        sizes.append(f"~{preview.after_tokens:,} with the text that Hermes itself puts around a summary")
    line = token_line(preview.before_tokens, size, load_policy(preview.plan.release).feedback)
    return Proposal(
        session_id,
        "Apply the compaction",
        rehearsed,
        tuple(ApplyMode),
        tuple(sizes),
        tuple(text for text in (said.headline, line, said.note) if text),
        redact_text(preview.failure or ""),
        futile=size >= preview.before_tokens,
    )


def token_sizes(before: int, after: int) -> str:
    """What the messages hold before and after, estimated."""
    return f"~{before:,} → ~{after:,} tokens in them"


def repair(session_id: str) -> Proposal:
    """The turns lost by a partial compression, as a proposal to put them back."""

    def rehearsed(store: Store, mode: ApplyMode | None) -> Rehearsal:
        from core.apply.rehearse import rehearse_repair

        return rehearse_repair(store, session_id)

    return Proposal(
        session_id,
        "Put the lost turns back",
        rehearsed,
        (ApplyMode.IN_PLACE,),
        (),
        ("The turns that should have been kept are back, before everything said since.",),
    )


@dataclass(frozen=True, slots=True)
class Review:
    """The exact rows, and the checks that may refuse them."""

    rehearsal: Rehearsal
    guards: tuple[GuardResult, ...]

    @property
    def refused(self) -> bool:
        """Whether a check refuses."""
        return any(guard.state is GuardState.REFUSED for guard in self.guards)


def short_id(session_id: str) -> str:
    """The end of a session's id, which the user types to confirm."""
    return session_id.rsplit("_", 1)[-1][-8:]


def next_mode(modes: tuple[ApplyMode, ...], mode: ApplyMode) -> ApplyMode:
    """The next mode; after the last comes the first."""
    return modes[(modes.index(mode) + 1) % len(modes)]


def examine(
    location: Location, proposal: Proposal, mode: ApplyMode | None, report: Callable[[str], None]
) -> Review:
    """Rehearse on a private copy and run the checks; nothing is changed.

    Raises:
        InspectorError: There is nothing to write, or not in this mode.
    """
    from core.apply.checks.guards import check_guards
    from core.store.store import Store

    with Store(location) as store:
        report("rehearse")
        rehearsal = proposal.rehearse(store, mode)
        return Review(rehearsal, check_guards(store, rehearsal, progress=report))


def carry_out(review: Review, report: Callable[[str], None]) -> Applied:
    """Write what was reviewed.

    Raises:
        DatabaseError: A check refused, or the write failed; nothing was changed.
    """
    from core.apply.execute import execute
    from core.apply.journal import journal_of

    return execute(review.rehearsal, journal_of(review.rehearsal.database), progress=report)


def newest_write(location: Location, sessions: Iterable[str] | None = None) -> JournalEntry | None:
    """The newest change to these sessions, or to any, that can be undone; None if there is none."""
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
    """Restore what a change replaced.

    Raises:
        DatabaseError: Hermes has continued since.
    """
    from core.apply.journal import journal_of
    from core.apply.undo import undo

    return undo(journal_of(database), undo_id)
