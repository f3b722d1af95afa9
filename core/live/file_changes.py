"""Noticing that something was written by a look at files: no table is read to learn that nothing was."""

from __future__ import annotations

import os
from pathlib import Path

from core.store.database.closed_copy import log_of
from core.store.database.locate import Location

Mark = tuple[object, ...]
_LOGS = ("logs", "logs/agent.log", "logs/gateway.log")
"""The folder changes when a log is rotated away; only these two grow."""


def mark_of(place: Location) -> Mark:
    """A value that changes whenever the database, its write-ahead log or a log of its home does.

    It also changes when one of them goes away, comes back, or is another file of the same name. Costs a
    look at each of five files, whatever their size.
    """
    logs = [place.home / name for name in _LOGS] if place.home is not None else []
    return tuple(map(_look, (place.db, log_of(place.db), *logs)))


def _look(path: Path) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
