"""Carrying out a rehearsed compaction inside a transaction the caller holds."""

from __future__ import annotations

import sqlite3

from core.apply.cells import Image
from core.apply.database import columns_of, insert_image, insert_images, read_images, update_rows
from core.model.apply import Rehearsal

_STEP = 1e-6
"""Seconds between the rows of one compaction, so that they keep their order where times decide it."""
_DEFAULTS = {"observed": 0, "_compressed_summary": 0}
_LIVE = {"active": 1, "compacted": 0, "display_order": None}
"""A live row; its place in displays is given by the database's own triggers."""


def write(connection: sqlite3.Connection, rehearsal: Rehearsal, now: float) -> tuple[int, ...]:
    """Write the rows of a rehearsal; full-text tables follow through the database's own triggers.

    Returns:
        Ids of the rows inserted, in order.
    """
    if rehearsal.new_session:
        (source,) = read_images(connection, "sessions", "id", [rehearsal.session_id])
        insert_image(connection, "sessions", source | rehearsal.new_session)
    _retire(connection, rehearsal)
    inserted = insert_images(connection, "messages", _images(connection, rehearsal, now))
    changes = {change.column: change.new for change in rehearsal.changes}
    update_rows(connection, "sessions", [rehearsal.session_id], changes)
    return inserted


def _retire(connection: sqlite3.Connection, rehearsal: Rehearsal) -> None:
    for ids, compacted in ((rehearsal.superseded, 0), (rehearsal.archived, 1)):
        update_rows(connection, "messages", ids, {"active": 0, "compacted": compacted})


def _images(connection: sqlite3.Connection, rehearsal: Rehearsal, now: float) -> list[Image]:
    """The rows to insert, complete and all with the same columns."""
    known = [name for name in columns_of(connection, "messages") if name != "id"]
    wanted = [row.source_row for row in rehearsal.inserted if row.source_row is not None]
    sources = {image["id"]: image for image in read_images(connection, "messages", "id", wanted)}
    found: list[Image] = []
    for position, row in enumerate(rehearsal.inserted):
        origin = {**_DEFAULTS} if row.source_row is None else sources[row.source_row]
        image = {name: origin.get(name) for name in known} | _LIVE | row.values
        image |= {"session_id": rehearsal.target_id}
        if image.get("timestamp") is None:
            image["timestamp"] = now + position * _STEP
        found.append({name: image[name] for name in known})
    return found
