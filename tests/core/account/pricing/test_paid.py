from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from core.account.pricing.paid import paid
from core.model.transcript.session import Session

OWN, PROVIDER = "http://localhost:8000/v1", "https://api.example.com"


@pytest.mark.parametrize(
    ("usd", "urls", "expected"),
    [(None, [OWN, OWN], "nothing"), (None, [OWN, PROVIDER], "–"), (Decimal(2), [OWN], "≥$2.00")],
)
def test_a_server_of_ones_own_costs_nothing_and_a_provider_without_a_price_is_not_known(
    usd: Decimal | None, urls: list[str], expected: str
) -> None:
    sessions = [Session(str(place), Path("state.db"), base_url=url) for place, url in enumerate(urls)]
    assert paid(usd, sessions, lower_bound=True) == expected
