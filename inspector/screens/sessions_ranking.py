"""Orders no database knows: every conversation is measured, and those measured so far are listed in order."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from core.store.connect import Cancelled
from core.store.locate import Location
from inspector.screens.sessions_columns import Extra, Key, SessionLine
from inspector.screens.sessions_order import Order, SourcePage
from inspector.screens.sessions_source import read_page, read_ranked
from inspector.screens.sessions_standing import measure

CHUNK = 2_000
"""Conversations listed at once before they are measured; their rows are not kept."""
PATIENCE = 0.5
"""Seconds to the first answer; each later one takes twice as long, up to `LONGEST`."""
LONGEST = 8.0


class Standing(NamedTuple):
    """What a conversation is ranked by, and the state it was in."""

    state: int
    pressure: float | None
    generations: float | None


class Ranker:
    """Measures conversations and remembers what it found: one that did not change is not read again."""

    def __init__(self) -> None:
        self._known: dict[Key, Standing] = {}

    def pages(
        self, locations: Sequence[Location], order: Order, size: int, now: datetime, stop: Cancelled
    ) -> Iterator[SourcePage]:
        """First pages of the list: in the order known so far, now and then, and in the end in the right one.

        Args:
            locations: The databases.
            order: What to rank by, and what the list holds.
            size: Rows a page.
            now: The present.
            stop: Asked now and then; True ends the work.
        """
        states, listed = self._list(locations, order, stop)
        patience, told = PATIENCE, time.monotonic()
        for line in self._unmeasured(locations, order, states, stop):
            for key, extra in measure((line,), now, stop):
                if stop():
                    return  # what was interrupted is not known
                self._known[key] = _standing(line, extra)
            if time.monotonic() - told > patience:
                yield self._page(states, listed, order, size, stop)
                patience, told = min(2 * patience, LONGEST), time.monotonic()
        if not stop():
            yield self._page(states, listed, order, size, stop)

    def _list(
        self, locations: Sequence[Location], order: Order, stop: Cancelled
    ) -> tuple[dict[Key, int], SourcePage]:
        """The state of every conversation, and the list as far as databases know it."""
        states: dict[Key, int] = {}
        for page in _chunks(locations, order, stop):
            states.update((line.key, hash(line.state)) for line in page.rows)
        return states, page

    def _unmeasured(
        self, locations: Sequence[Location], order: Order, states: dict[Key, int], stop: Cancelled
    ) -> Iterator[SessionLine]:
        missing = [key for key, state in states.items() if not self._holds(key, state)]
        for start in range(0, len(missing), CHUNK):
            yield from read_ranked(missing[start : start + CHUNK], stop)

    def _holds(self, key: Key, state: int) -> bool:
        return key in self._known and self._known[key].state == state

    def _page(
        self, states: dict[Key, int], listed: SourcePage, order: Order, size: int, stop: Cancelled
    ) -> SourcePage:
        measured = [key for key, state in states.items() if self._holds(key, state)]
        waiting = [key for key, state in states.items() if not self._holds(key, state)]
        measured.sort(key=lambda key: self._value(key, order.sort), reverse=True)
        ranking = (*(measured if order.natural else reversed(measured)), *waiting)
        rows = tuple(read_ranked(ranking[:size], stop))
        totals = Counter(location for location, _ in ranking)
        return replace(
            listed, order=order, start=0, rows=rows, totals=totals, ranking=ranking, measured=len(measured)
        )

    def _value(self, key: Key, sort: str) -> float:
        value: float | None = getattr(self._known[key], sort)
        return float("-inf") if value is None else value


def _chunks(locations: Sequence[Location], order: Order, stop: Cancelled) -> Iterator[SourcePage]:
    """The whole list, newest first."""
    newest = replace(order, sort="last_active", natural=True)
    start, total = 0, 1
    while start < total:
        page = read_page(locations, newest, start, CHUNK, cancelled=stop)
        yield page
        start, total = start + CHUNK, page.total


def _standing(line: SessionLine, extra: Extra) -> Standing:
    return Standing(hash(line.state), extra.pressure.share, extra.generations)
