"""How soon the session list is on screen, compared with a Textual app that shows nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks import measure
from tests.benchmarks.measure import Result
from tests.benchmarks.stores import Stores

EMPTY = """
import asyncio, os
from textual.app import App
async def main():
    async with App().run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        os._exit(0)
asyncio.run(main())
"""
LISTED = """
import asyncio, os, sys
from core.store.database.locate import locate
from inspector.app import InspectorApp
from inspector.widgets.lists.row_list import RowList
from tests.benchmarks import measure
async def main():
    app = InspectorApp(locate(db=sys.argv[1]))
    async with app.run_test(size=(120, 40)) as pilot:
        while not any(listing.current is not None for listing in app.screen.query(RowList)):
            await asyncio.sleep(0.002)
        print(measure.peak(), flush=True)
        os._exit(0)
asyncio.run(main())
"""


def results(stores: Stores) -> Iterator[Result]:
    """The first rows on the large store and on the small one."""
    listed = [measure.python_command(LISTED, str(store)) for store in (stores.large, stores.small)]
    empty, large, small = measure.in_turn(measure.python_command(EMPTY), *listed, runs=measure.RUNS)
    yield Result("session list on screen / empty app", large.seconds / empty.seconds, "x", 1.5)
    yield Result("session list, large store / small store", large.seconds / small.seconds, "x", 1.2)
    (peak,) = measure.figures(LISTED, str(stores.large))
    yield Result("session list, peak memory", peak, "MiB", 150)
