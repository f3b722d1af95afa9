"""Rows that should be there and are not: a damaged table or index gives up rows without an error.

`/compress here N` of Hermes 0.18 and 0.19 archives every live row, but writes back only what became of the
part it compressed: the turns that were to stay as they are stay archived instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.model.transcript.boundary import BoundaryMode
from core.model.transcript.message import RowState
from core.model.transcript.session import Session
from core.store.generations.row_outline import RowOutline
from core.store.generations.split import Segment
from core.support.amounts import plural


def missing_rows(session: Session, outlines: Sequence[RowOutline], name: str = "the session") -> str | None:
    """What to say when a session counts more live messages than can be read; None while all are there.

    `message_count` is set to the live rows by a compaction and grows with each row after it. Taking a turn
    back leaves it as it is (0.16 and later), so rows that were taken back may be part of the count.

    Args:
        session: The row of `sessions`.
        outlines: Every row of its messages that could be read.
        name: What the sentence calls the session.
    """
    counted = session.messages
    if counted is None or counted <= sum(outline.state is not RowState.ARCHIVED for outline in outlines):
        return None
    live = sum(outline.state is RowState.LIVE for outline in outlines)
    return (
        f"{name} counts {counted:,} live messages, {live:,} of them could be read: "
        "the database may be damaged; hermes-inspector doctor --integrity"
    )


def unnumbered_rows(outlines: Sequence[RowOutline], name: str = "the session") -> str | None:
    """What to say of rows without a number for an id, which only a hand-made table holds."""
    count = sum(not isinstance(outline.id, int) for outline in outlines)
    if not count:
        return None
    rows = plural(count, "message")
    return f"{name} holds {rows} without a number for an id, which are left out"


def lost_tail(segments: Sequence[Segment]) -> tuple[int, ...]:
    """Rows behind the last copied one that the newest compaction neither summarised nor kept.

    Args:
        segments: The generations of one session, in order.

    Returns:
        Row ids in order; empty when the tail reaches the end of the previous generation, as it should.
    """
    if len(segments) < 2 or segments[-1].mode is not BoundaryMode.IN_PLACE or not segments[-1].tail:
        return ()
    previous, newest = segments[-2].outlines, segments[-1]
    last = _last_copied(newest)
    at = max(
        (index for index, outline in enumerate(previous) if last is not None and outline.key == last.key),
        default=-1,
    )
    behind = previous[at + 1 :] if at >= 0 else ()
    # The kept part always begins with the user's words; anything else was dropped on purpose.
    starts = next((index for index, outline in enumerate(behind) if outline.role == "user"), None)
    if starts is None or any(outline.state is not RowState.ARCHIVED for outline in behind):
        return ()
    return tuple(outline.id for outline in behind[starts:])


def block_end(segment: Segment) -> int:
    """How many rows of a generation its compaction wrote; the rest came later."""
    copied = [index for index, outline in enumerate(segment.outlines) if outline.id in segment.copies]
    return max([*copied, segment.summary if segment.summary is not None else -1]) + 1


def _last_copied(segment: Segment) -> RowOutline | None:
    start = segment.summary or 0
    copied = [outline for outline in segment.outlines[start:] if outline.id in segment.copies]
    return copied[-1] if copied else None
