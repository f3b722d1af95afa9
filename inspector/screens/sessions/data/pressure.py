"""How full a conversation's window is, what needs attention, how an untitled one began: read in a worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal

from core.compress.planning.measure import measure as measure_messages
from core.compress.planning.plan import plan
from core.errors import InspectorError
from core.explain.context.gather import Situation, situation
from core.store.database.connect import Cancelled
from core.store.store import Store
from inspector.screens.sessions.columns import Beside, Extra, Key, SessionLine
from inspector.screens.sessions.data.flags import flags
from inspector.widgets.charts.pressure_bar import Pressure


def previews(lines: Sequence[SessionLine], stop: Cancelled) -> dict[Key, str]:
    """What the user of each untitled conversation said first."""
    untitled = [line for line in lines if not line.title]
    found: dict[Key, str] = {}
    for location in dict.fromkeys(line.location for line in untitled):
        ids = [line.row.root.id for line in untitled if line.location == location]
        try:
            with Store(location, cancelled=stop) as store:
                found |= {(location, one): words for one, words in store.first_words(ids).items()}
        except InspectorError:
            continue  # an id still names the row, and opening it says what is wrong
    return found


def measure(lines: Sequence[SessionLine], now: datetime, stop: Cancelled) -> Iterator[tuple[Key, Extra]]:
    """What must be computed for each line; one that cannot be read is left without."""
    for line in lines:
        if stop():
            return
        try:
            with Store(line.location, cancelled=stop) as store:
                yield line.key, _measure(store, line, now)
        except InspectorError:
            # The row itself is sound and stays; opening the conversation says what is wrong inside.
            yield line.key, Extra(Pressure(), None, flags(line, Pressure(), now), line.state)


def _measure(store: Store, line: SessionLine, now: datetime) -> Extra:
    here = situation(store, line.row.tip.id)
    pressure = pressure_of(here)
    count = len(here.conversation.generations)
    beside = _beside(store, [one.id for one in line.row.sessions])
    return Extra(pressure, count, flags(line, pressure, now), line.state, beside)


def _beside(store: Store, sessions: Sequence[str]) -> Beside | None:
    """What calls beside the main loop were recorded to cost."""
    rows = [row for row in store.model_usage(sessions) if row.task]
    costs = [(row.actual_cost if row.actual_cost.usd else row.estimated_cost).usd for row in rows]
    usd = sum((one for one in costs if one), Decimal(0))
    return Beside(usd, tuple(sorted({row.task for row in rows}))) if usd else None


def pressure_of(here: Situation) -> Pressure:
    """What the next request of a conversation carries, against its window.

    The size is the provider's own count where one is known, else the release's estimate of everything sent.
    """
    if not here.messages:
        return Pressure(None, None, here.settings.window)
    planned = plan(measure_messages(here.messages, here.policy), here.settings, here.gate)
    tokens = here.settings.current_tokens
    if tokens is None:
        tokens = planned.compared_tokens + (here.system_prompt_tokens or 0) + (here.tools_tokens or 0)
    return Pressure(tokens, planned.threshold_tokens, planned.window)
