"""A cause the messages do not give is flagged where they give another, or where nothing failed that way."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("Cancel booking KX31LQ and find out why the nightly build breaks."),
    assistant("KX31LQ cannot be cancelled, since the fare of the booking is not refundable."),
    user("Then leave it. And the build?"),
    *call("terminal", "Exit code 1\nsrc/rates.go:9: declared and not used: rate", command="go build ./..."),
    assistant("The nightly build broke because `rate` is not used any more."),
    *call("patch", "ok", path="src/rates.go", old_string="rate := 1", new_string=""),
    *call("terminal", "ok", command="go build ./..."),
]


def flagged(claim: str) -> list[str]:
    return [one.where for one in retention(WORK, f"A booking and a build.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "KX31LQ could not be cancelled because the flight had left.",
        "The nightly build broke because of a syntax error.",
        "The nightly build failed due to a timeout.",
    ],
)
def test_another_cause_than_the_one_given_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "KX31LQ could not be cancelled because its fare is not refundable.",
        "The nightly build broke because `rate` is not used any more.",
        "The user asked about the build because it breaks at night.",
    ],
)
def test_the_cause_that_was_given_is_not(claim: str) -> None:
    assert flagged(claim) == []
