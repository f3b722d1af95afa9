"""What is shown before, during and after writing a compaction. No widget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from core.model.compaction.apply import Applied, ApplyMode, GuardResult, GuardState, JournalEntry, Rehearsal
from core.model.finding import Headline, Severity
from core.store.database.own_changes import undo_command
from core.support import formatting as fmt
from inspector.base.commands import hint, key_of
from inspector.screens.apply.work import Proposal, Review
from inspector.terminal.line import Line, Palette
from inspector.widgets.panes.card import field, paragraph

SIGNS = {
    GuardState.PASSED: ("✓", "severity-ok"),
    GuardState.NOTED: ("•", "ink-muted"),
    GuardState.FORCED: ("▲", "severity-warning"),
    GuardState.REFUSED: ("■", "severity-critical"),
}
MODES = {
    ApplyMode.IN_PLACE: "in place: in the same session; summarised messages stay archived in it",
    ApplyMode.CONTINUATION: "continuation: a new session continues, this one is closed",
    ApplyMode.FORK: "fork: a new session next to this one, which does not change",
}

FAILED_SUMMARY = "No model wrote this summary: the call failed"
BY_RULE = (
    "A fallback made by rule would replace these messages; it is written only if you confirm it by name."
)
FUTILE = "It saves nothing: what is written is at least as long as what it replaces."
QUIETLY = "leave the session alone for two minutes, then come back"
TAKEN_BACK = Headline("Undone: every row is as it was.")
WHERE = {
    ApplyMode.IN_PLACE: "in place",
    ApplyMode.CONTINUATION: "to a new session",
    ApplyMode.FORK: "to a new session next to this one",
}
HAPPENS = {ApplyMode.CONTINUATION: "this one is closed", ApplyMode.FORK: "this one does not change"}
"""What becomes of the session, where a new one is written."""
UNDOING = {
    ApplyMode.CONTINUATION: "removes the new session and reopens the one that it closed",
    ApplyMode.FORK: "removes the new session",
}


class Stage(StrEnum):
    """The steps of writing."""

    CHECKING = "checking"
    REVIEW = "review"
    WRITING = "writing"
    APPLIED = "applied"
    UNDONE = "undone"
    FAILED = "failed"


def review_lines(
    review: Review, proposal: Proposal, width: int, ink: Palette, *, brief: bool = False
) -> Iterator[Line]:
    """Rows, sizes and checks of a write that has not happened yet; `brief` joins the checks that passed."""
    rehearsal = review.rehearsal
    if proposal.failure:
        reason = f"{FAILED_SUMMARY} ({proposal.failure}). {BY_RULE}"
        yield from paragraph(reason, width, ink, "severity-warning", bold=True)
        yield Line()
    yield from place_lines(rehearsal, width, ink)
    yield Line()
    yield from _rows(rehearsal, width, ink)
    yield from _sizes(rehearsal, proposal, width, ink)
    yield Line()
    for place, (state, text) in enumerate(_checks(review.guards, brief)):
        sign, token = SIGNS[state]
        yield from field("" if place else "checks", f"{sign} {text}", width, ink, token)


def place_lines(what: Rehearsal, width: int, ink: Palette) -> Iterator[Line]:
    """How and where something is written."""
    yield from field("how", MODES[what.mode], width, ink)
    yield from field("where", str(what.database), width, ink, "ink-muted")
    yield from field("session", what.session_id, width, ink)
    if what.target_id != what.session_id:
        yield from field("new", what.target_id, width, ink)


def _checks(guards: Sequence[GuardResult], brief: bool) -> Iterator[tuple[GuardState, str]]:
    """The checks, worst first."""
    worst_first = sorted(guards, key=lambda guard: list(SIGNS).index(guard.state), reverse=True)
    for guard in worst_first:
        if not brief or guard.state is not GuardState.PASSED:
            yield guard.state, f"{guard.name}: {guard.text}"
    passed = [guard.name for guard in guards if guard.state is GuardState.PASSED]
    if brief and passed:
        yield GuardState.PASSED, f"{len(passed)} passed: {', '.join(passed)}"


def _rows(rehearsal: Rehearsal, width: int, ink: Palette) -> Iterator[Line]:
    rows = [
        (len(rehearsal.archived), "archived"),
        (len(rehearsal.superseded), "replaced by their copy in the tail"),
        (len(rehearsal.inserted), f"written: {_written(rehearsal)}"),
    ]
    told = [f"{count:,} {what}" for count, what in rows if count]
    for place, text in enumerate(told):
        yield from field("" if place else "rows", text, width, ink)
    if rehearsal.changes:
        columns = ", ".join(change.column for change in rehearsal.changes)
        yield from field("columns", columns, width, ink, "ink-muted")
    if rehearsal.verified:
        tried = "the same statements on a private copy gave exactly the previewed messages"
        yield from field("tried", f"✓ {tried}", width, ink, "severity-ok")


def _sizes(rehearsal: Rehearsal, proposal: Proposal, width: int, ink: Palette) -> Iterator[Line]:
    counts = f"{len(rehearsal.before):,} → {len(rehearsal.after):,}"
    yield from field("messages", ", ".join((counts, *proposal.sizes[:1])), width, ink)
    for more in proposal.sizes[1:]:
        yield from field("", more, width, ink)


def summary_text(rehearsal: Rehearsal) -> str:
    """The text of the row that holds the summary, as it would be written."""
    texts = (row.values.get("content") for row in rehearsal.inserted if row.is_summary)
    return next((text for text in texts if isinstance(text, str)), "")


def _written(rehearsal: Rehearsal) -> str:
    copies = sum(row.source_row is not None for row in rehearsal.inserted)
    new = len(rehearsal.inserted) - copies
    words = f"{fmt.plural(copies, 'copy', 'copies')} of kept messages"
    if new:
        return f"{words}, {new:,} new with the summary"
    joined = any(row.is_summary and "content" in row.values for row in rehearsal.inserted)
    return f"{words}, the summary joined to one of them" if joined else words


def applied_lines(applied: Applied, proposal: Proposal, width: int, ink: Palette) -> Iterator[Line]:
    """What was written beyond the answer, and how to undo it."""
    for text in proposal.said[1:]:
        yield from paragraph(text, width, ink, "ink-muted")
    if proposal.said[1:]:
        yield Line()
    yield from field("written", f"{len(applied.inserted):,} rows to {applied.target_id}", width, ink)
    locked = f"the database was locked for {applied.seconds * 1000:,.0f} ms; read back and identical"
    yield from field("", locked, width, ink)
    yield from field("resume", f"hermes --resume {applied.target_id}", width, ink)
    here, there = key_of("apply.undo"), key_of("preview.undo")
    keys = f"{here} here and on Preview" if here == there else f"{here} here, {there} on Preview"
    yield from field("undo", f"{undo_command(applied.undo_id, applied.database)}, or {keys}", width, ink)


def undone_lines(review: Review, width: int, ink: Palette) -> Iterator[Line]:
    """What was put back, and how to go on."""
    rehearsal = review.rehearsal
    back, gone = len(rehearsal.archived) + len(rehearsal.superseded), len(rehearsal.inserted)
    yield from restored_lines(rehearsal, back, gone, width, ink)
    yield from field("messages", f"{len(rehearsal.after):,} → {len(rehearsal.before):,}", width, ink)
    again = hint("{apply.back}, then {preview.apply}, writes it once more")
    yield from field("again", again, width, ink, "ink-muted")


def restored_lines(
    what: Rehearsal | JournalEntry, replaced: int, written: int, width: int, ink: Palette
) -> Iterator[Line]:
    """Where how many rows were put back and taken out, and how to go on there."""
    yield from field("session", what.session_id, width, ink)
    yield from field("where", str(what.database), width, ink, "ink-muted")
    yield from field("resume", f"hermes --resume {what.session_id}", width, ink)
    counts = ((replaced, "put back"), (written, "taken out"))
    yield from field("rows", some_of(counts), width, ink)


def some_of(counts: Iterable[tuple[int, str]]) -> str:
    """What happened to how many rows, without what happened to none."""
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def review_answer(review: Review, proposal: Proposal) -> Headline:
    """What would be written, or what prevents it."""
    refused = [guard for guard in review.guards if guard.state is GuardState.REFUSED]
    if refused:
        more = f" ({len(refused) - 1} more below)" if len(refused) > 1 else ""
        ways = [QUIETLY] if refused[0].name == "activity" else []
        ways += [f"{key_of('apply.mode')} tries another way to write it"] if len(proposal.modes) > 1 else []
        other = f"{', or '.join(ways)}." if ways else None
        return Headline(f"Nothing can be written: {refused[0].text}{more}", other, Severity.CRITICAL)
    found = review.rehearsal
    doubtful = bool(proposal.failure) or any(guard.state is GuardState.FORCED for guard in review.guards)
    sizes = f"{len(found.before):,} → {fmt.plural(len(found.after), 'message')}"
    rows = f"{fmt.plural(len(found.archived), 'row')} archived, {len(found.inserted):,} written"
    if found.mode in HAPPENS:
        rows = f"{fmt.plural(len(found.inserted), 'row')} written, {HAPPENS[found.mode]}"
    yet = hint("Nothing is written yet; {apply.undo} undoes it afterwards.")
    said = f"{sizes} {WHERE[found.mode]}: {rows}. {yet}"
    if proposal.futile:
        leaves = hint("{apply.back} leaves everything as it is.")
        return Headline(f"{FUTILE} {said}", leaves, Severity.WARNING)
    return Headline(said, severity=Severity.WARNING if doubtful else None)


def written_answer(proposal: Proposal) -> Headline:
    """What is done, in the words of Hermes, and that it can be undone."""
    done = hint("Written, read back and identical; {apply.undo} undoes it.")
    return Headline(f"{proposal.said[0].rstrip('.')}. {done}")


def once_more() -> Headline:
    """That the key to undo must be pressed a second time."""
    words = hint("{apply.undo} once more undoes it; {apply.back} leaves it written.")
    return Headline(words, severity=Severity.WARNING)


def failed_answer(line: str) -> Headline:
    """Why nothing was done; the reason includes what helps."""
    return Headline(line, severity=Severity.CRITICAL)


def offer(entry: JournalEntry) -> Headline:
    """What undoing does."""
    restores = f"restores the {fmt.plural(entry.replaced, 'row')} that this compaction replaced"
    does = f"{key_of('undo.take_back')} {UNDOING.get(entry.mode, restores)}"
    return Headline(f"{does}. It refuses if Hermes has continued since.")
