"""What the times of rows tell: which of them were written in one go, and which came later."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import dropwhile

from core.model.conversation import Generation
from core.store.store import Store

BATCH = timedelta(milliseconds=50)
"""Rows of one commit are stamped microseconds apart."""


def begun_with(store: Store, generation: Generation, copied: int, began: datetime | None) -> tuple[int, ...]:
    """The request a turn had begun with when it was compacted, where only the new session holds it.

    Such a turn is written when it is over, the copies with it: they are stamped long after the session began
    and right before the request. Between turns the copies are written at once and the request comes later.

    Args:
        store: The database.
        generation: What a rotation began.
        copied: How many of its rows the compaction wrote.
        began: When its session did.
    """
    if not 0 < copied < len(generation.row_ids):
        return ()
    ids = (generation.row_ids[0], *generation.row_ids[copied - 1 : copied + 1])
    first, last, request = (row.timestamp for row in store.previews(ids, 1))
    if began is None or first is None or last is None or request is None:
        return ()
    return ids[-1:] if request - last < first - began else ()


def rewritten(store: Store, generation: Generation) -> tuple[int, ...]:
    """What a rewrite in place left: the rows up to its summary's time, in the order they were written.

    A platform stamps a request when it was sent, which may be before the gateway compressed. It does so
    between turns, so a request at the end came later.
    """
    rows = store.previews(sorted(generation.row_ids), 1)
    summary = generation.boundary.summary_row if generation.boundary is not None else None
    stamp = next((row.timestamp for row in rows if row.id == summary), None)
    if stamp is None:
        return ()
    kept = [row for row in rows if row.timestamp is not None and row.timestamp <= stamp + BATCH]
    answered = dropwhile(lambda row: row.role == "user" and row.id != summary, reversed(kept))
    return tuple(row.id for row in answered)[::-1]
