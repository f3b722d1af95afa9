"""Opens session databases for writing, which no other module does, and reads values byte by byte."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from core.errors import DatabaseError, UsageError
from core.store.database.connect import reading

Cell = Any
"""None, int, float, RawText for TEXT, or bytes for a BLOB."""

Image = Mapping[str, Cell]
"""A row by column name."""

SEEN = "seen"
"""Name of the staged rows as they were found."""

EXPECTED = "expected"
"""Name of the staged rows as they must be."""

READ_ONLY = "HERMES_INSPECTOR_READ_ONLY"
"""Environment variable that forbids a process and its children to write to a database."""

BUSY_SECONDS = 3.0
_CACHE_KIB = 131_072
"""Size of the page cache, so that a large change need not go to disk before it commits."""

_CHUNK = 400


class RawText(bytes):
    """The bytes of a TEXT value, which need not be UTF-8; plain `bytes` stay BLOBs."""

    __slots__ = ()


def bind(cell: Cell) -> tuple[str, Any]:
    """A placeholder and a value that together store exactly this cell."""
    if isinstance(cell, RawText):
        try:
            return "?", cell.decode()
        except UnicodeDecodeError:
            return "CAST(? AS TEXT)", bytes(cell)
    return "?", cell


def dump(image: Image) -> str:
    """An image as JSON text, exact for every type."""
    return json.dumps({name: _packed(cell) for name, cell in image.items()})


def load(text: str) -> dict[str, Cell]:
    """The image from the JSON text of `dump`."""
    return {name: _unpacked(*packed) for name, packed in json.loads(text).items()}


def same(left: Image, right: Image) -> bool:
    """Whether two images are equal in value and type."""
    names = left.keys() | right.keys()
    return all(_packed(left.get(name)) == _packed(right.get(name)) for name in names)


def _packed(cell: Cell) -> list[Any]:
    if isinstance(cell, RawText):
        try:
            return ["t", cell.decode()]
        except UnicodeDecodeError:
            return ["x", base64.b64encode(cell).decode()]
    if isinstance(cell, bytes):
        return ["b", base64.b64encode(cell).decode()]
    if isinstance(cell, float):
        return ["r", cell.hex()]
    return ["t", cell] if isinstance(cell, str) else ["n", cell]


def _unpacked(kind: str, value: Any) -> Cell:
    if kind == "t":
        return RawText(str(value).encode())
    if kind == "x":
        return RawText(base64.b64decode(value))
    if kind == "b":
        return base64.b64decode(value)
    return float.fromhex(value) if kind == "r" else value


def stage(connection: sqlite3.Connection, name: str, columns: Sequence[str], images: Iterable[Image]) -> None:
    """Copy these columns of some rows, exactly and in order, to a temporary table."""
    listed = ", ".join(f'"{column}"' for column in columns)
    connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
    connection.execute(f"CREATE TEMP TABLE {name} ({listed})")
    for image in images:
        bound = [bind(image[column]) for column in columns]
        marks = ", ".join(mark for mark, _ in bound)
        query = f"INSERT INTO temp.{name} VALUES ({marks})"  # noqa: S608 - own names
        connection.execute(query, [value for _, value in bound])


def differing(connection: sqlite3.Connection, staged: str, columns: Collection[str]) -> tuple[str | int, ...]:
    """Ids of staged messages that are gone, or whose value in one of these columns has changed."""
    unlike = " OR ".join(f'm."{column}" IS NOT s."{column}"' for column in columns) or "0"
    query = (
        f"SELECT s.id FROM temp.{staged} s LEFT JOIN main.messages m ON m.id = s.id "  # noqa: S608 - own names
        f"WHERE m.id IS NULL OR {unlike} ORDER BY s.id"
    )
    return tuple(key for (key,) in connection.execute(query).fetchall())


@contextmanager
def opened(path: Path, *, references: bool = True) -> Iterator[sqlite3.Connection]:
    """A connection that may write to an existing database, and checks foreign keys as Hermes does.

    Raises:
        UsageError: `READ_ONLY` is set in the environment.
    """
    if os.environ.get(READ_ONLY):
        raise UsageError(
            "nothing may be written from here", where=str(path), remedy="Start it with `serve --allow-apply`"
        )
    uri = f"{path.absolute().as_uri()}?mode=rw"
    with reading(path), closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
        connection.isolation_level = None
        connection.text_factory = RawText
        connection.execute(f"PRAGMA foreign_keys = {int(references)}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        # Checkpointing the log blocks nobody, but would make our own commit seem long.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        yield connection
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A write transaction, committed as a whole or rolled back."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # If the disk is full, SQLite has already rolled back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def columns_of(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Column names of a table, in order."""
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
    return tuple(name.decode() for (name,) in rows)


