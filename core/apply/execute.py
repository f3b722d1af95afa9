"""Writing a rehearsed compaction: lock, journal, one transaction, read back."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime

from core.apply.cells import Cell, same
from core.apply.database import identity_of, opened, read_images, sequence_of, transaction
from core.apply.guards import INTEGRITY_SECONDS, check_guards, require
from core.apply.journal import Entry, Journal, Record, new_entry_id
from core.apply.lock import compression_lock, refresh
from core.apply.rehearse import same_transcript
from core.apply.transcript import live_messages
from core.apply.undo import undo
from core.apply.write import write
from core.errors import DatabaseError
from core.model.apply import Applied, EntryState, JournalEntry, Rehearsal
from core.store.store import Store

_TEXTS = (
    "content",
    "tool_calls",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "api_content",
)
Images = dict[tuple[str, int | str], dict[str, Cell]]
"""Rows by table and id."""


def execute(
    rehearsal: Rehearsal,
    journal: Journal,
    *,
    force: Collection[str] = (),
    now: datetime | None = None,
    integrity_seconds: float = INTEGRITY_SECONDS,
    progress: Callable[[str], None] = lambda name: None,
) -> Applied:
    """Write a rehearsal to its database.

    What it replaces is in the journal before it commits. Afterwards the conversation is read back; should it
    not be what was previewed, it is undone at once.

    Args:
        rehearsal: From `rehearse`.
        journal: Where the replaced rows are kept.
        force: Names of guards to pass regardless, where they allow it.
        now: The moment to judge activity by.
        integrity_seconds: How long SQLite may look for damage first.
        progress: Told the name of each step as it begins.

    Raises:
        DatabaseError: A guard refuses, the session is being compressed, or the write failed; nothing changed.
    """
    with (
        opened(rehearsal.database) as connection,
        compression_lock(connection, rehearsal.session_id) as holder,
    ):
        version = _data_version(connection)
        before = snapshot(connection, rehearsal)
        _require_guards(rehearsal, holder, force, now, integrity_seconds, progress)
        progress("write")
        entry = _entry(connection, rehearsal, before)
        journal.add(entry)
        try:
            inserted, seconds = _commit(connection, rehearsal, journal, entry, before, version, holder)
        except BaseException:
            _abandon(journal, entry.summary.id)
            raise
        journal.mark(entry.summary.id, EntryState.APPLIED)
    progress("read back")
    _read_back(rehearsal, journal, entry.summary.id)
    return Applied(
        entry.summary.id, rehearsal.mode, rehearsal.session_id, rehearsal.target_id, inserted, seconds
    )


def _require_guards(
    rehearsal: Rehearsal,
    holder: str | None,
    force: Collection[str],
    now: datetime | None,
    integrity_seconds: float,
    progress: Callable[[str], None],
) -> None:
    with Store(rehearsal.database) as store:
        results = check_guards(
            store,
            rehearsal,
            force=force,
            now=now,
            integrity_seconds=integrity_seconds,
            progress=progress,
            own_lock=holder,
        )
    require(results)


def snapshot(connection: sqlite3.Connection, rehearsal: Rehearsal) -> Images:
    """The session and its messages as they lie there: the live ones whole, all others without texts."""
    (session,) = read_images(connection, "sessions", "id", [rehearsal.session_id])
    images: Images = {("sessions", rehearsal.session_id): session}
    images |= _light(connection, rehearsal)
    live = [message.row.id for message in rehearsal.before if message.row]
    whole = read_images(connection, "messages", "id", live)
    return images | {("messages", image["id"]): image for image in whole}


def _light(connection: sqlite3.Connection, rehearsal: Rehearsal) -> Images:
    rows = read_images(connection, "messages", "session_id", [rehearsal.session_id], without=_TEXTS)
    return {("messages", image["id"]): image for image in rows}


def _entry(connection: sqlite3.Connection, rehearsal: Rehearsal, before: Images) -> Entry:
    now = datetime.now(UTC)
    retired = {*rehearsal.archived, *rehearsal.superseded}
    kept = {
        place: image
        for place, image in before.items()
        if (place[0] == "messages" and place[1] in retired) or (place[0] == "sessions" and rehearsal.changes)
    }
    return Entry(
        summary=JournalEntry(
            id=new_entry_id(now),
            at=now,
            state=EntryState.PENDING,
            database=rehearsal.database.absolute(),
            session_id=rehearsal.session_id,
            target_id=rehearsal.target_id,
            mode=rehearsal.mode,
            replaced=len(retired),
            written=len(rehearsal.inserted),
            size=0,
        ),
        identity=identity_of(connection, rehearsal.database),
        sequence=(sequence_of(connection), 0),
        records=tuple(Record(table, key, image, None) for (table, key), image in kept.items()),
    )


def _commit(
    connection: sqlite3.Connection,
    rehearsal: Rehearsal,
    journal: Journal,
    entry: Entry,
    before: Images,
    version: int,
    holder: str | None,
) -> tuple[tuple[int, ...], float]:
    began = time.monotonic()
    with transaction(connection):
        refresh(connection, rehearsal.session_id, holder)
        if _data_version(connection) != version:
            _require_unchanged(before, snapshot(connection, rehearsal))
        sequence = sequence_of(connection)
        inserted = write(connection, rehearsal, time.time())
        records = _records(connection, rehearsal, entry, before, inserted)
        journal.complete(entry.summary.id, records, (sequence, sequence_of(connection)))
    return inserted, time.monotonic() - began


def _records(
    connection: sqlite3.Connection,
    rehearsal: Rehearsal,
    entry: Entry,
    before: Images,
    inserted: tuple[int, ...],
) -> list[Record]:
    """What the transaction did, row by row: changed columns of old rows, whole new rows."""
    (session,) = read_images(connection, "sessions", "id", [rehearsal.session_id])
    # No statement and no trigger changes a text, so the texts need not be read again.
    after = _light(connection, rehearsal) | {("sessions", rehearsal.session_id): session}
    recorded = {(record.table, record.key) for record in entry.records}
    found = []
    for place, old in before.items():
        changed = {
            name: cell for name, cell in after[place].items() if not same({name: old[name]}, {name: cell})
        }
        if changed or place in recorded:
            found.append(Record(*place, None if place in recorded else old, changed))
    new = read_images(connection, "messages", "id", inserted)
    found += [Record("messages", image["id"], None, image) for image in new]
    if rehearsal.new_session:
        (made,) = read_images(connection, "sessions", "id", [rehearsal.target_id])
        found.append(Record("sessions", rehearsal.target_id, None, made))
    return found


def _require_unchanged(before: Mapping[tuple[str, int | str], dict[str, Cell]], now: Images) -> None:
    if before.keys() != now.keys() or not all(same(image, now[place]) for place, image in before.items()):
        raise DatabaseError(
            "the session changed while it was being compressed",
            where="not written",
            remedy="Preview it again",
        )


def _data_version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _abandon(journal: Journal, entry_id: str) -> None:
    try:
        journal.mark(entry_id, EntryState.ABANDONED)
    except DatabaseError:
        # The disk that failed the write may fail the journal too; `recover` tells the two cases apart later.
        return


def _read_back(rehearsal: Rehearsal, journal: Journal, entry_id: str) -> None:
    with Store(rehearsal.database) as store:
        loaded = live_messages(store, rehearsal.target_id)
    if same_transcript(loaded, rehearsal.after):
        return
    undo(journal, entry_id)
    raise DatabaseError(
        "what was written does not load as previewed, so it was taken back", where=rehearsal.session_id
    )
