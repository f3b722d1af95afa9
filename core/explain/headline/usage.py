"""What a ledger comes to, in one sentence: what it cost, and what most of it went to."""

from __future__ import annotations

from decimal import Decimal

from core.model.accounting.ledger import Ledger, LedgerRow
from core.model.headline import Headline
from core.redact.quick_check import masked_start
from core.support.amounts import dollars, plural, short

_MOST = 60
"""Characters of a name."""


def usage_headline(ledger: Ledger, period: str = "") -> Headline:
    """The cost of a ledger and its largest row.

    Where money was recorded that is the cost, else what the price list says; where neither is known, tokens
    speak.

    Args:
        ledger: Buckets and cost by some dimension.
        period: What it is of, in words: `30 days`.
    """
    largest = max(ledger.rows, key=lambda row: _cost(row)[0] or Decimal(0), default=None)
    return of_sums(ledger.totals, largest, len(ledger.rows), ledger.lower_bound, period)


def of_sums(
    totals: LedgerRow, largest: LedgerRow | None, rows: int, lower_bound: bool, period: str = ""
) -> Headline:
    """The same of a ledger whose rows nobody made: its totals, the most expensive row, how many there are."""
    over = _over(period)
    if largest is None:
        return Headline(f"Nothing was spent{over}.")
    usd, missing = _cost(totals)
    if usd is None:
        tokens = short(totals.tokens.total or 0)
        return Headline(f"{tokens} tokens{over}; no price is known for them.", None)
    mark = "≥" if missing or lower_bound else ""
    sentence = f"{mark}{dollars(usd)}{over}, {_calls(totals)}."
    share, _ = _cost(largest)
    if rows > 1 and usd > 0 and share:
        name = masked_start(" ".join((largest.label or largest.key).split()), _MOST)
        task = f" ({largest.task})" if largest.task else ""
        sentence += f" Largest: {name}{task}, {dollars(share)} ({share / usd:.0%})."
    return Headline(sentence)


def _over(period: str) -> str:
    if not period:
        return ""
    return f" {period}" if period in ("today", "yesterday") else f" in {period}"


def _cost(row: LedgerRow) -> tuple[Decimal | None, bool]:
    """What a row cost and whether some of it is missing: as recorded, else by the price list."""
    best = row.recorded if row.recorded.usd is not None else row.computed
    return best.usd, bool(best.missing)


def _calls(totals: LedgerRow) -> str:
    return plural(totals.calls, "call")
