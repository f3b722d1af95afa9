"""Rates of price lists and what sums are made of; lists of sessions, which only show amounts, do without."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal


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
    """Rates of a request whose prompt is longer than `above` tokens; they hold for the whole request."""

    above: int
    rates: Rates


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One entry of a price list.

    Attributes:
        model: The entry's own name of the model.
        source: `genai-prices 0.2.3`, or the file of the user's overrides.
        since: First day (UTC) these rates hold; None from the beginning.
        hours: Time of day (UTC) they hold, from and up to; None for all day.
        billing: `api`, `included` (a subscription pays) or `local` (nobody is paid).
        note: What was assumed in choosing this entry.
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


_SHARE, _LEAST = 0.01, 0.0001


def differ(recorded: float | Decimal | None, computed: Decimal | None) -> bool:
    """Whether what was recorded is another price than the computed one; rounding is no difference."""
    if not recorded or computed is None:
        return False
    apart = abs(float(recorded) - float(computed))
    return apart > _LEAST and apart > _SHARE * float(recorded)
