"""What a kept answer rests on, as one short value: the state of files, and of this program."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zlib import crc32

_ROOT = Path(__file__).parents[2]
_ROOMS = ("core", "inspector")


def state(path: Path) -> tuple[object, ...]:
    """Changes whenever a file does; an empty file and none at all are the same."""
    try:
        found = path.stat()
    except OSError:
        return (path.name,)
    if not found.st_size:
        return (path.name,)
    return (path.name, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@cache
def of_program() -> str:
    """Changes whenever a module or a table of this program does: upgraded, or worked on."""
    found = sorted(entry for room in _ROOMS for entry in _files(str(_ROOT / room)))
    newest, size = max(one[2] for one in found), sum(one[1] for one in found)
    return f"{len(found)}-{size}-{newest}-{crc32(repr(found).encode('utf-8', 'replace')):08x}"


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and time of change of everything that is written by hand in a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                yield from _files(entry.path)
            else:
                about = entry.stat()
                yield entry.path, about.st_size, about.st_mtime_ns
