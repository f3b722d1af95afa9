"""Files that can be made again: written whole, readable by the user alone, the oldest dropped in time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

MOST = 200
"""Files of one folder."""
ROOM = 64 * 2**20
"""Bytes of one folder; only one that holds more than this or than `MOST` files is tidied up."""
OLDEST = 30 * 86_400.0
"""Seconds after which a file of such a folder is dropped in any case."""


def keep(slot: Path, content: bytes, more: Iterable[bytes] = ()) -> None:
    """Write beside and rename, so that nobody reads half a file; a cache that fails is no fault.

    Args:
        slot: The file.
        content: All of it, or what it begins with.
        more: What follows, made as it is written.
    """
    unfinished = slot.with_name(f".{slot.name}.{os.getpid()}-{time.monotonic_ns()}")
    with suppress(OSError):
        slot.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(unfinished, "wb", opener=_private) as stream:
                stream.write(content)
                stream.writelines(more)
            os.replace(unfinished, slot)
        finally:
            unfinished.unlink(missing_ok=True)
        _prune(slot.parent)


def _prune(folder: Path) -> None:
    """Leave the newest three quarters of what a folder may hold, so that the next files find room."""
    with os.scandir(folder) as entries:
        found = [(one.stat(), one.path) for one in entries if one.is_file(follow_symlinks=False)]
    if len(found) <= MOST and sum(state.st_size for state, _ in found) <= ROOM:
        return
    limit = time.time() - OLDEST
    held = 0
    for place, (state, path) in enumerate(sorted(found, key=lambda one: -one[0].st_mtime)):
        held += state.st_size
        full = place >= MOST * 3 // 4 or held > ROOM * 3 // 4
        if (full and place) or state.st_mtime < limit:  # the newest is what was just asked for
            with suppress(OSError):  # another process was first, or reads it
                os.unlink(path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
