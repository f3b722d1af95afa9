"""A failed call of our own is read by the same table as those of Hermes."""

from __future__ import annotations

import pytest

from core.compress.summarise.base import FailureKind
from core.compress.summarise.remote.answers import failure_of


class RefusedError(Exception):
    """What an SDK raises for an answer with a status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status_code = status
        self.body = {"error": {"message": text}}


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (429, "You exceeded your current quota. Please retry in 34.1s.", FailureKind.RATE_LIMIT),
        (429, "Your account is suspended due to insufficient balance, please recharge", FailureKind.QUOTA),
        (403, "You've reached your usage limit for this billing cycle.", FailureKind.QUOTA),
        (403, "forbidden", FailureKind.FORBIDDEN),
        (400, "Incorrect API key provided", FailureKind.AUTH),
        (529, "Overloaded", FailureKind.OVERLOADED),
        (500, "it broke", FailureKind.SERVER),
    ],
)
def test_what_it_says_goes_before_its_status(status: int, text: str, kind: FailureKind) -> None:
    assert failure_of(RefusedError(status, text), "m at host").kind is kind
