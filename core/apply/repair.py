"""Putting back the turns that a partial compression of Hermes 0.18 or 0.19 was to keep, and lost."""

from __future__ import annotations

import time
from dataclasses import replace

from core.apply.database.snapshot import live_messages
from core.apply.new_rows import call_count, new_rows
from core.apply.rehearse import verified
from core.apply.session_columns import session_changes
from core.errors import UsageError
from core.model.compaction.apply import ApplyMode, Rehearsal
from core.store.store import Store


def rehearse_repair(store: Store, session_id: str) -> Rehearsal:
    """Work out the rows that bring a lost tail back to where it belongs; pass the result to `execute`.

    The lost turns are copied behind the compaction. What was said since must stand behind them, so it is
    copied once more and its first rows are hidden, as Hermes hides rows that a newer one repeats.

    Raises:
        UsageError: This session has lost nothing.
    """
    lost, later = store.lost_tail(session_id)
    if not lost:
        raise UsageError("no partial compression lost anything here", where=session_id)
    before = live_messages(store, session_id)
    staying = tuple(message for message in before if message.row and message.row.id not in later)
    moved = tuple(message for message in before if message.row and message.row.id in later)
    returning = store.messages(lost) + moved
    after = staying + returning
    rows = new_rows(returning, returning, store.schema, restamped=False)
    sources = {message.row.id: message for message in returning if message.row}
    calls = call_count(rows, sources) + sum(len(message.tool_calls) for message in staying)
    session, counts = store.session(session_id), (len(after), calls)
    changes = session_changes(session, ApplyMode.IN_PLACE, store.schema, counts, time.time())
    rehearsal = Rehearsal(
        database=store.path,
        mode=ApplyMode.IN_PLACE,
        session_id=session_id,
        target_id=session_id,
        archived=(),
        superseded=later,
        inserted=tuple(replace(row, position=row.position + len(staying)) for row in rows),
        changes=changes,
        new_session={},
        before=before,
        after=after,
    )
    return verified(store, rehearsal)
