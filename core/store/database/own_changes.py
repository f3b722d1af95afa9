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
    path = journal_file(database)
    if not path.exists():
        return ()
    try:
        return _read(path, identity_of(connection, database))
    except DatabaseError:  # `undo --list` reports what is wrong; other commands can go on without it
        return ()


def compacted_at(connection: sqlite3.Connection, database: Path) -> dict[str, datetime]:
    """When this program last compacted each session, and nobody undid it."""
    path = journal_file(database)
    if not path.exists():
        return {}
    query = "SELECT target_id, max(at) FROM operations WHERE identity = ? AND state = 'applied' GROUP BY 1"
    try:
        identity = identity_of(connection, database)
        with reading(path), closing(open_readonly(path)) as journal:
            found = journal.execute(query, (identity,)).fetchall()
    except DatabaseError:
        return {}
    return {str(session): datetime.fromtimestamp(at, UTC) for session, at in found}


def _read(path: Path, identity: str) -> tuple[OwnCompaction, ...]:
    from core.model.transcript.conversation import OwnCompaction  # few write with this program

    with reading(path), closing(open_readonly(path)) as journal:
        calls = any(name == "call" for _, name, *_ in journal.execute("PRAGMA table_info(operations)"))
        query = (
            f"SELECT o.id, o.at, {'o.call' if calls else 'NULL'}, group_concat(r.key) "  # noqa: S608
            "FROM operations o JOIN records r ON r.operation = o.id AND r.table_name = 'messages' "
            "WHERE o.identity = ? AND o.state IN ('applied', 'pending') AND r.before IS NULL "
            "GROUP BY o.id ORDER BY o.at"
        )
        found = journal.execute(query, (identity,)).fetchall()
    return tuple(
        OwnCompaction(
            one,
            datetime.fromtimestamp(at, UTC),
            frozenset(map(int, keys.split(","))),
            None if call is None else str(json.loads(call)["model"]),
        )
        for one, at, call, keys in found
    )
