"""Amounts in accounts: tokens by bucket, prices and money; an unknown amount is not 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

Added = TypeVar("Added", int, Decimal)


@dataclass(frozen=True, slots=True)
class Buckets:
    """Tokens by the bucket they are billed in; None is unknown, never 0.

    Attributes:
        input: Uncached input.
        output: Everything the model produced, including reasoning.
        reasoning: The part of `output` spent on reasoning; never added to it.
    """

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None

    @property
    def prompt(self) -> int | None:
        """What the requests carried: uncached input + cache read + cache write."""
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
        """Add bucket by bucket; a bucket unknown on one side counts as on the other side."""
        return Buckets(
            add_known(self.input, other.input),
            add_known(self.cache_read, other.cache_read),
            add_known(self.cache_write, other.cache_write),
            add_known(self.output, other.output),
            add_known(self.reasoning, other.reasoning),
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of money and its origin.

    Attributes:
        usd: US dollars; None when unknown. An unpriced model is None, not 0.
        status: `actual`, `estimated`, `included` or `unknown`, as Hermes records it, or our own `computed`.
        source: A column value, or the price table and its date.
    """

    usd: Decimal | None = None
    status: str | None = None
    source: str | None = None


def recorded(actual: Cost, estimated: Cost, tokens: Buckets) -> Cost:
    """What Hermes says tokens cost: the actual amount if a provider reported one, else its estimate.

    Tokens that cost nothing are unpriced, unless a subscription includes them.
    """
    cost = actual if actual.usd else estimated
    free = cost.status == "included" or not tokens.total
    return cost if cost.usd or free else replace(cost, usd=None)


def share_of(part: int | None, whole: int | None) -> float | None:
    """A part divided by its whole, 0 to 1; None where that is no share, as for a counter below zero."""
    if part is None or not whole:
        return None
    share = part / whole
    return share if 0 <= share <= 1 else None


def _sum(*values: int | None) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def add_known(left: Added | None, right: Added | None) -> Added | None:
    """A sum in which an unknown side counts as nothing; unknown only if both are."""
    if left is None:
        return right
    return left if right is None else left + right


@dataclass(frozen=True, slots=True)
class Money:
    """A sum of costs of which some may be unknown.

    Attributes:
        usd: The sum of the known ones; None when there is none.
        missing: How many sessions or tasks with tokens had no price; if any, the sum is a lower bound.
    """

    usd: Decimal | None = None
    missing: int = 0

    def __add__(self, other: Money) -> Money:
        """Add both; unknown costs are counted, not taken for nothing."""
        return Money(add_known(self.usd, other.usd), self.missing + other.missing)
