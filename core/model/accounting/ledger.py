"""A ledger: buckets and cost, one row for each session, model, day or whatever it is by."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from core.model.accounting.amounts import Buckets, Money
from core.model.accounting.prices import PriceRow, differ


@dataclass(frozen=True, slots=True)
class LedgerPart:
    """The share of a ledger row that one route and one task made.

    Attributes:
        recorded: The actual amount where there is one, else the estimate.
        computed: What the tokens cost at the price list; for `included` routes what they would cost.
        billing: `api`, `included`, `local` or `unknown`.
    """

    model: str
    provider: str
    task: str
    sessions: int
    calls: int
    tokens: Buckets
    recorded: Money = field(default_factory=Money)
    computed: Money = field(default_factory=Money)
    billing: str = "unknown"
    price: PriceRow | None = None


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line of a ledger.

    Attributes:
        key: What the ledger is by: a session id, a conversation's root, a model, a day, ...
        label: What a person calls it, when that differs from the key.
        task: Empty for the main loop; `compression`, `vision`, ... have rows of their own.
        recorded: What Hermes recorded: the actual amount where there is one, else the estimate.
        computed: Recomputed from the price list; None-valued when no prices were asked for.
        included: List price of what a subscription covers; never part of `computed`.
        price_source: The price list `computed` is from.
        recorded_source: The tables inside Hermes that `recorded` is from, as far as it names them.
        status: `actual`, `estimated`, `included`, `local`, `unknown`, `mixed`.
        subtree: A conversation's own tokens and those of its delegates; None when it has none.
        lower_bound: Something is known to be missing.
    """

    key: str
    label: str = ""
    task: str = ""
    sessions: int = 0
    calls: int = 0
    tokens: Buckets = field(default_factory=Buckets)
    recorded: Money = field(default_factory=Money)
    computed: Money = field(default_factory=Money)
    included: Money = field(default_factory=Money)
    status: str = "unknown"
    price_source: str | None = None
    recorded_source: str | None = None
    parts: tuple[LedgerPart, ...] = ()
    subtree: Buckets | None = None
    subtree_recorded: Money | None = None
    lower_bound: bool = False

    @property
    def tables(self) -> str:
        """By which price tables, where what was recorded and what was computed differ; else nothing."""
        if not differ(self.recorded.usd, self.computed.usd):
            return ""
        return f"{self.recorded_source or 'a table Hermes does not name'} / {self.price_source}"


@dataclass(frozen=True, slots=True)
class Ledger:
    """Buckets and cost, by one dimension.

    Attributes:
        by: `session`, `conversation`, `model`, `provider`, `source`, `profile`, `task`, `day` or `hour`.
        rows: Largest first; days and hours in order.
        totals: The sum of all rows, each call once.
        lower_bound: The true total is at least this.
        notes: Why, and what was assumed.
    """

    by: str
    rows: tuple[LedgerRow, ...]
    totals: LedgerRow
    lower_bound: bool = False
    notes: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
