"""How many messages a compaction was given and left: by the log, else by rows, else by the rules."""

from __future__ import annotations

from core.compress.messages.request_order import requested
from core.compress.planning.plan import plan_messages
from core.explain.compactions.attempts import Attempt
from core.explain.compactions.from_rows import Derived
from core.explain.context.context import ConversationContext
from core.explain.context.rows.boundary_rows import BoundaryRows

Counts = tuple[int | None, int | None]


def message_counts(
    context: ConversationContext,
    attempt: Attempt | None,
    rows: BoundaryRows | None,
    derived: Derived | None,
    release: str,
    left: int | None,
) -> Counts:
    """Messages before and after one compaction.

    Args:
        context: Its surroundings.
        attempt: As the log tells it.
        rows: As the rows tell it.
        derived: What was recomputed, when the log did not tell.
        release: Whose rules apply.
        left: How many messages the compaction before it left.
    """
    before, after = _from_rows(context, rows, derived, release, left) if rows is not None else (None, None)
    if attempt is None:
        return before, after
    opened = attempt.started or attempt.done or attempt.telemetry
    ended = attempt.done or attempt.telemetry
    before = opened.before if opened is not None and opened.before is not None else before
    after = ended.after if ended is not None and ended.after is not None else after
    return before, after


def joined_rows(context: ConversationContext, rows: BoundaryRows, release: str) -> int:
    """How many messages Hermes joined to the one before, or dropped, before it called a model.

    They come about when a session is loaded again, so there are none before its first new turn.
    """
    messages = context.messages(rows.before)
    if all(message.role != "user" for message in messages[rows.kept :]):
        return 0
    return len(messages) - len(requested(messages, context.policy(release)))


def _from_rows(
    context: ConversationContext, rows: BoundaryRows, derived: Derived | None, release: str, left: int | None
) -> Counts:
    before, after = rows.counted_before, rows.counted_after
    if derived is None:
        return before, after
    if before is None and rows.gained is not None and left is not None:
        return left + rows.gained, after
    if before is not None and rows.last is not None and rows.last.role == "tool":
        before -= joined_rows(context, rows, release)
    if before is not None and after is None and not rows.opened.row_ids:
        after = _planned(context, rows, release)
    return before, after


def _planned(context: ConversationContext, rows: BoundaryRows, release: str) -> int | None:
    """What the release's rules leave of the transcript; the session it left was never written to."""
    session = context.sessions[rows.session]
    settings = context.settings(release, session, context.window.tokens)
    plan = plan_messages(context.messages(rows.before), context.policy(release), settings)
    return plan.messages - plan.middle.size + 1 if plan.middle.size else None
