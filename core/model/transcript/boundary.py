"""How one generation of a conversation gave way to the next."""

from __future__ import annotations

from enum import StrEnum


class BoundaryMode(StrEnum):
    """How a compaction left the database."""

    IN_PLACE = "in_place"
    """Same session; old rows archived."""
    ROTATION = "rotation"
    """A continuation session was created."""
    REWRITE = "rewrite"
    """Same session; old rows destroyed."""
