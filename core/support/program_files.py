"""This program's files: the tables shipped with it, and its caches.

For a short command, parsing YAML takes longer than its own work. So a table of ours is parsed once and cached
in the user's cache directory like Python's byte code: marshalled, and used only while its file is the same
and unchanged. The tables that the shortest commands need are shipped as JSON beside the YAML: otherwise the
very first command would spend a third of its time on them.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from core.support.own_files import cache_directory

SHIPPED = (
    "core/hermes/markers/markers.yaml",
    "core/redact/kinds.yaml",
    "core/redact/places.yaml",
    "core/redact/words.yaml",
)
"""The tables shipped as JSON too."""
MAX_FILES = 200
"""Limit on the files of one folder."""
ROOM = 64 * 2**20
"""Limit on the bytes of one folder; folders beyond this or `MAX_FILES` files are pruned."""
OLDEST = 30 * 86_400.0
"""Seconds after which a file in a pruned folder is always deleted."""
_ROOT = Path(__file__).parents[2]
_ROOMS = (_ROOT / "core", _ROOT / "inspector")
_FORMAT = 1


def load_table(name: str) -> Any:
    """The content of a YAML file such as `core/hermes/markers/markers.yaml`, a new object at every call.

    Raises:
        FileNotFoundError: There is no such file.
    """
    path = _ROOT / name
    if name in SHIPPED:
        with suppress(OSError, ValueError):
            return _shipped(path)
    found = path.stat()
    stamp = (_FORMAT, str(path), found.st_ino, found.st_size, found.st_mtime_ns)
    copy_path = _copy_path(name)
    if copy_path is None:
        return _parse(path)
    with suppress(OSError, ValueError, EOFError, TypeError):
        kept, content = marshal.loads(copy_path.read_bytes())
        if kept == stamp:
            return content
    content = _parse(path)
    with suppress(ValueError):  # a table that cannot be marshalled is parsed every time
        keep(copy_path, marshal.dumps((stamp, content)))
    return content


@cache
def shared_table(name: str) -> Any:
    """Like `load_table`, read once per process: nobody may modify its content."""
    return load_table(name)


def _shipped(path: Path) -> Any:
    """A table from the JSON beside it; `OSError` without one, `ValueError` if it is of another version."""
    import json

    stamp, _, content = path.with_suffix(".json").read_bytes().partition(b"\n")
    if int(stamp) != crc32(path.read_bytes()):
        raise ValueError("made of another state of the table")
    return json.loads(content)


def shipped_copy(path: Path) -> str:
    """The content shipped beside a table: JSON, after a checksum that shows which table it is of."""
    import json

    return f"{crc32(path.read_bytes())}\n{json.dumps(_parse(path), separators=(',', ':'))}\n"


def _copy_path(name: str) -> Path | None:
    """The path of the cached copy; None for a user without a home."""
    try:
        folder = cache_directory()
    except RuntimeError:
        return None
    return folder / "tables" / f"{name.replace('/', '.')}.{sys.implementation.cache_tag}"


def _parse(path: Path) -> Any:
    import yaml

    return yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def version(release: str) -> tuple[int, ...]:
    """A release as numbers, so that 0.9 sorts before 0.13."""
    return tuple(int(part) for part in re.findall(r"\d+", release)[:2])


def newest_for(known: Collection[str], release: str) -> str:
    """The newest entry of a table that is not newer than a release; the oldest if all are newer."""
    release_version = version(release)
    fitting = [entry for entry in known if version(entry) <= release_version]
    return max(fitting, key=version) if fitting else min(known, key=version)


def within(release: str, rule: Mapping[str, Any]) -> bool:
    """Whether a rule with `since` and `before` applies to a release."""
    now = version(release)
    return version(rule.get("since", "0.0")) <= now < version(rule.get("before", "99.0"))


def state(path: Path) -> tuple[object, ...]:
    """A value that changes whenever a file does; an empty file counts as none."""
    try:
        found = path.stat()
    except OSError:
        return (path.name,)
    if not found.st_size:
        return (path.name,)
    return (path.name, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@cache
def of_program() -> str:
    """A value that changes whenever a module or table of this program does, by an upgrade or by editing."""
    found = sorted(entry for room in _ROOMS for entry in _files(str(room)))
    newest, size = max(one[2] for one in found), sum(one[1] for one in found)
    return f"{len(found)}-{size}-{newest}-{crc32(repr(found).encode('utf-8', 'replace')):08x}"


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and modification time of every source file in a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                yield from _files(entry.path)
            else:
                about = entry.stat()
                yield entry.path, about.st_size, about.st_mtime_ns


class KeptAnswer:
    """The cached file of an answer, valid only while everything it depends on is unchanged.

    The user's cache directory has a folder for each kind of answer, where a new answer replaces the old one
    to the same question. Besides the program it `rests_on` files as `state`, settings, the time zone.
    """

    def __init__(self, folder: str, question: object, rests_on: Iterable[object] = ()) -> None:
        asked = repr(question)
        self._stamp = repr((asked, of_program(), *rests_on))
        name = crc32(asked.encode("utf-8", "replace"))  # the stamp distinguishes questions of the same name
        self.path = cache_directory() / folder / f"{name:08x}.json"

    def read(self) -> str | None:
        """The answer while it is valid; None if it is not or cannot be read."""
        try:
            stamp, _, text = self.path.read_text("utf-8").partition("\n")
        except (OSError, ValueError):
            return None
        return text if text and stamp == self._stamp else None

    def write(self, *pieces: str) -> None:
        """Save an answer."""
        keep(self.path, _encoded(f"{self._stamp}\n"), map(_encoded, pieces))


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")


def keep(path: Path, content: bytes, more: Iterable[bytes] = ()) -> None:
    """Write to a temporary file and rename it, so that nobody reads half a file; errors are ignored.

    `more` follows the content, and may be produced while it is written.
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
    """Keep the newest three quarters of what a folder may hold, to make room for the next files."""
    with os.scandir(folder) as entries:
        found = [(entry.stat(), entry.path) for entry in entries if entry.is_file(follow_symlinks=False)]
    if len(found) <= MAX_FILES and sum(state.st_size for state, _ in found) <= ROOM:
        return
    limit = time.time() - OLDEST
    total = 0
    for place, (state, path) in enumerate(sorted(found, key=lambda one: -one[0].st_mtime)):
        total += state.st_size
        full = place >= MAX_FILES * 3 // 4 or total > ROOM * 3 // 4
        if (full and place) or state.st_mtime < limit:  # the newest is the one just requested
            with suppress(OSError):  # another process deleted it first, or reads it
                os.unlink(path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
