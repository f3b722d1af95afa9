"""Rows that should be there and are not: a damaged table or index gives up rows without an error."""

from __future__ import annotations

from collections.abc import Sequence

from core.model.transcript.message import RowState
from core.model.transcript.session import Session
from core.store.generations.row_outline import RowOutline
from core.support.plural import plural


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
