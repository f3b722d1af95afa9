"""How many messages a compaction was given and left: by the log, else by rows, else by the rules."""

from __future__ import annotations

from itertools import pairwise

from core.compress.plan import plan_messages
from core.explain.attempts import Attempt
from core.explain.derive import Derived
from core.explain.frame import Frame
from core.explain.rows import BoundaryRows, copied_rows

Counts = tuple[int | None, int | None]


def message_counts(
    frame: Frame,
    attempt: Attempt | None,
    rows: BoundaryRows | None,
    derived: Derived | None,
    release: str,
    left: int | None,
) -> Counts:
    """Messages before and after one compaction.

    Args:
        frame: Its surroundings.
        attempt: As the log tells it.
        rows: As the rows tell it.
        derived: What was recomputed, when the log did not tell.
        release: Whose rules apply.
        left: How many messages the compaction before it left.
    """
    before, after = _from_rows(frame, rows, derived, release, left) if rows is not None else (None, None)
    if attempt is None:
        return before, after
    opened = attempt.started or attempt.done or attempt.telemetry
    ended = attempt.done or attempt.telemetry
    before = opened.before if opened is not None and opened.before is not None else before
    after = ended.after if ended is not None and ended.after is not None else after
    return before, after


def repeated_users(frame: Frame, rows: BoundaryRows) -> int:
    """User messages that follow another one: Hermes joins them before it calls a model.

    They come about when a session is loaded again, so there are none before its first new turn.
    """
    roles = [row.role for row in frame.store.previews(rows.before, 1)]
    closed = next((g for g in frame.conversation.generations if g.index == rows.opened.index - 1), None)
    if closed is None or "user" not in roles[copied_rows(closed) :]:
        return 0
    return sum(one == other == "user" for one, other in pairwise(roles))


def _from_rows(
    frame: Frame, rows: BoundaryRows, derived: Derived | None, release: str, left: int | None
) -> Counts:
    before, after = rows.counted_before, rows.counted_after
    if derived is None:
        return before, after
    if before is None and rows.gained is not None and left is not None:
        return left + rows.gained, after
    if before is not None and rows.last is not None and rows.last.role == "tool":
        before -= repeated_users(frame, rows)
    if before is not None and after is None and not rows.opened.row_ids:
        after = _planned(frame, rows, release)
    return before, after


def _planned(frame: Frame, rows: BoundaryRows, release: str) -> int | None:
    """What the release's rules leave of the transcript; the session it left was never written to."""
    session = frame.sessions[rows.session]
    settings = frame.settings(release, session, frame.window.tokens)
    plan = plan_messages(frame.messages(rows.before), frame.policy(release), settings)
    return plan.messages - plan.middle.size + 1 if plan.middle.size else None
