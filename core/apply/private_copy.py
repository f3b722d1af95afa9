"""A throwaway database with the tables of the real one and the rows of one session."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from core.apply.database.connection import insert_image, opened, read_images, transaction
from core.apply.database.exact_values import Image, RawText
from core.apply.database.live_rows import live_messages
from core.apply.write import prepared, write
from core.model.compaction.apply import Rehearsal
from core.model.transcript.message import Message
from core.store.database.connect import open_readonly, reading
from core.store.store import Store

_SHADOWS = ("data", "idx", "content", "docsize", "config")
_ROWS = (("sessions", "id"), ("messages", "session_id"))


def tried(store: Store, rehearsal: Rehearsal) -> tuple[tuple[Message, ...], float]:
    """Carry a rehearsal out on a private copy and load the result as Hermes would.

    Only the one session is copied, so the size of the database does not matter.

    Returns:
        The messages, and the processor seconds the transaction took: how busy the machine is just now says
        nothing about the real one.
    """
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-") as folder:
        path = Path(folder) / "rehearsal.db"
        _copy(store.path, path, rehearsal.session_id)
        # Parents and prompts of this session are not copied, so references may dangle here.
        with (
            opened(path, references=False) as connection,
            prepared(connection, rehearsal, time.time()),
            transaction(connection),
        ):
            began = time.thread_time()
            write(connection, rehearsal)
        took = time.thread_time() - began
        with Store(path) as copy:
            return live_messages(copy, rehearsal.target_id), took


def _copy(source: Path, target: Path, session_id: str) -> None:
    reader = open_readonly(source)
    try:
        with reading(source):
            made, triggers = _schema(reader)
            tables = [(name, _images(reader, name, column, session_id)) for name, column in _ROWS]
    finally:
        reader.close()
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for statement in made:
            connection.execute(statement)
        for name, images in tables:
            for image in images:
                insert_image(connection, name, image)
        # After the rows, which carry what the triggers would fill in; nothing is searched here.
        for statement in triggers:
            connection.execute(statement)
        connection.execute("COMMIT")


def _images(reader: sqlite3.Connection, table: str, column: str, session_id: str) -> Iterable[Image]:
    reader.text_factory = RawText
    return read_images(reader, table, column, [session_id])


def _schema(reader: sqlite3.Connection) -> tuple[list[str], list[str]]:
    """Statements that make tables, views and indexes, and those for triggers.

    Shadow tables are left out: they come with the full-text table that owns them.
    """
    rows = reader.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    virtual = {name for _, name, sql in rows if sql.upper().startswith("CREATE VIRTUAL")}
    own = [row for row in rows if not _shadows(row[1], virtual) and not row[1].startswith("sqlite_")]
    order = ("table", "view", "index")
    made = sorted(
        (row for row in own if row[0] in order), key=lambda row: (row[1] in virtual, order.index(row[0]))
    )
    return [sql for _, _, sql in made], [sql for kind, _, sql in own if kind == "trigger"]


def _shadows(name: str, virtual: set[str]) -> bool:
    return name not in virtual and any(name in {f"{owner}_{part}" for part in _SHADOWS} for owner in virtual)
