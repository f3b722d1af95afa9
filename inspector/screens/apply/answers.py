"""What the screens that write say first: what would be written or was, in a sentence, and what helps."""

from __future__ import annotations

from core.model.compaction.apply import Applied, ApplyMode, GuardState
from core.model.finding import Severity
from core.model.headline import Headline
from inspector.screens.apply.work import Proposal, Review
from inspector.terminal import formatting as fmt

TAKEN_BACK = Headline("Taken back: every row is as it was.")
WHERE = {
    ApplyMode.IN_PLACE: "in place",
    ApplyMode.CONTINUATION: "to a new session",
    ApplyMode.FORK: "to a new session beside this one",
}


def review_answer(review: Review, proposal: Proposal) -> Headline:
    """What would be written, or what stands against it."""
    refused = [guard for guard in review.guards if guard.state is GuardState.REFUSED]
    if refused:
        more = f" ({len(refused) - 1} more below)" if len(refused) > 1 else ""
        other = "m tries another way of writing it." if len(proposal.modes) > 1 else None
        return Headline(f"Nothing can be written: {refused[0].text}{more}", other, Severity.CRITICAL)
    found = review.rehearsal
    doubtful = bool(proposal.failure) or any(guard.state is GuardState.FORCED for guard in review.guards)
    sizes = f"{len(found.before):,} → {fmt.plural(len(found.after), 'message')}"
    rows = f"{fmt.plural(len(found.archived), 'row')} archived, {len(found.inserted):,} written"
    said = f"{sizes} {WHERE[found.mode]}: {rows}. Nothing has been written yet, and it can be taken back."
    return Headline(said, severity=Severity.WARNING if doubtful else None)


def written_answer(applied: Applied) -> Headline:
    """That it is there and can be taken back."""
    rows = fmt.plural(len(applied.inserted), "row")
    return Headline(f"Written: {rows} to {applied.target_id}, read back and equal. U takes it back.")


def failed_answer(line: str) -> Headline:
    """Why nothing was done; the reason says itself what helps."""
    return Headline(line, severity=Severity.CRITICAL)


def offer(replaced: int) -> Headline:
    """What taking back does."""
    rows = fmt.plural(replaced, "row")
    said = f"U puts back the {rows} that this compaction replaced. It refuses when Hermes has gone on since."
    return Headline(said)
