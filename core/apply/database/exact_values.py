"""Stored values exactly as they are: type by type, byte by byte, also where they are no valid text."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

Cell = Any
"""None, int, float, RawText for TEXT, or bytes for a BLOB."""

Image = Mapping[str, Cell]
"""One row by column name."""


class RawText(bytes):
    """The bytes of a TEXT value, which need not be UTF-8; plain `bytes` stay BLOBs."""

    __slots__ = ()


def bind(cell: Cell) -> tuple[str, Any]:
    """A placeholder and the value to bind, so that exactly this cell is stored."""
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
    """The image behind `dump`."""
    return {name: _unpacked(*packed) for name, packed in json.loads(text).items()}


def same(left: Image, right: Image) -> bool:
    """Whether two images agree in value and type."""
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
