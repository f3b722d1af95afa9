"""What is shown before, while and after a compaction is written. No widget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.model.apply import Applied, ApplyMode, GuardResult, GuardState, JournalEntry, Rehearsal
from core.model.preview import Preview
from core.store.locate import Location
from inspector import format
from inspector.line import Line
from inspector.palette import Palette
from inspector.widgets.fields import field, paragraph

SIGNS = {
    GuardState.PASSED: ("✓", "severity-ok"),
    GuardState.NOTED: ("•", "ink-muted"),
    GuardState.FORCED: ("▲", "severity-warning"),
    GuardState.REFUSED: ("■", "severity-critical"),
}
MODES = {
    ApplyMode.IN_PLACE: "in place: the same session; what is summarised stays archived in it",
    ApplyMode.CONTINUATION: "continuation: a new session carries on, this one is closed",
    ApplyMode.FORK: "fork: a new session beside this one, which stays as it is",
}


class Stage(StrEnum):
    """How far the writing has come."""

    CHECKING = "checking"
    REVIEW = "review"
    WRITING = "writing"
    APPLIED = "applied"
    UNDONE = "undone"
    FAILED = "failed"


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


def next_mode(mode: ApplyMode) -> ApplyMode:
    """The mode behind this one, round and round."""
    modes = list(ApplyMode)
    return modes[(modes.index(mode) + 1) % len(modes)]


def examine(
    location: Location, session_id: str, preview: Preview, mode: ApplyMode | None, told: Callable[[str], None]
) -> Review:
    """Rehearse on a private copy and go through the checklist; nothing is changed.

    Raises:
        InspectorError: There is nothing to write, or not in this mode.
    """
    from core.apply.guards import check_guards
    from core.apply.rehearse import rehearse
    from core.store.store import Store

    with Store(location) as store:
        told("rehearse")
        rehearsal = rehearse(store, session_id, preview, mode)
        return Review(rehearsal, check_guards(store, rehearsal, progress=told))


def carry_out(review: Review, told: Callable[[str], None]) -> Applied:
    """Write what was reviewed.

    Raises:
        DatabaseError: Something refuses, or the write failed; nothing was changed.
    """
    from core.apply.execute import execute
    from core.apply.journal import Journal

    return execute(review.rehearsal, Journal(), progress=told)


def take_back(applied: Applied) -> JournalEntry:
    """Put back what was replaced.

    Raises:
        DatabaseError: Hermes has gone on since.
    """
    from core.apply.journal import Journal
    from core.apply.undo import undo

    return undo(Journal(), applied.undo_id)


def review_lines(review: Review, preview: Preview, width: int, ink: Palette) -> Iterator[Line]:
    """Rows, sizes and checklist of a write that has not happened."""
    rehearsal = review.rehearsal
    if review.refused:
        stop = "Nothing can be written: see the checks."
        yield from paragraph(stop, width, ink, "severity-critical", bold=True)
    else:
        yield from paragraph("Nothing has been written yet.", width, ink, "ink-muted")
    yield Line()
    yield from field("how", MODES[rehearsal.mode], width, ink)
    yield from field("where", str(rehearsal.database), width, ink, "ink-muted")
    yield from field("session", rehearsal.session_id, width, ink)
    if rehearsal.target_id != rehearsal.session_id:
        yield from field("new", rehearsal.target_id, width, ink)
    yield Line()
    yield from _rows(rehearsal, width, ink)
    yield from field("messages", f"{len(preview.before):,} → {len(preview.after):,}", width, ink)
    yield from field("tokens", f"~{preview.before_tokens:,} → ~{preview.after_tokens:,}", width, ink)
    yield Line()
    worst_first = sorted(review.guards, key=lambda guard: list(SIGNS).index(guard.state), reverse=True)
    for place, guard in enumerate(worst_first):
        sign, token = SIGNS[guard.state]
        yield from field("" if place else "checks", f"{sign} {guard.name}: {guard.text}", width, ink, token)


def _rows(rehearsal: Rehearsal, width: int, ink: Palette) -> Iterator[Line]:
    copies = sum(row.source_row is not None for row in rehearsal.inserted)
    new = len(rehearsal.inserted) - copies
    merged = not any(row.is_summary and row.source_row is None for row in rehearsal.inserted)
    kept = f"{format.plural(copies, 'copy', 'copies')} of kept messages"
    added = "the summary joined to one of them" if merged else f"{new:,} new with the summary"
    yield from field("rows", f"{len(rehearsal.archived):,} archived", width, ink)
    if rehearsal.superseded:
        yield from field("", f"{len(rehearsal.superseded):,} replaced by their copy in the tail", width, ink)
    yield from field("", f"{len(rehearsal.inserted):,} written: {kept}, {added}", width, ink)
    if rehearsal.changes:
        columns = ", ".join(change.column for change in rehearsal.changes)
        yield from field("columns", columns, width, ink, "ink-muted")
    if rehearsal.verified:
        tried = "the same statements on a private copy gave exactly the previewed messages"
        yield from field("tried", f"✓ {tried}", width, ink, "severity-ok")


def applied_lines(applied: Applied, preview: Preview, width: int, ink: Palette) -> Iterator[Line]:
    """What was done, as Hermes words it, and how to take it back."""
    said = preview.feedback
    yield from paragraph(said.headline, width, ink, bold=True)
    for text in (said.token_line, said.note):
        if text:
            yield from paragraph(text, width, ink, "ink-muted")
    yield Line()
    yield from field("written", f"{len(applied.inserted):,} rows to {applied.target_id}", width, ink)
    locked = f"the database was locked for {applied.seconds * 1000:,.0f} ms; read back and equal"
    yield from field("", locked, width, ink)
    yield from field("resume", f"hermes --resume {applied.target_id}", width, ink)
    yield from field("undo", f"hermes-inspector undo {applied.undo_id}, or U here", width, ink)
