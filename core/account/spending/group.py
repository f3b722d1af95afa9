"""Sums of what was spent, before they become rows of a ledger."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from core.model.accounting.ledger import PriceRow

Fields = tuple[Any, ...]
"""The fields of a `Group` in their order, as a database answers: many thousand named ones are felt."""


class Group(NamedTuple):
    """What was spent under one key, on one route, for one task, at one set of prices.

    Attributes:
        place: Below that of every smaller group; what is not known counts as nothing.
        recorded: The actual amounts where there are some, else the estimates.
        missing: Sessions or tasks with tokens but no recorded cost.
        status: What Hermes called the amounts; `mixed` when it called them several things.
        included: A subscription pays.
        shaky: Sessions of which something is known to be missing.
        at: When its first session started, epoch seconds.
        priced_by: The tables Hermes names as the source of what it recorded, `,` between them.
        sessions: How many come together here; one whose calls took two routes counts on each.
        apart: A session whose split says more than its total, which is to be read in place of it.
        price: The entry of the price list; None when nobody asked, or there is none.
        usd: What the tokens cost by it.
        unpriced: Sessions with tokens but without a price, when prices were asked for.
        again: How many of `sessions` another group of the same row counts already.
        unbooked: Sessions with calls that were booked nowhere.
    """

    place: int
    key: Any
    task: str
    model: str
    provider: str
    base_url: str
    mode: str
    included: int
    calls: int | None
    input: int | None
    cache_read: int | None
    cache_write: int | None
    output: int | None
    reasoning: int | None
    recorded: float | None
    missing: int
    status: str | None
    shaky: int
    at: float | None
    title: str | None
    priced_by: str | None
    sessions: int
    apart: str | None = None
    price: PriceRow | None = None
    usd: Decimal | None = None
    unpriced: int = 0
    again: int = 0
    unbooked: int = 0


class Counted(NamedTuple):
    """Sessions in sight, and how many of them are counted short or oddly.

    Attributes:
        disagreeing: Their split by model exceeds their total.
        residual: Their split by model leaves something over.
        unbooked: They made calls that were booked nowhere.
    """

    sessions: int = 0
    silent: int = 0
    disagreeing: int = 0
    residual: int = 0
    unbooked: int = 0
