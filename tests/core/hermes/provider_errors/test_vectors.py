"""What five real releases answered to real errors, asked of our rules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.hermes.provider_errors.failure import ProviderFailure, failure_of
from core.hermes.provider_errors.meaning import meaning_of
from core.hermes.provider_errors.reaction import reaction
from core.hermes.provider_errors.shapes import SessionSize
from tests.shared import shared

pytestmark = pytest.mark.shared

SIZES = {"small": SessionSize(20_000, 200_000, 12), "large": SessionSize(150_000, 200_000, 220)}
RELEASES = ("0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2")


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shared("vectors/defences/errors.json").read_text())["cases"]
    return found


def failure(case: dict[str, Any]) -> ProviderFailure:
    return failure_of(
        case["message"] or "",
        status=case["status"],
        body=case["body"],
        provider=case["provider"],
        model=case["model"] or "some-model",
        base_url=case["base_url"] or "",
        exception=case["exc"] or "",
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("version", RELEASES)
def test_each_release_is_answered_for_as_it_answers(
    cases: list[dict[str, Any]], version: str, size: str
) -> None:
    told = {}
    for case in cases:
        answer = case["answers"][version]
        answer = case["answers"][answer["same_as"]] if "same_as" in answer else answer
        expected = {
            key: value
            for key, value in answer[size].items()
            if key not in ("compress", "fallback", "retryable", "rotate")
        }
        got = reaction(failure(case), SIZES[size], version.rpartition(".")[0])
        ours = {
            "class": got.kind,
            "action": got.action,
            "window_after": got.window_after,
            "retry_max_tokens": got.retry_output,
            "parsed_limit": got.limit,
            "parsed_available": got.available,
            "is_output_cap": got.output_cap,
        }
        if any(ours[key] != value for key, value in expected.items()):
            told[case["id"]] = (expected, ours)
    assert told == {}


def test_our_own_reading_is_right_for_nearly_all(cases: list[dict[str, Any]]) -> None:
    right = 0
    for case in cases:
        found = meaning_of(failure(case))
        said = (found.kind, found.limit, found.available)
        right += said == (case["label"], case["true_limit"], case["true_available"])
    assert right >= 0.95 * len(cases)
