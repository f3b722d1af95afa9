"""Sums of spending, before they become rows of a ledger."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from core.model.accounting.ledger import PriceRow

Fields = tuple[Any, ...]
"""The fields of a `Group` in order, as a database returns them: building many thousand groups is slow."""


class Group(NamedTuple):
    """Spending under one key, on one route, for one task, at one set of prices.

    Attributes:
        place: Sort key: smaller for larger groups; unknown values count as zero.
        recorded: The actual amounts if there are any, else the estimates.
        missing: Sessions or tasks with tokens but no recorded cost.
        status: Hermes' status of the amounts; `mixed` if there are several.
        included: Whether a subscription pays.
        incomplete: Sessions with something known to be missing.
        at: When its first session started, in epoch seconds.
        priced_by: The tables Hermes names as the source of the recorded amounts, separated by `,`.
        sessions: How many sessions it covers; a session with calls on two routes counts on each.
        split_of: Id of a session whose split says more than its total and must be read instead; else None.
        price: The entry of the price list; None if prices were not requested or there is none.
        usd: Cost of the tokens by that entry.
        unpriced: Sessions with tokens but without a price, if prices were requested.
        again: How many of `sessions` are already counted in another group of the same row.
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
    incomplete: int
    at: float | None
    title: str | None
    priced_by: str | None
    sessions: int
    split_of: str | None = None
    price: PriceRow | None = None
    usd: Decimal | None = None
    unpriced: int = 0
    again: int = 0
    unbooked: int = 0


class Counted(NamedTuple):
    """The sessions counted, and how many of them are counted short or inconsistently.

    Attributes:
        disagreeing: Sessions whose split by model exceeds their total.
        residual: Sessions whose split by model leaves a remainder.
        unbooked: Sessions with calls that were booked nowhere.
    """

    sessions: int = 0
    silent: int = 0
    disagreeing: int = 0
    residual: int = 0
    unbooked: int = 0
