"""A throwaway database with the tables of the real one and the rows of one session."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from core.apply.cells import Image, RawText
from core.apply.database import insert_image, opened, read_images, transaction
from core.apply.transcript import live_messages
from core.apply.write import write
from core.model.apply import Rehearsal
from core.model.message import Message
from core.store.connect import open_readonly, reading
from core.store.store import Store

_ROWS = (("sessions", "id"), ("messages", "session_id"))


def tried(store: Store, rehearsal: Rehearsal) -> tuple[Message, ...]:
    """Carry a rehearsal out on a private copy and load the result as Hermes would.

    Only the one session is copied, so the size of the database does not matter.
    """
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-") as folder:
        path = Path(folder) / "rehearsal.db"
        _copy(store.path, path, rehearsal.session_id)
        # Parents and prompts of this session are not copied, so references may dangle here.
        with opened(path, references=False) as connection, transaction(connection):
            write(connection, rehearsal, time.time())
        with Store(path) as copy:
            return live_messages(copy, rehearsal.target_id)


def _copy(source: Path, target: Path, session_id: str) -> None:
    reader = open_readonly(source)
    try:
        with reading(source):
            statements = _schema(reader)
            tables = [(name, _images(reader, name, column, session_id)) for name, column in _ROWS]
    finally:
        reader.close()
    connection = sqlite3.connect(target, isolation_level=None)
    try:
        for statement in statements:
            connection.execute(statement)
        for name, images in tables:
            for image in images:
                insert_image(connection, name, image)
    finally:
        connection.close()


def _images(reader: sqlite3.Connection, table: str, column: str, session_id: str) -> Iterable[Image]:
    reader.text_factory = RawText
    return read_images(reader, table, column, [session_id])


def _schema(reader: sqlite3.Connection) -> list[str]:
    """Statements that make every table, index, view and trigger; shadow tables come with their owners."""
    rows = reader.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    virtual = [
        name for kind, name, sql in rows if kind == "table" and sql.upper().startswith("CREATE VIRTUAL")
    ]
    order = {"table": 0, "view": 1, "index": 3, "trigger": 4}
    made = []
    for kind, name, sql in rows:
        shadow = (
            any(name.startswith(f"{owner}_") for owner in virtual) and kind == "table" and name not in virtual
        )
        if not shadow and not name.startswith("sqlite_"):
            made.append((2 if name in virtual else order[kind], sql))
    return [sql for _, sql in sorted(made, key=lambda item: item[0])]
