"""From a preview to the exact rows, tried out on a private copy."""

from __future__ import annotations

import time
from dataclasses import replace

from core.apply.change import new_session, session_changes
from core.apply.checks.guards import check_guards, refused, require
from core.apply.new_rows import call_count, loaded_alike, new_rows, stored
from core.apply.private_copy import tried
from core.errors import InspectorError, UsageError
from core.model.compaction.apply import ApplyMode, NewRow, Rehearsal
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message
from core.store.database.schema import Schema
from core.store.store import Store


def default_mode(schema: Schema) -> ApplyMode:
    """How the release that owns this database compacts."""
    return ApplyMode.IN_PLACE if schema.archives else ApplyMode.CONTINUATION


def rehearse(
    store: Store,
    session_id: str,
    preview: Preview,
    mode: ApplyMode | None = None,
) -> Rehearsal:
    """Work out every row a preview would write, and try the statements on a private copy.

    Args:
        store: The database, open for reading.
        session_id: The session whose live messages the preview was made from.
        preview: What the compaction would leave.
        mode: How to write it; default as the release does.

    Raises:
        UsageError: There is nothing to apply, or this database cannot be written in that mode.
        InspectorError: The private copy did not give the messages of the preview.
    """
    if preview.feedback.noop or preview.feedback.aborted or preview.summary_index is None:
        raise UsageError("there is nothing to apply", where=session_id, remedy=preview.feedback.headline)
    return rehearse_messages(store, session_id, preview.before, preview.after, preview.summary_index, mode)


def rehearse_messages(
    store: Store,
    session_id: str,
    before: tuple[Message, ...],
    after: tuple[Message, ...],
    tail_from: int,
    mode: ApplyMode | None = None,
) -> Rehearsal:
    """The same for any new transcript; copies at or behind `after[tail_from]` count as carried forward."""
    mode = mode or default_mode(store.schema)
    if mode is ApplyMode.IN_PLACE and not store.schema.archives:
        raise UsageError("this database is older than compaction in place", remedy="Use --mode continuation")
    return verified(store, _planned(store, session_id, before, after, tail_from, mode))


def verified(store: Store, rehearsal: Rehearsal) -> Rehearsal:
    """The rehearsal, after its statements have given the right messages on a private copy.

    Raises:
        DatabaseError: The session changed since the preview; every guard that stands against it is named.
        InspectorError: They did not, and it had not changed.
    """
    loaded, seconds = tried(store, rehearsal)
    if not same_transcript(loaded, rehearsal.after):
        with Store(rehearsal.database) as fresh:  # the other may be a copy from before the change
            results = check_guards(fresh, rehearsal, integrity_seconds=0)
        if any(one.name == "unchanged" for one in refused(results)):
            require(results)
        raise InspectorError("the rows would not load as the preview shows them; nothing was written")
    return replace(rehearsal, verified=True, seconds=seconds)


def same_transcript(loaded: tuple[Message, ...], wanted: tuple[Message, ...]) -> bool:
    """Whether two lists of messages are the same to the model."""
    return len(loaded) == len(wanted) and all(map(loaded_alike, loaded, wanted))


def _planned(
    store: Store,
    session_id: str,
    before: tuple[Message, ...],
    after: tuple[Message, ...],
    tail_from: int,
    mode: ApplyMode,
) -> Rehearsal:
    schema, session, now = store.schema, store.session(session_id), time.time()
    # Up to 0.17 rows of a rotation are stamped when they are written, and 0.17 loads them by time.
    restamped = not schema.archives
    rows = new_rows(before, after, schema, restamped)
    counts = (len(rows), call_count(rows, {m.row.id: m for m in before if m.row}))
    made = new_session(store.connection, session, mode, schema, counts, now)
    carried = _carried(rows, len(stored(after[:tail_from])), store) if mode is ApplyMode.IN_PLACE else ()
    retired = tuple(m.row.id for m in before if m.row) if mode is ApplyMode.IN_PLACE else ()
    return Rehearsal(
        database=store.path,
        mode=mode,
        session_id=session_id,
        target_id=str(made.get("id", session_id)),
        archived=tuple(row for row in retired if row not in carried),
        superseded=carried,
        inserted=rows,
        changes=session_changes(session, mode, schema, counts, now),
        new_session=made,
        before=before,
        after=stored(after),
    )


def _carried(rows: tuple[NewRow, ...], tail_from: int, store: Store) -> tuple[int, ...]:
    """Originals of the new tail; only a release that knows copies by identity tells them from the rest."""
    if not store.schema.has_uids:
        return ()
    return tuple(row.source_row for row in rows if row.source_row is not None and row.position >= tail_from)
