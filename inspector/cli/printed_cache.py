"""Printed documents, kept until a file they were made of changes: asked for again, nothing need be loaded.

Most of what a short command takes is loading what it is written in, so a script that asks every few seconds
whether anything happened would spend its time on that.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

from core.store.database.locate import Location
from core.support.file_cache import keep
from core.support.user_dirs import OWN_PRICES, cache_directory, config_directory
from inspector import __version__
from inspector.cli.arguments import target

_PROGRAM = tuple(
    Path(__file__).parents[2] / room / part
    for room in (
        "core/model",
        "core/hermes",
        "core/hermes/log",
        "core/store",
        "core/account",
        "core/explain",
        "inspector/cli",
    )
    for part in ("", "__pycache__")
)
"""Folders of what lists and answers are made by: they change when the program is upgraded or worked on."""
LARGEST = 20_000_000
"""Characters of a document: a usage list of some forty thousand sessions."""


def slot(args: argparse.Namespace, *sources: Path, people: bool = False) -> Slot | None:
    """Where what a command line asks for is kept; None for what is not.

    That is what is no JSON, and what several databases say: the note that one of them was left out would be
    kept from whoever asks again.

    Args:
        args: The command line.
        sources: What the answer rests on besides the program, the database and its home.
        people: Lines for people are kept as well: they are the same on every terminal.

    Raises:
        NotFoundError: There is no database.
    """
    places = target.locations(args)
    return Slot(args, places[0], sources) if (args.json or people) and len(places) == 1 else None


class Slot:
    """The place of one document, and the state its sources were in when it was asked for."""

    def __init__(self, args: argparse.Namespace, place: Location, sources: Iterable[Path] = ()) -> None:
        asked = (str(place.db.absolute()), sorted((key, str(value)) for key, value in vars(args).items()))
        # Logs are in local time, and so are days, so what they say depends on the zone.
        around = (__version__, time.tzname, time.timezone, *map(_state, (*_PROGRAM, *sources)))
        self._stamp = repr((asked, *around, *_states(place)))
        name = f"{crc32(repr(asked).encode('utf-8', 'replace')):08x}"  # the stamp tells questions apart
        self.path = cache_directory() / "printed" / f"{name}.json"

    def read(self) -> str | None:
        """The document, when its sources are still the same."""
        try:
            stamp, _, text = self.path.read_text("utf-8").partition("\n")
        except (OSError, ValueError):
            return None
        return text if text and stamp == self._stamp else None

    def write(self, *pieces: str) -> None:
        """Keep a document that is not too long."""
        if sum(map(len, pieces)) <= LARGEST:
            keep(self.path, f"{self._stamp}\n".encode(errors="replace"), map(_encoded, pieces))


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")


def prices() -> tuple[Path, ...]:
    """What computed costs rest on: the user's own prices, and the list that is installed."""
    listed = find_spec("genai_prices")
    folders = (listed and listed.submodule_search_locations) or ()
    return (config_directory() / OWN_PRICES, *map(Path, folders))


def _states(place: Location) -> Iterator[tuple[object, ...]]:
    """Every file an answer can rest on: the database, and what its home says in YAML and in logs."""
    yield _state(place.db)
    yield _state(place.db.with_name(f"{place.db.name}-wal"))  # reading a database may make an empty one
    if place.home is not None:
        yield from map(_state, sorted((*place.home.glob("*.yaml"), *(place.home / "logs").glob("*"))))


def _state(path: Path) -> tuple[object, ...]:
    try:
        found = path.stat()
    except OSError:
        return (path.name,)
    if not found.st_size:
        return (path.name,)
    return (path.name, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
