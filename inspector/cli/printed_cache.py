"""Caches printed answers until a file they depend on changes, so that nothing is loaded to print one again.

A short command spends most of its time on imports; a script that asks every few seconds would spend its time
on that.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from core.recordings import FILE_NAME as RECORDING
from core.store.database.locate import Location
from core.support.own_files import OWN_PRICES, OWN_SETTINGS, config_directory, journal_file, state_directory
from core.support.program_files import KeptAnswer, state
from inspector.cli.arguments import target
from inspector.terminal.stdout import is_coloured, terminal_width

LARGEST = 20_000_000
"""Most characters of a cached document; enough for a usage list of about forty thousand sessions."""


def entry(
    args: argparse.Namespace, *sources: Path, people: bool = False, today: bool = False, several: bool = False
) -> KeptAnswer | None:
    """The cache entry for a command line; None if its answer is not cached.

    Only JSON is cached unless `people` is set, then printed lines too, for terminals of the same width and
    colours. An answer about several databases is cached only with `several`: it would not repeat the note
    that an unreadable one was skipped. One that changes with the date is about `today`; `sources` are files
    it depends on besides the program, the database and its home.

    Raises:
        NotFoundError: There is no database.
    """
    places = target.locations(args)
    if not (args.json or people) or (len(places) != 1 and not several):
        return None
    asked: tuple[object, ...] = (
        [str(place.db.absolute()) for place in places],
        sorted((key, str(value)) for key, value in vars(args).items()),
    )
    # Logs and days are in local time, so the answer depends on the time zone.
    day = time.localtime()[:3] if today else ()
    if people and not args.json:
        asked = (*asked, terminal_width(), is_coloured())
    around = (
        day,
        time.tzname,
        time.timezone,
        state(config_directory() / OWN_SETTINGS),
        *map(state, sources),
        *chain.from_iterable(map(_states, places)),
    )
    return KeptAnswer("printed", asked, around)


def write(kept: KeptAnswer, *pieces: str) -> None:
    """Store a document in the cache unless it is too long."""
    if sum(map(len, pieces)) <= LARGEST:
        kept.write(*pieces)


def prices() -> tuple[Path, ...]:
    """Files that computed costs depend on: the user's prices and the installed price list."""
    listed = find_spec("genai_prices")
    folders = (listed and listed.submodule_search_locations) or ()
    return (config_directory() / OWN_PRICES, *map(Path, folders))


def _states(place: Location) -> Iterator[tuple[object, ...]]:
    """State of every file an answer may depend on: database, YAML and logs, recording, journal."""
    yield state(place.db)
    yield state(place.db.with_name(f"{place.db.name}-wal"))  # reading a database may create an empty one
    for kept in (state_directory() / RECORDING, journal_file(place.db)):
        yield from (state(kept), state(kept.with_name(f"{kept.name}-wal")))
    if place.home is not None:
        yield from map(state, sorted((*place.home.glob("*.yaml"), *(place.home / "logs").glob("*"))))
