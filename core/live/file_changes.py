"""Noticing that something was written by a look at files: no table is read to learn that nothing was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.hermes.log.read import log_files
from core.store.database.connect import log_of
from core.store.database.locate import Location

Mark = tuple[object, ...]


def mark_of(place: Location) -> Mark:
    """A value that changes whenever the database, its write-ahead log or a log of its home does.

    It also changes when one of them goes away, comes back, or is another file of the same name. Costs a
    look at each of some ten files, whatever their size.
    """
    return tuple(_look(path) for path in (place.db, log_of(place.db), *_logs(place)))


def _logs(place: Location) -> Iterator[Path]:
    yield from log_files(place.home) if place.home is not None else ()


def _look(path: Path) -> tuple[object, ...]:
    try:
        found = path.stat()
    except OSError:
        return (path.name,)
    return (path.name, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
