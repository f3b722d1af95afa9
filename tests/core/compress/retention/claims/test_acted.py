"""An act on a thing that no call touched and nobody reports is flagged."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("Read the rate table and move the tax rules into src/tax_rules.py."),
    *call("read_file", "def gross_of(net): return net * RATE_OF_DAY", path="src/rate_table.py"),
    *call("lookup_flight", "XQ071 leaves at nine", flight="XQ071"),
    *call("write_file", "ok", path="src/tax_rules.py", content="def net_of(gross): return gross"),
    *call("create_ticket", "created OPS-771", title="tax rules"),
    assistant("The tax rules stand in src/tax_rules.py. I would simplify gross_of next."),
]


def flagged(claim: str) -> list[str]:
    return [one.where for one in retention(WORK, f"The tax rules.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "The trip was moved to XQ071.",
        "`gross_of` was inlined.",
        "The rate table was switched over to net_of.",
        "`gross_of` is now wrapped.",
    ],
)
def test_what_no_call_touched_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "src/tax_rules.py was reworked.",
        "The tax rules were moved.",
        "`gross_of` was not inlined.",
        "`gross_of` should be inlined.",
        "`gross_of` was read.",
        "OPS-771 was opened for it.",
    ],
)
def test_what_a_call_touched_or_nothing_claims_is_not(claim: str) -> None:
    assert flagged(claim) == []
