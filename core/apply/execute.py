"""Writes a rehearsed compaction: lock, journal, one transaction, read back.

Others wait while the transaction runs, so everything that can be read, computed or saved before it is.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from core.apply.checks.guards import check_guards, require
from core.apply.database.connection import Image, data_version, opened, read_images, sequence_of, transaction
from core.apply.database.lock import compression_lock, refresh
from core.apply.database.snapshot import Snapshot, changed, changes, expect, live_messages, surprises, take
from core.apply.journal import Complete, Journal, new_entry_id
from core.apply.journal_rows import Entry, Record
from core.apply.rehearse import same_transcript
from core.apply.undo import undo
from core.apply.write import follow, rows_to_retire, stage_inserts, write
from core.errors import DatabaseError
from core.model.compaction.apply import Applied, EntryState, JournalEntry, Rehearsal
from core.store.database.own_changes import identity_of
from core.store.store import Store


@dataclass(frozen=True, slots=True)
class _Case:
    connection: sqlite3.Connection
    rehearsal: Rehearsal
    seen: Snapshot
    version: int
    """The database's counter of changes by others when the snapshot was taken."""
    holder: str | None


def execute(
    rehearsal: Rehearsal,
    journal: Journal,
    *,
    force: Collection[str] = (),
    progress: Callable[[str], None] = lambda name: None,
    now: datetime | None = None,
) -> Applied:
    """Write a rehearsal to its database.

    The rows it replaces are in the journal before it commits. Afterwards the conversation is read back; if it
    differs from the preview, the write is undone at once. `force` names guards to override, if they allow it.

    Raises:
        DatabaseError: A guard refuses, the session is being compressed, or the write failed; nothing changed.
    """
    with (
        opened(rehearsal.database) as connection,
        compression_lock(connection, rehearsal.session_id) as holder,
    ):
        version = data_version(connection)
        live = [message.row.id for message in rehearsal.before if message.row]
        case = _Case(connection, rehearsal, take(connection, rehearsal.session_id, live), version, holder)
        with Store(rehearsal.database) as store:
            require(check_guards(store, rehearsal, force=force, progress=progress, own_lock=holder))
        progress("prepare")
        now = now or datetime.now(UTC)
        entry = _entry(case, now)
        journal.add(entry)
        inserted, seconds = _carry_out(case, journal, entry, progress)
    progress("read back")
    written = entry.summary
    _read_back(rehearsal, journal, written.id)
    return Applied(
        written.id, written.database, written.mode, written.session_id, written.target_id, inserted, seconds
    )


def _entry(case: _Case, now: datetime) -> Entry:
    """The entry as known before the write: the old rows, whole, and what will be set in them."""
    connection, rehearsal, seen = case.connection, case.rehearsal, case.seen
    settings = _settings(rehearsal)
    records = [
        Record("messages", key, seen.messages[key], changes(seen.messages[key], new, new))
        for key, new in settings.items()
    ]
    if rehearsal.changes:
        records.append(Record("sessions", rehearsal.session_id, seen.session, None))
    return Entry(
        summary=JournalEntry(
            id=new_entry_id(now),
            at=now,
            state=EntryState.PENDING,
            database=rehearsal.database.absolute(),
            session_id=rehearsal.session_id,
            target_id=rehearsal.target_id,
            mode=rehearsal.mode,
            replaced=len(settings),
            written=len(rehearsal.inserted),
            size=0,
            call=rehearsal.call,
        ),
        identity=identity_of(connection, rehearsal.database),
        sequence=(sequence_of(connection), 0),
        records=tuple(records),
    )


def _settings(rehearsal: Rehearsal) -> dict[int, Image]:
    return {key: marks for keys, marks in rows_to_retire(rehearsal) for key in keys}


def _carry_out(
    case: _Case, journal: Journal, entry: Entry, progress: Callable[[str], None]
) -> tuple[tuple[int, ...], float]:
    entry_id = entry.summary.id
    try:
        expect(case.connection, _settings(case.rehearsal), case.seen)
        with (
            stage_inserts(case.connection, case.rehearsal, entry.summary.at.timestamp()),
            journal.completing(entry_id) as complete,
        ):
            progress("write")
            done = _commit(case, complete)
    except BaseException:
        # The disk that failed the write may fail the journal too; `recover` decides later which case it is.
        with suppress(DatabaseError):
            journal.mark(entry_id, EntryState.ABANDONED)
        raise
    journal.mark(entry_id, EntryState.APPLIED)
    return done


def _commit(case: _Case, complete: Complete) -> tuple[tuple[int, ...], float]:
    """Run the only transaction; returns the ids of the new rows, and the seconds others had to wait."""
    connection = case.connection
    with transaction(connection):
        began = time.monotonic()
        refresh(connection, case.rehearsal.session_id, case.holder)
        if data_version(connection) != case.version and changed(connection, case.seen):
            raise DatabaseError(
                "the session changed while it was being compressed",
                where="not written",
                remedy="Preview it again",
            )
        sequence = sequence_of(connection)
        inserted = write(connection, case.rehearsal)
        complete(_records(case, inserted), (sequence, sequence_of(connection)))
    return inserted, time.monotonic() - began


def _records(case: _Case, inserted: tuple[int, ...]) -> Iterator[Record]:
    """What could not be known before: new rows, the sessions, and changes to old rows by triggers."""
    connection, rehearsal, seen = case.connection, case.rehearsal, case.seen
    (session,) = read_images(connection, "sessions", "id", [rehearsal.session_id])
    moved = changes(seen.session, session, session)
    if moved or rehearsal.changes:
        yield Record("sessions", rehearsal.session_id, seen.session, moved)
    for key, set_by_triggers in surprises(connection, seen).items():
        yield Record("messages", key, seen.messages[key], set_by_triggers)
    for image in read_images(connection, "messages", "id", inserted):
        yield Record("messages", image["id"], None, image)
    if rehearsal.new_session:
        (made,) = read_images(connection, "sessions", "id", [rehearsal.target_id])
        yield Record("sessions", rehearsal.target_id, None, made)
    yield from follow(connection, rehearsal)


def _read_back(rehearsal: Rehearsal, journal: Journal, entry_id: str) -> None:
    with Store(rehearsal.database) as store:
        loaded = live_messages(store, rehearsal.target_id)
    if same_transcript(loaded[: len(rehearsal.after)], rehearsal.after):
        return  # rows added since the commit follow the written ones
    undo(journal, entry_id)
    raise DatabaseError(
        "what was written does not load as previewed, so it was undone", where=rehearsal.session_id
    )
