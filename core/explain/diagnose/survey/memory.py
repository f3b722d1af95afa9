"""What an earlier survey found, stored so that the next one examines only what has changed."""

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
        scanned: The newest message id that was scanned.
        to_examine: Sessions worth a full examination.
        pending: Calls without a result so far, by session.
        found: By root session: a stamp of what was examined, and the findings.
    """

    scanned: int = 0
    to_examine: set[str] = field(default_factory=set)
    pending: dict[str, list[str]] = field(default_factory=dict)
    found: dict[str, tuple[str, list[dict[str, Any]]]] = field(default_factory=dict)

    @classmethod
    def read(cls, kept: KeptAnswer | None) -> Self:
        """What is remembered; nothing if the file cannot be read."""
        try:
            data: Mapping[str, Any] = json.loads((kept.read() if kept else None) or "{}")
            found = {root: (stamp, list(rows)) for root, (stamp, rows) in data["found"].items()}
            return cls(int(data["scanned"]), set(data["to_examine"]), dict(data["pending"]), found)
        except (ValueError, KeyError, TypeError, AttributeError):
            return cls()

    def write(self, kept: KeptAnswer | None) -> None:
        """Store it for the next survey."""
        if kept is not None:
            findings = {
                "scanned": self.scanned,
                "to_examine": sorted(self.to_examine),
                "pending": self.pending,
                "found": self.found,
            }
            kept.write(json.dumps(findings, default=str))
