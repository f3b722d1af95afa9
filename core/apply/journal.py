"""Keeps replaced rows in a file of our own until the user prunes it.

An entry is on disk before its change commits, so after a crash its outcome can be determined and undone.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.apply.journal_rows import (
    COMPLETE,
    LISTED,
    Entry,
    Record,
    make_tables,
    noted_call,
    record_of,
    row_of,
    summary_of,
)
from core.errors import NotFoundError
from core.model.compaction.apply import EntryState, JournalEntry
from core.store.database.connect import reading
from core.support.own_files import journal_file, journal_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlite_utils import Database

_RUINED = "Move it away, and a new journal begins; what this one recorded can then not be undone"
Complete = Callable[["Iterable[Record]", tuple[int, int]], None]
"""Adds rows, and the highest message ids before and after; returns once they are on disk."""


def journal_of(database: Path) -> Journal:
    """The journal of writes to a database."""
    return Journal(journal_file(database))


class Journal:
    """The recorded operations, in a file that the first write creates, readable only by its owner.

    Databases below the journal's folder have relative paths, so that the folder may be moved.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or journal_path()

    def add(self, entry: Entry) -> None:
        """Save an entry; returns once it is on disk."""
        summary, folder = entry.summary, self.path.parent
        inside = summary.database.is_relative_to(folder)
        with self._opened() as database, database.conn:
            database.table("operations").insert(
                {
                    "id": summary.id,
                    "at": summary.at.timestamp(),
                    "state": summary.state.value,
                    "database": str(summary.database.relative_to(folder) if inside else summary.database),
                    "identity": entry.identity,
                    "session_id": summary.session_id,
                    "target_id": summary.target_id,
                    "mode": summary.mode.value,
                    "sequence_before": entry.sequence[0],
                    "sequence_after": entry.sequence[1],
                    "call": None if summary.call is None else noted_call(summary.call),
                },
                pk="id",
            )
            database.table("records").insert_all(row_of(summary.id, record) for record in entry.records)

    @contextmanager
    def completing(self, entry_id: str) -> Iterator[Complete]:
        """Prepare to add what a transaction did, before it commits; recorded rows get their new values.

        The session database is locked while that is added, so the journal is opened beforehand.
        """
        with self._opened() as database:
            database.conn.execute("PRAGMA wal_autocheckpoint = 0")

            def complete(records: Iterable[Record], sequence: tuple[int, int]) -> None:
                with database.conn:
                    database.conn.executemany(COMPLETE, [row_of(entry_id, record) for record in records])
                    values = {"sequence_before": sequence[0], "sequence_after": sequence[1]}
                    database.table("operations").update(entry_id, values)

            yield complete

    def mark(self, entry_id: str, state: EntryState) -> None:
        """Set the state of an operation."""
        with self._opened() as database, database.conn:
            database.table("operations").update(entry_id, {"state": state.value})

    def entries(self) -> tuple[JournalEntry, ...]:
        """Every recorded operation, newest first."""
        if not self.path.exists():
            return ()
        with self._opened() as database:
            rows = database.query(f"{LISTED} ORDER BY o.at DESC, o.rowid DESC")
            return tuple(summary_of(row, self.path.parent) for row in rows)

    def entry(self, entry_id: str) -> Entry:
        """An operation with its rows.

        Raises:
            NotFoundError: No id begins with this text, or several do.
        """
        found = [entry for entry in self.entries() if entry.id.startswith(entry_id)] if entry_id else []
        exact = [one for one in found if one.id == entry_id] or found
        if len(exact) != 1:
            what = "several journal entries begin with" if exact else "no journal entry"
            raise NotFoundError(
                f"{what} {entry_id!r}", where=str(self.path), remedy="`undo --list` shows them"
            )
        with self._opened() as database:
            row = next(iter(database.table("operations").rows_where("id = ?", [exact[0].id])))
            records = database.table("records").rows_where("operation = ?", [exact[0].id], order_by="rowid")
            return Entry(
                summary=exact[0],
                identity=row["identity"],
                sequence=(row["sequence_before"], row["sequence_after"]),
                records=tuple(map(record_of, records)),
            )

    def prune(self, entry_ids: Iterable[str]) -> None:
        """Delete operations and free their space; they can no longer be undone."""
        with self._opened() as database:
            with database.conn:
                for entry_id in entry_ids:
                    database.table("records").delete_where("operation = ?", [entry_id])
                    database.table("operations").delete_where("id = ?", [entry_id])
            database.vacuum()

    @contextmanager
    def _opened(self) -> Iterator[Database]:
        import sqlite_utils

        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self.path.exists():
            # It will contain parts of conversations.
            self.path.touch(mode=0o600)
        with reading(self.path, ruined=_RUINED), closing(sqlite_utils.Database(self.path)) as database:
            database.conn.execute("PRAGMA busy_timeout = 5000")
            make_tables(database)
            # With full synchronisation a finished commit is on disk.
            database.conn.execute("PRAGMA synchronous = FULL")
            yield database


def new_entry_id(now: datetime) -> str:
    """A short id of an operation that is easy to type."""
    return f"{now:%y%m%d}-{uuid.uuid4().hex[:4]}"
