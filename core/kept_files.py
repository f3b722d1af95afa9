"""Files that can be made again: written whole, readable by the user alone, the oldest dropped in time."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

MOST = 200
"""Files of one folder; only a folder that holds more is looked through."""
OLDEST = 30 * 86_400.0
"""Seconds after which a file of such a folder is dropped in any case."""


def keep(slot: Path, *parts: bytes) -> None:
    """Write beside and rename, so that nobody reads half a file; a cache that fails is no fault."""
    unfinished = slot.with_name(f".{slot.name}.{os.getpid()}-{time.monotonic_ns()}")
    with suppress(OSError):
        slot.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(unfinished, "wb", opener=_private) as stream:
                stream.writelines(parts)
            os.replace(unfinished, slot)
        finally:
            unfinished.unlink(missing_ok=True)
        _prune(slot.parent)


def _prune(folder: Path) -> None:
    """Leave the newest three quarters of what a folder may hold, so that the next files find room."""
    with os.scandir(folder) as entries:
        files = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
    if len(files) <= MOST:
        return
    ages = {entry.path: entry.stat(follow_symlinks=False).st_mtime for entry in files}
    newest = sorted(ages, key=lambda path: -ages[path])
    limit = time.time() - OLDEST
    for place, path in enumerate(newest):
        if place >= MOST * 3 // 4 or ages[path] < limit:
            with suppress(OSError):  # another process was first, or reads it
                os.unlink(path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
