"""What an earlier survey found, kept so that the next one looks only at what has changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from core.support.program_files import KeptAnswer


@dataclass(slots=True)
class Memory:
    """What an earlier survey found.

    Attributes:
        scanned: Newest message id that was looked at.
        to_examine: Sessions worth a full examination.
        pending: Calls whose results were still to come, by session.
        found: By root session: a stamp of what was examined, and the findings.
    """

    scanned: int = 0
    to_examine: set[str] = field(default_factory=set)
    pending: dict[str, list[str]] = field(default_factory=dict)
    found: dict[str, tuple[str, list[dict[str, Any]]]] = field(default_factory=dict)

    @classmethod
    def read(cls, kept: KeptAnswer | None) -> Self:
        """What is remembered; a file that cannot be read counts as nothing."""
        try:
            data: Mapping[str, Any] = json.loads((kept.read() if kept else None) or "{}")
            found = {root: (stamp, list(rows)) for root, (stamp, rows) in data["found"].items()}
            return cls(int(data["scanned"]), set(data["to_examine"]), dict(data["pending"]), found)
        except (ValueError, KeyError, TypeError, AttributeError):
            return cls()

    def write(self, kept: KeptAnswer | None) -> None:
        """Keep it for the next survey."""
        if kept is not None:
            told = {
                "scanned": self.scanned,
                "to_examine": sorted(self.to_examine),
                "pending": self.pending,
                "found": self.found,
            }
            kept.write(json.dumps(told, default=str))
