"""What everything in sight cost lately. Imported in the worker that asks: accounts load slowly."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime

from core.account.spending.ledger import ledger
from core.errors import InspectorError
from core.model.accounting.ledger import LedgerRow
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store


def spent(locations: Sequence[Location], since: datetime, stop: Cancelled) -> LedgerRow | None:
    """What Hermes recorded for sessions begun since then; None where nothing can be read."""
    with ExitStack() as stack:
        opened: list[Store] = []
        for place in locations:
            try:
                opened.append(stack.enter_context(Store(place, cancelled=stop)))
            except InspectorError:
                continue  # the list says so above its rows
        if not opened:
            return None
        # Only the totals are used, so the dimension with the fewest rows is the quickest.
        found = ledger(opened, by="source", since=since)
    return found.totals