def read_images(
    connection: sqlite3.Connection,
    table: str,
    column: str,
    values: Iterable[Cell],
    without: Collection[str] = (),
) -> list[dict[str, Cell]]:
    """Rows in which a column has one of these values, in row order, with or without some columns."""
    names = tuple(name for name in columns_of(connection, table) if name not in without)
    listed = ", ".join(f'"{name}"' for name in names)
    ids = list(values)
    found: list[dict[str, Cell]] = []
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        marks = ", ".join("?" * len(chunk))
        query = f'SELECT {listed} FROM "{table}" WHERE "{column}" IN ({marks}) ORDER BY rowid'  # noqa: S608
        rows = connection.execute(query, chunk).fetchall()
        found += [dict(zip(names, row, strict=True)) for row in rows]
    return found


def insert_image(connection: sqlite3.Connection, table: str, image: Image) -> int:
    """Insert a row exactly; returns its rowid."""
    bound = [bind(cell) for cell in image.values()]
    names = ", ".join(f'"{name}"' for name in image)
    marks = ", ".join(mark for mark, _ in bound)
    query = f'INSERT INTO "{table}" ({names}) VALUES ({marks})'  # noqa: S608 - names come from the schema
    rowid = connection.execute(query, [value for _, value in bound]).lastrowid
    assert rowid is not None
    return rowid


def insert_messages(connection: sqlite3.Connection, staged: str) -> tuple[int, ...]:
    """Insert all messages of a temporary table in one statement, in order; returns their new ids.

    Full-text tables write to disk once per statement, so one statement for all keeps the lock short.
    """
    names = ", ".join(f'"{name}"' for name in columns_of(connection, staged))
    highest = sequence_of(connection)
    query = f"INSERT INTO messages ({names}) SELECT {names} FROM temp.{staged} ORDER BY rowid"  # noqa: S608
    connection.execute(query)
    found = connection.execute("SELECT id FROM messages WHERE id > ? ORDER BY id", (highest,))
    return tuple(row_id for (row_id,) in found.fetchall())


def update_rows(connection: sqlite3.Connection, table: str, keys: Sequence[Cell], changes: Image) -> None:
    """Set the same columns of all rows with these ids, in one statement.

    Raises:
        DatabaseError: A row no longer exists.
    """
    if not changes or not keys:
        return
    bound = [bind(cell) for cell in changes.values()]
    settings = ", ".join(f'"{name}" = {mark}' for name, (mark, _) in zip(changes, bound, strict=True))
    query = f'UPDATE "{table}" SET {settings} WHERE id IN (SELECT value FROM json_each(?))'  # noqa: S608
    done = connection.execute(query, [*(value for _, value in bound), json.dumps(list(keys))]).rowcount
    if done != len(keys):
        raise DatabaseError(f"{len(keys) - done} rows of {table} are gone")


def delete_rows(connection: sqlite3.Connection, table: str, keys: Sequence[Cell]) -> None:
    """Delete all rows with these ids, in one statement."""
    query = f'DELETE FROM "{table}" WHERE id IN (SELECT value FROM json_each(?))'  # noqa: S608 - own names
    connection.execute(query, [json.dumps(list(keys))])


def sequence_of(connection: sqlite3.Connection) -> int:
    """The highest message id ever assigned; SQLite's own count of it can be lost when a file is rebuilt."""
    counted = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'"
    query = f"SELECT max(coalesce(max(id), 0), coalesce(({counted}), 0)) FROM messages"  # noqa: S608 - own words
    (highest,) = connection.execute(query).fetchone()
    return int(highest)


def data_version(connection: sqlite3.Connection) -> int:
    """A number that changes whenever another connection changes the database."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)
