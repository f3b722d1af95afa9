"""What is said of a period beside its sums: where its dearest day went, and what summaries took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime

from core.account.spending.recorded import MAIN
from core.model.accounting.ledger import LedgerRow
from core.store.database.locate import Location
from inspector.screens.workspace.usage.model import UsageAnswer, added_up, open_stores, ranked
from inspector.screens.workspace.usage.question import Step

SUMMARISING = "compression"
"""The task of the calls that write summaries."""


@dataclass(frozen=True, slots=True)
class Detail:
    """What is said of a period beside its sums.

    Attributes:
        dearest: The conversation that spent most on the dearest day.
        summaries: What the summariser's calls come to.
    """

    dearest: LedgerRow | None = None
    summaries: LedgerRow | None = None


def detail(
    found: UsageAnswer, locations: Sequence[Location], now: datetime, stop: Callable[[], bool]
) -> Detail:
    """Ask about the dearest day and about the summariser, on connections of the caller's thread."""
    question, peak = found.question, found.peak
    with ExitStack() as stack:
        opened, _ = open_stores(stack, locations, stop)
        tasks = added_up(opened, question, "task", now, None).rows
        summaries = next((row for row in tasks if SUMMARISING in (row.key, row.task)), None)
        if peak is None or question.whole is not None:
            return Detail(None, summaries)
        day = replace(question, path=(*question.path, Step("day", peak.day.isoformat(), MAIN, "")))
        rows = ranked(added_up(opened, day, "conversation", now, None))
    return Detail(rows[0] if rows else None, summaries)
