"""Printed documents, kept until a file they were made of changes: asked for again, nothing need be loaded.

Most of what a short command takes is loading what it is written in, so a script that asks every few seconds
whether anything happened would spend its time on that.
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
"""Characters of a document: a usage list of some forty thousand sessions."""


def entry(
    args: argparse.Namespace, *sources: Path, people: bool = False, today: bool = False, several: bool = False
) -> KeptAnswer | None:
    """Where what a command line asks for is kept; None for what is not.

    That is what is no JSON, and mostly what several databases say: the note that one of them was left out
    would be kept from whoever asks again.

    Args:
        args: The command line.
        sources: What the answer rests on besides the program, the database and its home.
        people: Lines for people are kept as well, for terminals of one width and one kind.
        today: The answer is another tomorrow.
        several: It may be about several databases; who writes it sees that none was left out.

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
    # Logs are in local time, and so are days, so what they say depends on the zone.
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
    """Keep a document that is not too long."""
    if sum(map(len, pieces)) <= LARGEST:
        kept.write(*pieces)


def prices() -> tuple[Path, ...]:
    """What computed costs rest on: the user's own prices, and the list that is installed."""
    listed = find_spec("genai_prices")
    folders = (listed and listed.submodule_search_locations) or ()
    return (config_directory() / OWN_PRICES, *map(Path, folders))


def _states(place: Location) -> Iterator[tuple[object, ...]]:
    """Every file an answer can rest on: the database, its home's YAML and logs, a recording, our journal."""
    yield state(place.db)
    yield state(place.db.with_name(f"{place.db.name}-wal"))  # reading a database may make an empty one
    for kept in (state_directory() / RECORDING, journal_file(place.db)):
        yield from (state(kept), state(kept.with_name(f"{kept.name}-wal")))
    if place.home is not None:
        yield from map(state, sorted((*place.home.glob("*.yaml"), *(place.home / "logs").glob("*"))))
