"""Events of a store that is written to, and a cheap check of its files for changes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.store.database.closed_copy import log_of
from core.store.database.locate import Location

Mark = tuple[object, ...]
_LOGS = ("logs", "logs/agent.log", "logs/gateway.log")
"""The folder changes when a log is rotated; only these two files grow."""


class LiveKind(StrEnum):
    """The kinds of events."""

    MESSAGE = "message"
    CALL = "call"
    COMPACTION = "compaction"
    FAILURE = "failure"
    CACHE_BREAK = "cache_break"
    BUDGET = "budget"
    ALERT = "alert"


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """An event.

    Attributes:
        key: Identifies the event, whenever it is reported: from its row, or its log line.
        session: None if nothing names one.
        at: When it happened; None if unknown.
        facts: Figures and texts by name; texts from a database or a log are untrusted.
    """

    kind: LiveKind
    key: str
    session: str | None
    at: datetime | None
    facts: Mapping[str, Any] = field(default_factory=dict)


def mark_of(place: Location) -> Mark:
    """A value that changes whenever the database, its write-ahead log or a log of its home does.

    It also changes when one of them disappears, reappears, or is replaced by another file. The cost is a
    `stat` of each of five files, whatever their size.
    """
    logs = [place.home / name for name in _LOGS] if place.home is not None else []
    return tuple(map(_look, (place.db, log_of(place.db), *logs)))


def _look(path: Path) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
