"""What the times of rows reveal: which rows were written together, and which came later."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from core.errors import NotFoundError

if TYPE_CHECKING:
    from core.model.transcript.conversation import Conversation, Generation
    from core.model.transcript.storage import RowPreview
    from core.store.store import Store

BATCH = timedelta(milliseconds=50)
"""Rows of one commit carry times that are microseconds apart."""


def begun_with(store: Store, generation: Generation, copied: int, began: datetime | None) -> tuple[int, ...]:
    """The request that began the turn being compacted, where only the new session holds it.

    Such a turn is written with the copies once it is over, so the copies are stamped long after the session
    began and right before the request. Between turns the copies are written at once; the request comes later.
    """
    if not 0 < copied < len(generation.row_ids):
        return ()
    ids = (generation.row_ids[0], *generation.row_ids[copied - 1 : copied + 1])
    first, last, request = (row.timestamp for row in store.previews(ids, 1))
    if began is None or first is None or last is None or request is None:
        return ()
    return ids[-1:] if request - last < first - began else ()


def rewritten_rows(store: Store, generation: Generation) -> tuple[int, ...]:
    """What a rewrite in place left: the rows up to its summary's time, in the order they were written.

    A platform stamps a request with the time it was sent, which may be before the gateway compressed. The
    gateway compresses between turns, so a request at the end came later and is left out.
    """
    rows = store.previews(sorted(generation.row_ids), 1)
    summary = generation.boundary.summary_row if generation.boundary is not None else None
    stamp = next((row.timestamp for row in rows if row.id == summary), None)
    if stamp is None:
        return ()
    kept = [row for row in rows if row.timestamp is not None and row.timestamp <= stamp + BATCH]
    answered = dropwhile(lambda row: row.role == "user" and row.id != summary, reversed(kept))
    return tuple(row.id for row in answered)[::-1]


def summarised_after(
    store: Store, session_id: str, request: datetime | None, answer: datetime | None
) -> bool:
    """Whether a summary was booked between a request and its answer, so the request was there already.

    0.19 and later book a summary call made inside a turn with the times of the first and last such call.
    """
    booked = [row for row in store.model_usage([session_id]) if row.task == "compression"]
    times = [at for row in booked for at in (row.first_seen, row.last_seen) if at is not None]
    return request is not None and any(request <= at and (answer is None or at <= answer) for at in times)


def given_to_branch(store: Store, conversation: Conversation) -> int:
    """How many rows a branched conversation began with: those of its parent, in the same order."""
    parent = conversation.root.parent_id
    if parent is None or not conversation.generations:
        return 0
    try:
        theirs = [row for one in store.conversation(parent).generations[-1:] for row in one.row_ids]
    except NotFoundError:
        return 0
    own = conversation.generations[0].row_ids
    pairs = zip(store.previews(own), store.previews(theirs), strict=False)
    return sum(1 for _ in takewhile(lambda pair: _content_key(pair[0]) == _content_key(pair[1]), pairs))


def _content_key(row: RowPreview) -> tuple[str, str, int]:
    return row.role, row.text, row.calls
