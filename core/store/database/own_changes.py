"""What this program itself wrote to a database, according to the journal of `core.apply`."""

from __future__ import annotations

import json
import shlex
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import DatabaseError
from core.store.database.connect import open_readonly, reading
from core.support.own_files import journal_file, journal_path

if TYPE_CHECKING:
    from core.model.transcript.conversation import OwnCompaction


def undo_command(entry_id: str, database: Path) -> str:
    """The command that undoes an operation."""
    elsewhere = "" if journal_file(database) == journal_path() else f" --db {shlex.quote(str(database))}"
    return f"hermes-inspector undo {entry_id}{elsewhere}"


def identity_of(connection: sqlite3.Connection, path: Path) -> str:
    """Distinguishes this database from another one at the same place."""
    has_meta = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'state_meta'").fetchone()
    if has_meta:
        query = "SELECT CAST(value AS BLOB) FROM state_meta WHERE key = 'store_instance_id'"
        row = connection.execute(query).fetchone()
        if row and row[0]:
            return str(row[0].decode(errors="replace"))
    found = path.stat()
    return f"{found.st_dev}:{found.st_ino}"


def own_compactions(connection: sqlite3.Connection, database: Path) -> tuple[OwnCompaction, ...]:
    """The compactions in a database that this program wrote, oldest first; none without a journal."""
    found = _journalled(
        connection,
        database,
        "SELECT o.*, group_concat(r.key) AS keys "
        "FROM operations o JOIN records r ON r.operation = o.id AND r.table_name = 'messages' "
        "WHERE o.identity = ? AND o.state IN ('applied', 'pending') AND r.before IS NULL "
        "GROUP BY o.id ORDER BY o.at",
    )
    return tuple(map(_compaction, found))


def compacted_at(connection: sqlite3.Connection, database: Path) -> dict[str, datetime]:
    """When this program last compacted each session, and nobody undid it."""
    query = "SELECT target_id, max(at) FROM operations WHERE identity = ? AND state = 'applied' GROUP BY 1"
    found = _journalled(connection, database, query)
    return {str(session): datetime.fromtimestamp(at, UTC) for session, at in found}


def _journalled(connection: sqlite3.Connection, database: Path, query: str) -> list[sqlite3.Row]:
    """What a query finds in the journal about a database; nothing without a journal that can be read."""
    path = journal_file(database)
    if not path.exists():
        return []
    identity = identity_of(connection, database)
    try:
        with reading(path), closing(open_readonly(path)) as journal:
            journal.row_factory = sqlite3.Row
            return journal.execute(query, (identity,)).fetchall()
    except DatabaseError:  # `undo --list` reports what is wrong; other commands can go on without it
        return []


def _compaction(row: sqlite3.Row) -> OwnCompaction:
    from core.model.transcript.conversation import OwnCompaction  # few write with this program

    call = row["call"] if "call" in row.keys() else None  # noqa: SIM118 - a row holds values
    return OwnCompaction(
        row["id"],
        datetime.fromtimestamp(row["at"], UTC),
        frozenset(map(int, row["keys"].split(","))),
        None if call is None else str(json.loads(call)["model"]),
    )
