"""Carrying out a rehearsed compaction inside a transaction the caller holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from core.apply.cells import Cell
from core.apply.database import columns_of, insert_image, read_images, update_row
from core.model.apply import NewRow, Rehearsal

_STEP = 1e-6
"""Seconds between the rows of one compaction, so that they keep their order where times decide it."""
_FILLED_BY_TRIGGERS = ("display_order",)
_DEFAULTS = {"active": 1, "compacted": 0, "observed": 0, "_compressed_summary": 0}


def write(connection: sqlite3.Connection, rehearsal: Rehearsal, now: float) -> tuple[int, ...]:
    """Write the rows of a rehearsal; full-text tables follow through the database's own triggers.

    Returns:
        Ids of the rows inserted, in order.
    """
    if rehearsal.new_session:
        (source,) = read_images(connection, "sessions", "id", [rehearsal.session_id])
        insert_image(connection, "sessions", source | rehearsal.new_session)
    _retire(connection, rehearsal)
    known = columns_of(connection, "messages")
    wanted = [row.source_row for row in rehearsal.inserted if row.source_row is not None]
    sources = {image["id"]: image for image in read_images(connection, "messages", "id", wanted)}
    inserted = tuple(
        _insert(connection, row, sources, known, rehearsal.target_id, now + position * _STEP)
        for position, row in enumerate(rehearsal.inserted)
    )
    changes = {change.column: change.new for change in rehearsal.changes}
    update_row(connection, "sessions", rehearsal.session_id, changes)
    return inserted


def _retire(connection: sqlite3.Connection, rehearsal: Rehearsal) -> None:
    for ids, compacted in ((rehearsal.superseded, 0), (rehearsal.archived, 1)):
        for row_id in ids:
            update_row(connection, "messages", row_id, {"active": 0, "compacted": compacted})


def _insert(
    connection: sqlite3.Connection,
    row: NewRow,
    sources: Mapping[int, Mapping[str, Cell]],
    known: tuple[str, ...],
    session_id: str,
    time: float,
) -> int:
    image: dict[str, Cell] = {"active": 1} if row.source_row is None else dict(sources[row.source_row])
    for name in ("id", *_FILLED_BY_TRIGGERS):
        image.pop(name, None)
    image |= {**_DEFAULTS} if row.source_row is None else {"active": 1, "compacted": 0}
    image |= {**row.values, "session_id": session_id}
    if image.get("timestamp") is None:
        image["timestamp"] = time
    return insert_image(connection, "messages", {name: image[name] for name in image if name in known})
