"""Files of this program that can be made again: how they are written, what they rest on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from zlib import crc32

from core.support.own_files import cache_directory

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


MOST = 200
"""Files of one folder."""
ROOM = 64 * 2**20
"""Bytes of one folder; only one that holds more than this or than `MOST` files is tidied up."""
OLDEST = 30 * 86_400.0
"""Seconds after which a file of such a folder is dropped in any case."""


class KeptAnswer:
    """The file of one answer, which counts only while all it rests on is as it was when it was asked for.

    Args:
        folder: Of the user's cache directory, one for each kind of answer.
        question: Tells answers of a kind apart; a new answer to it replaces the old one.
        rests_on: What else must be the same besides the program: files as `state`, settings, the
            time zone.
    """

    def __init__(self, folder: str, question: object, rests_on: Iterable[object] = ()) -> None:
        asked = repr(question)
        self._stamp = repr((asked, of_program(), *rests_on))
        name = crc32(asked.encode("utf-8", "replace"))  # the stamp tells questions of one name apart
        self.path = cache_directory() / folder / f"{name:08x}.json"

    def read(self) -> str | None:
        """The answer, while it counts; one that cannot be read is none."""
        try:
            stamp, _, text = self.path.read_text("utf-8").partition("\n")
        except (OSError, ValueError):
            return None
        return text if text and stamp == self._stamp else None

    def write(self, *pieces: str) -> None:
        """Keep an answer."""
        keep(self.path, _encoded(f"{self._stamp}\n"), map(_encoded, pieces))


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")


def keep(path: Path, content: bytes, more: Iterable[bytes] = ()) -> None:
    """Write beside and rename, so that nobody reads half a file; a cache that fails is no fault.

    Args:
        path: The file.
        content: All of it, or what it begins with.
        more: What follows, made as it is written.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}-{time.monotonic_ns()}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(unfinished, "wb", opener=_private) as stream:
                stream.write(content)
                stream.writelines(more)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
        _prune(path.parent)


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
