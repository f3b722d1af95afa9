"""Orders no database knows: every conversation is measured, and those measured so far are listed in order."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from core.errors import InspectorError
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.sessions.data.extras import measure
from inspector.screens.sessions.data.order import Order, SourcePage
from inspector.screens.sessions.data.session_line import Key, SessionLine
from inspector.screens.sessions.data.source import read_keys, read_ranked

if TYPE_CHECKING:
    from core.account.spending.budget import Today

CHUNK = 500
"""Conversations whose rows are read at once; they are not kept."""
PATIENCE = 0.5
"""Seconds to the first answer; each later one takes twice as long, up to `LONGEST`."""
LONGEST = 8.0


class Standing(NamedTuple):
    """What a conversation is ranked by, and the state it was in."""

    state: int
    context_use: float | None
    compressions: float | None


class Ranker:
    """Measures conversations and remembers what it found: one that did not change is not read again."""

    def __init__(self) -> None:
        self._known: dict[Key, Standing] = {}

    def pages(
        self, locations: Sequence[Location], order: Order, size: int, now: datetime, stop: Cancelled
    ) -> Iterator[SourcePage]:
        """First pages of the list: in the order known so far, now and then, in the end in the right one.

        Args:
            locations: The databases.
            order: What to rank by, and what the list holds.
            size: Rows a page.
            now: The present.
            stop: Asked now and then; True ends the work.
        """
        keys, errors = read_keys(locations, order, stop)
        asked = SourcePage(order, 0, (), errors=errors)
        patience, told = PATIENCE, time.monotonic()
        for looked_at, line in enumerate(_lines(keys, stop), 1):
            self._measure(line, now, stop)
            if stop():
                return
            if time.monotonic() - told > patience:
                yield self._page(asked, keys, looked_at, size, stop)
                patience, told = min(2 * patience, LONGEST), time.monotonic()
        there = [key for key in keys if key in self._known]
        yield self._page(asked, there, len(there), size, stop)

    def _measure(self, line: SessionLine, now: datetime, stop: Cancelled) -> None:
        known, state = self._known.get(line.key), hash(line.state)
        if known is not None and known.state == state:
            return
        for key, extra in measure((line,), now, stop):
            if not stop():  # what was interrupted is not known
                self._known[key] = Standing(state, extra.context_use.share, extra.compressions)

    def _page(
        self, asked: SourcePage, keys: Sequence[Key], looked_at: int, size: int, stop: Cancelled
    ) -> SourcePage:
        order = asked.order
        ranked = [key for key in keys if key in self._known]
        ranked.sort(key=lambda key: self._value(key, order.sort), reverse=True)
        waiting = (key for key in keys if key not in self._known)
        ranking = (*(ranked if order.natural else reversed(ranked)), *waiting)
        rows = tuple(read_ranked(ranking[:size], stop))
        totals = Counter(location for location, _ in ranking)
        return replace(asked, rows=rows, totals=totals, ranking=ranking, measured=looked_at)

    def _value(self, key: Key, sort: str) -> float:
        value: float | None = getattr(self._known[key], sort)
        return float("-inf") if value is None else value


def _lines(keys: Sequence[Key], stop: Cancelled) -> Iterator[SessionLine]:
    for start in range(0, len(keys), CHUNK):
        yield from read_ranked(keys[start : start + CHUNK], stop)


def spent(locations: Sequence[Location], now: datetime, stop: Cancelled) -> Today | None:
    """What the sessions that began today cost; None where nothing can be read."""
    from core.account.spending.budget import spent_today  # the first rows do not wait for it

    with ExitStack() as stack:
        opened: list[Store] = []
        for place in locations:
            try:
                opened.append(stack.enter_context(Store(place, cancelled=stop)))
            except InspectorError:
                continue  # the list says so above its rows
        return _named(spent_today(opened, now=now), opened) if opened else None


def _named(today: Today, stores: Sequence[Store]) -> Today:
    """With the first words of the largest conversation where nobody gave it a title."""
    if today.largest is None:
        return today
    called, usd = today.largest
    words = (store.first_words([called]).get(called) for store in stores)
    return replace(today, largest=(next(filter(None, words), called), usd))
