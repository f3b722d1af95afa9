"""Reads as much as possible from a damaged file: rows before and after a break, whatever else is broken."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

Found = TypeVar("Found")

_NO_DAMAGE = ("interrupted", "locked", "busy")
_WAYS = ("messages", "messages NOT INDEXED")
_ENDS = ("ASC", "DESC")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error is a fault in the file, not a cancelled query or a concurrent writer."""
    return not any(word in str(error) for word in _NO_DAMAGE)


@contextmanager
def passed_over() -> Iterator[None]:
    """Do as much of the block as the file permits, ignoring damage."""
    try:
        yield
    except sqlite3.Error as error:
        if not is_damage(error):
            raise


def piecewise(
    row_ids: Sequence[int], read: Callable[[Sequence[int]], Found]
) -> Iterator[tuple[Sequence[int], Found]]:
    """Read rows together; if that fails, in halves, down to single rows that cannot be read."""
    if not row_ids:
        return
    try:
        found = read(row_ids)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        middle = len(row_ids) // 2
        if middle:
            yield from piecewise(row_ids[:middle], read)
            yield from piecewise(row_ids[middle:], read)
    else:
        yield row_ids, found


def readable_ids(connection: sqlite3.Connection, session_id: str) -> list[int]:
    """The messages of a session; in a damaged file those before and after the break, by index or not."""
    found: dict[int, None] = {}
    for way in _WAYS:
        for end in _ENDS:
            query = f"SELECT id FROM {way} WHERE session_id = ? ORDER BY id {end}"  # noqa: S608 - own words
            try:
                for (row,) in connection.execute(query, (session_id,)):
                    if isinstance(row, int):
                        found[row] = None
            except sqlite3.Error as error:
                if not is_damage(error):
                    raise
            else:
                return sorted(found)
    return sorted(found)
