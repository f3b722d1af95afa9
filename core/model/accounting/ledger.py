"""A ledger: buckets and cost, with one row for each session, model, day or other key."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal

from core.model.accounting.amounts import Buckets, Money

_SHARE, _MIN_DIFFERENCE = 0.01, 0.0001
_MAIN = "main"
"""The key of the main loop among tasks."""


@dataclass(frozen=True, slots=True)
class Rates:
    """USD per million tokens; None where the list has no such price."""

    input: Decimal | None = None
    output: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_1h: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Tier:
    """Rates for a whole request whose prompt is longer than `above` tokens."""

    above: int
    rates: Rates


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One entry of a price list.

    Attributes:
        model: The entry's own name of the model.
        source: `genai-prices 0.2.3`, or the file of the user's overrides.
        since: First day (UTC) of these rates; None if they always applied.
        hours: Time of day (UTC) of these rates, from and up to; None for all day.
        billing: `api`, `included` (a subscription pays) or `local` (nobody is paid).
        note: What was assumed when this entry was chosen.
    """

    provider: str
    model: str
    rates: Rates
    source: str
    tiers: tuple[Tier, ...] = ()
    since: date | None = None
    hours: tuple[time, time] | None = None
    billing: str = "api"
    note: str = ""

    @property
    def label(self) -> str:
        """The entry in one line: source, provider, model and date."""
        undated = ", date unknown" if self.billing == "api" else ""
        dated = f" from {self.since}" if self.since else undated
        return f"{self.source}: {self.provider}/{self.model}{dated}"


@dataclass(frozen=True, slots=True)
class Term:
    """One addend of a sum.

    Attributes:
        amount: Tokens or dollars.
        rate: USD per million tokens, when dollars are computed from tokens.
    """

    label: str
    amount: Decimal | int
    rate: Decimal | None = None


def differ(recorded: float | Decimal | None, computed: Decimal | None) -> bool:
    """Whether the recorded cost is at another price than the computed one; rounding is no difference."""
    if not recorded or computed is None:
        return False
    difference = abs(float(recorded) - float(computed))
    return difference > _MIN_DIFFERENCE and difference > _SHARE * float(recorded)


@dataclass(frozen=True, slots=True)
class LedgerPart:
    """The share of a ledger row for one route and one task.

    Attributes:
        recorded: The actual amount if there is one, else the estimate.
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
        key: The value of the ledger's dimension: a session id, a conversation's root, a model, a day, ...
        label: Its name for people, if that differs from the key.
        task: Empty for the main loop; `compression`, `vision`, ... have their own rows.
        calls: None if there are tokens, but nobody counted calls: a release before 0.11 did not.
        recorded: What Hermes recorded: the actual amount if there is one, else the estimate.
        computed: Recomputed from the price list; None-valued when no prices were asked for.
        included: List price of what a subscription covers; never part of `computed`.
        price_source: The price list behind `computed`.
        recorded_source: The tables inside Hermes behind `recorded`, as far as it names them.
        status: `actual`, `estimated`, `included`, `local`, `unknown`, `mixed`.
        subtree: Tokens of a conversation with its sub-agents; None without sub-agents.
        lower_bound: Something is known to be missing.
        together: Of totals: the cost of the rows, of which some are recorded and others have a list price.
    """

    key: str
    label: str = ""
    task: str = ""
    sessions: int = 0
    calls: int | None = 0
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
    together: Money | None = None

    @property
    def cost(self) -> Money:
        """The recorded cost if there is one, else that by the price list."""
        if self.together is not None:
            return self.together
        return self.recorded if self.recorded.usd is not None else self.computed

    @property
    def rank(self) -> tuple[Decimal, int]:
        """What the most expensive row has most of: cost, unknown cost last, then tokens."""
        return (Decimal(-1) if self.cost.usd is None else self.cost.usd), self.tokens.total or 0

    @property
    def tables(self) -> str:
        """The price tables behind both amounts, if recorded and computed cost differ; else empty."""
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

    @property
    def tasks(self) -> dict[str, Buckets]:
        """Tokens by task; the main loop's are under the empty name."""
        found: dict[str, Buckets] = {}
        for row in self.rows:
            named = row.task or (row.key if self.by == "task" and row.key != _MAIN else "")
            for part in row.parts:
                task = named or part.task
                found[task] = found.get(task, Buckets()) + part.tokens
        return found
