"""Words around numbers."""

from __future__ import annotations

from decimal import Decimal

import pytest

from core.support.amounts import dollars, plural


def test_one_is_singular_and_every_other_number_plural() -> None:
    assert plural(1, "session") == "1 session"
    assert plural(1_518, "session") == "1,518 sessions"
    assert plural(2, "branch", "branches") == "2 branches"
    assert plural(0, "session") == "0 sessions"


@pytest.mark.parametrize(("usd", "told"), [("0.0949", "$0.095"), ("0.095", "$0.10"), ("-0.0042", "-$0.0042")])
def test_cents_are_told_from_where_they_say_as_much_as_two_digits(usd: str, told: str) -> None:
    assert dollars(Decimal(usd)) == told
