"""What everything in sight cost today. Imported in the worker that asks: accounts load slowly."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime

from core.account.spending.budget import Today, spent_today
from core.errors import InspectorError
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store


def spent(locations: Sequence[Location], now: datetime, stop: Cancelled) -> Today | None:
    """What the sessions that began today cost; None where nothing can be read."""
    with ExitStack() as stack:
        opened: list[Store] = []
        for place in locations:
            try:
                opened.append(stack.enter_context(Store(place, cancelled=stop)))
            except InspectorError:
                continue  # the list says so above its rows
        return spent_today(opened, now=now) if opened else None
