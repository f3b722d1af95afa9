"""How soon a very long conversation shows its first messages."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from core.store.database.locate import locate
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.screens.workspace.map.view import MapView
from inspector.widgets.messages.message_list import MessageList
from tests.benchmarks import measure
from tests.benchmarks.measure import Result
from tests.benchmarks.stores import Stores

OPENED = """
import asyncio, sys
from pathlib import Path
from core.support.heap import give_back, short_looks
from inspector.cli.app.open import clear_render_caches
from tests.benchmarks import measure, opening
give_back(clear_render_caches)  # as the command does
short_looks()
asyncio.run(getattr(opening, sys.argv[2])(Path(sys.argv[1])))
print(measure.peak())
"""
TOKENIZER = """
import io, json
from core.account.tokenizers.vocabularies import serve
from tests.benchmarks import measure
texts = [f"message {number} " * 50 for number in range(64)]
serve([json.dumps(["o200k_base", *texts]).encode()], io.BytesIO())
print(measure.peak())
"""


def results(stores: Stores) -> Iterator[Result]:
    """From the key to the first rows, in an app that is running; and the memory of whole processes."""
    seconds = min(asyncio.run(first_rows(stores.long)) for _ in range(3))
    yield Result("open a 12,000-message conversation", seconds * 1000, "ms", 300)
    with tempfile.TemporaryDirectory() as empty:
        for name, what in (("first_rows", "open"), ("counted", "counted by a tokenizer for the first time")):
            (peak,) = measure.figures(OPENED, str(stores.long), name, XDG_CACHE_HOME=empty)
            yield Result(f"conversation {what}, peak memory", peak, "MiB", 150)
    (peak,) = measure.figures(TOKENIZER)
    yield Result("tokenizer process, gone once it has counted, peak memory", peak, "MiB", 150)


async def counted(path: Path) -> None:
    """Open the newest conversation and stay until a tokenizer has counted every message of it."""
    with Store(path) as store:
        session = store.resolve("latest").id
    app = InspectorApp(locate(db=path), session=session)
    async with app.run_test(size=(120, 40)):
        while not any(view.work.counts is not None for view in app.screen.query(MapView)):
            await asyncio.sleep(0.05)


async def _idle(app: InspectorApp) -> None:
    """Until no worker runs; some are ended by those that take their place."""
    while any(not worker.is_finished for worker in app.workers):
        await asyncio.sleep(0.002)


async def first_rows(path: Path) -> float:
    """Seconds from asking for the newest conversation to seeing its first message."""
    with Store(path) as store:
        session = store.resolve("latest").id
    places = locate(db=path)
    app = InspectorApp(places)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await _idle(app)
        start = time.perf_counter()
        app.open_conversation(places[0], session)
        while not any(listing.current is not None for listing in app.screen.query(MessageList)):
            await asyncio.sleep(0.002)
        seconds = time.perf_counter() - start
        await _idle(app)
    return seconds
