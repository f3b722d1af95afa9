"""Amounts in accounts: tokens by bucket, prices, and money; what is unknown of them is not 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

Added = TypeVar("Added", int, Decimal)


@dataclass(frozen=True, slots=True)
class Buckets:
    """Tokens by what they are billed as; None is unknown, never 0.

    Attributes:
        input: Fresh (uncached) input.
        output: Everything the model produced, reasoning included.
        reasoning: The part of `output` spent thinking; never added to it.
    """

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None

    @property
    def prompt(self) -> int | None:
        """What the requests carried: fresh input + cache read + cache write."""
        return _sum(self.input, self.cache_read, self.cache_write)

    @property
    def total(self) -> int | None:
        """Prompt plus output."""
        return _sum(self.prompt, self.output)

    @property
    def hit_rate(self) -> float | None:
        """Share of the prompt that came from the cache, 0 to 1; None without a prompt."""
        return share_of(self.cache_read, self.prompt)

    def __add__(self, other: Buckets) -> Buckets:
        """Bucket by bucket; a bucket unknown on one side counts what the other side knows."""
        return Buckets(
            add_known(self.input, other.input),
            add_known(self.cache_read, other.cache_read),
            add_known(self.cache_write, other.cache_write),
            add_known(self.output, other.output),
            add_known(self.reasoning, other.reasoning),
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of money and where it comes from.

    Attributes:
        usd: US dollars; None when unknown. An unpriced model is None, not 0.
        status: `actual`, `estimated`, `included`, `unknown`, as Hermes records it, or ours: `computed`.
        source: Who said so: a column value, or the price table and its date.
    """

    usd: Decimal | None = None
    status: str | None = None
    source: str | None = None


def recorded(actual: Cost, estimated: Cost, tokens: Buckets) -> Cost:
    """What Hermes says tokens cost: the actual amount where a provider reported one, else its estimate.

    Tokens that cost nothing were not priced, unless a subscription includes them.
    """
    cost = actual if actual.usd else estimated
    free = cost.status == "included" or not tokens.total
    return cost if cost.usd or free else replace(cost, usd=None)


def share_of(part: int | None, whole: int | None) -> float | None:
    """A part by its whole, 0 to 1; None where that is no share, as of a counter that fell below zero."""
    if part is None or not whole:
        return None
    share = part / whole
    return share if 0 <= share <= 1 else None


def _sum(*values: int | None) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def add_known(left: Added | None, right: Added | None) -> Added | None:
    """A sum in which what is unknown on one side counts as nothing; unknown where both are."""
    if left is None:
        return right
    return left if right is None else left + right


@dataclass(frozen=True, slots=True)
class Money:
    """A sum of costs in which some may be unknown.

    Attributes:
        usd: The known ones; None when none is.
        missing: How many sessions or tasks with tokens had no price: with any, the sum is a lower bound.
    """

    usd: Decimal | None = None
    missing: int = 0

    def __add__(self, other: Money) -> Money:
        """Unknown costs do not turn into nothing: they are counted."""
        return Money(add_known(self.usd, other.usd), self.missing + other.missing)
