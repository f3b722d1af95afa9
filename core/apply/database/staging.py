"""Rows laid ready in tables of this connection alone, so that SQLite can insert or compare them by itself.

What is prepared here need not be worked out while the session database is locked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence

from core.apply.database.exact_values import Image, bind

SEEN = "seen"
"""Rows as they were found."""
EXPECTED = "expected"
"""Rows as they must be."""


def stage(connection: sqlite3.Connection, name: str, columns: Sequence[str], images: Iterable[Image]) -> None:
    """Keep these columns of some rows, exactly, in a temporary table; in the order given."""
    listed = ", ".join(f'"{column}"' for column in columns)
    connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
    connection.execute(f"CREATE TEMP TABLE {name} ({listed})")
    for image in images:
        bound = [bind(image[column]) for column in columns]
        marks = ", ".join(mark for mark, _ in bound)
        query = f"INSERT INTO temp.{name} VALUES ({marks})"  # noqa: S608 - own names
        connection.execute(query, [value for _, value in bound])


def differing(connection: sqlite3.Connection, staged: str, columns: Collection[str]) -> tuple[str | int, ...]:
    """Ids of staged messages that are gone, or have another value by now in one of these columns."""
    unlike = " OR ".join(f'm."{column}" IS NOT s."{column}"' for column in columns) or "0"
    query = (
        f"SELECT s.id FROM temp.{staged} s LEFT JOIN main.messages m ON m.id = s.id "  # noqa: S608 - own names
        f"WHERE m.id IS NULL OR {unlike} ORDER BY s.id"
    )
    return tuple(key for (key,) in connection.execute(query).fetchall())
