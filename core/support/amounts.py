"""Numbers as people say them."""

from __future__ import annotations

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
