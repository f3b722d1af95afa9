"""How long one key may hold the thread that draws, in a long conversation and in a large store."""

from __future__ import annotations

import asyncio
import time
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from core.store.database.locate import locate
from core.store.store import Store
from core.support.heap import short_looks
from inspector.app import InspectorApp
from tests.benchmarks.measure import Result
from tests.benchmarks.stores import Stores

MAP = "j G g pagedown right_curly_bracket greater_than_sign w right down escape a a equals_sign"
TABS = "2 3 4 5 6 1"
PREVIEW = "3 j G g x G enter d G g d p G p f f i l e enter t 5 enter"
LIST = "j G g pagedown s s s S a a slash a u t h escape"
RUNS = 3


def results(stores: Stores) -> Iterator[Result]:
    """Processor time of the longest step of the event loop; for each key the best of several runs.

    What a first run imports is left out by that: the app imports its views in a worker.
    """
    yield Result(
        "longest step of a key, 12,000 messages", _longest(stores.long, MAP, TABS, PREVIEW), "ms", 50
    )
    yield Result("longest step of a key, list of all sessions", _longest(stores.large, LIST), "ms", 50)


def _longest(path: Path, *walks: str) -> float:
    found: dict[tuple[str, int], list[float]] = {}
    for walk in walks:
        for _ in range(RUNS):
            for place, spent in enumerate(asyncio.run(_walked(path, walk.split(), opened=walk != LIST))):
                found.setdefault((walk, place), []).append(spent)
    return max(min(spent) for spent in found.values()) * 1000


async def _walked(path: Path, keys: list[str], *, opened: bool) -> list[float]:
    """Seconds of the longest step each key led to, until all it set in motion is at rest."""
    with Store(path) as store:
        session = store.resolve("latest").id if opened else None
    app = InspectorApp(locate(db=path), session=session)
    spent = []
    short_looks()  # as the command does
    async with app.run_test(size=(160, 45)) as pilot:
        await _rest(pilot)
        for key in keys:
            with _steps() as steps:
                await pilot.press(key)
                await _rest(pilot)
            spent.append(max(steps))
    return spent


async def _rest(pilot: Pilot[None]) -> None:
    calm = 0
    while calm < 3:
        await pilot.pause(0.02)
        calm = 0 if any(not worker.is_finished for worker in pilot.app.workers) else calm + 1


@contextmanager
def _steps() -> Iterator[list[float]]:
    """Processor time of this thread in every step of the event loop."""
    steps: list[float] = []
    run = events.Handle._run

    def timed(handle: Any) -> None:
        start = time.thread_time()
        run(handle)
        steps.append(time.thread_time() - start)

    events.Handle._run = timed  # type: ignore[method-assign, assignment]
    try:
        yield steps
    finally:
        events.Handle._run = run  # type: ignore[method-assign]
