"""Numbers, and numbers of things, as people say them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from core.support.own_files import own_setting

_ABSURD = Decimal(10) ** 20
"""An amount that no digits are worth writing out for; rounding it to cents would fail."""
_STEPS = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "K"))


def short(value: int) -> str:
    """A whole number in at most five characters, a sign aside: `940`, `54.8K`, `412K`, `1.9M`."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    for step, letter in _STEPS:
        # 999,950 would round to "1000.0K": it belongs to the next step.
        if size >= step * 0.9995:
            scaled = size / step
            return f"{sign}{scaled:.0f}{letter}" if scaled >= 99.95 else f"{sign}{scaled:.1f}{letter}"
    return f"{sign}{size}"


def round_number(value: int) -> str:
    """The same without a fraction of nothing: `150K`, `54.4K`, `200K`, `64K`."""
    return short(value).replace(".0", "")


NEAR_LIMIT = 0.85
"""Share of a threshold from which the next compaction is close."""


def limit(threshold: int, window: int | None) -> str:
    """A threshold as people say it: `150K limit (0.75 of 200K)`."""
    share = f" ({threshold / window:.2f} of {round_number(window)})" if window else ""
    return f"{round_number(threshold)} limit{share}"


def dollars(usd: Decimal) -> str:
    """US dollars: `$14.02`, `$0.0042`, `$0` only for a true zero; as `formats.money` wants the small ones."""
    sign, amount = ("-" if usd < 0 else ""), abs(usd)
    return f"{sign}${_amount(amount)}"


def _amount(amount: Decimal) -> str:
    if not amount:
        return "0"
    if not amount.is_finite() or amount >= _ABSURD:
        return f"{amount:.2e}"
    shape = own_setting("formats", "money")
    if shape == "exact":
        return f"{amount.quantize(Decimal('0.0001'), ROUND_HALF_UP):,}"
    if amount >= Decimal("0.095") or shape == "cents":
        return f"{amount.quantize(Decimal('0.01'), ROUND_HALF_UP):,}"
    # Two significant digits: $0.0042 says something where $0.00 does not.
    step = Decimal(1).scaleb(amount.adjusted() - 1)
    return f"{amount.quantize(step, ROUND_HALF_UP):f}"


def percent(share: float) -> str:
    """A share as whole percent, `91%`; what is neither none nor all never rounds to 0% or 100%."""
    if 0 < share < 0.01:
        return "<1%"
    return ">99%" if 0.99 < share < 1 else f"{share * 100:.0f}%"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """`1 message`, `1,240 messages`; `many` is the plural where it takes more than an s."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"
