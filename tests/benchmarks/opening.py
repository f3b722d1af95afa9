"""How soon a very long conversation shows its first messages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from core.store.locate import locate
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.widgets.message_list import MessageList
from tests.benchmarks import measure
from tests.benchmarks.measure import Result
from tests.benchmarks.stores import Stores

PEAK = """
import asyncio, sys
from pathlib import Path
from tests.benchmarks.opening import first_rows
print(asyncio.run(first_rows(Path(sys.argv[1]))))
"""


def results(stores: Stores) -> Iterator[Result]:
    """From the key to the first rows, in an app that is running; and the memory of the whole process."""
    seconds = min(asyncio.run(first_rows(stores.long)) for _ in range(3))
    yield Result("open a 12,000-message conversation", seconds * 1000, "ms", 300)
    yield Result(
        "conversation open, peak memory", measure.python(PEAK, str(stores.long), runs=2).peak, "MiB", 150
    )


async def first_rows(path: Path) -> float:
    """Seconds from asking for the newest conversation to seeing its first message."""
    with Store(path) as store:
        session = store.resolve("latest").id
    places = locate(db=path)
    app = InspectorApp(places)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await app.workers.wait_for_complete()
        start = time.perf_counter()
        app.open_conversation(places[0], session)
        while not any(listing.current is not None for listing in app.screen.query(MessageList)):
            await asyncio.sleep(0.002)
        seconds = time.perf_counter() - start
        await app.workers.wait_for_complete()
    return seconds
