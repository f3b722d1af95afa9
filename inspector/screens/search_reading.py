"""Full-text search over several databases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InspectorError
from core.model.storage import SearchHit
from core.store.connect import Cancelled, Interrupted
from core.store.locate import Location
from core.store.store import Store

MOST = 200
"""Hits read from each database."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that matches, and what its session is called."""

    location: Location
    hit: SearchHit
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found.

    Attributes:
        partial: Not everything was searched, or there is more than is shown.
        how: The ways the databases were searched.
        errors: Databases that could not be searched.
    """

    text: str
    hits: tuple[Hit, ...] = ()
    partial: bool = False
    how: tuple[str, ...] = ()
    errors: tuple[InspectorError, ...] = ()


def search(locations: Sequence[Location], text: str, cancelled: Cancelled) -> Answer:
    """Find messages in every database, newest first; a database that fails is reported."""
    hits: list[Hit] = []
    ways: list[str] = []
    errors: list[InspectorError] = []
    partial = False
    for location in locations:
        try:
            with Store(location, cancelled=cancelled) as store:
                found = store.search(text, limit=MOST)
                hits += _titled(store, location, found.hits)
        except Interrupted:
            raise
        except InspectorError as error:
            errors.append(error)
            continue
        partial |= found.partial
        ways.append(found.how)
    hits.sort(key=lambda hit: hit.hit.timestamp.timestamp() if hit.hit.timestamp else 0.0, reverse=True)
    return Answer(text, tuple(hits), partial, tuple(dict.fromkeys(ways)), tuple(errors))


def _titled(store: Store, location: Location, found: Sequence[SearchHit]) -> list[Hit]:
    names = store.names([hit.session_id for hit in found])
    return [Hit(location, hit, names[hit.session_id]) for hit in found]
