"""Our own reading of errors people reported, and of variants nobody did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from core.hermes.policy.policy import releases
from core.hermes.provider_errors.explain import explain_error
from core.hermes.provider_errors.failure import failure_of
from core.hermes.provider_errors.meaning import meaning_of
from core.hermes.provider_errors.shapes import SessionSize

FOUND: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("found_texts.yaml").read_text("utf-8"))
TOKENS = st.integers(min_value=2_000, max_value=3_000_000)


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case["source"])
def test_a_reported_error_is_read_with_its_limit_and_room(case: dict[str, Any]) -> None:
    found = meaning_of(failure_of(case["text"], status=case.get("status"), provider=case["provider"]))
    assert (found.kind, found.limit, found.available) == (case["class"], case.get("limit"), case.get("room"))


@given(TOKENS, TOKENS, TOKENS)
def test_the_sum_says_whether_input_or_output_was_too_much(window: int, used: int, asked: int) -> None:
    text = f"input length and `max_tokens` exceed context limit: {used} + {asked} > {window}, decrease"
    found = meaning_of(failure_of(text, status=400, provider="anthropic"))
    assert found.limit == window
    if used < window:
        assert (found.kind, found.available) == ("output_cap", window - used)
    else:
        assert (found.kind, found.available) == ("input_overflow", None)


@given(TOKENS, TOKENS)
def test_thousands_separators_do_not_change_a_reading(window: int, used: int) -> None:
    plain = f"prompt is too long: {used} tokens > {window} maximum"
    grouped = f"prompt is too long: {used:,} tokens > {window:,} maximum"
    assert meaning_of(failure_of(plain)) == meaning_of(failure_of(grouped))


@given(st.text(max_size=400), st.sampled_from([None, 200, 400, 401, 413, 429, 500, 529]))
def test_any_text_has_a_meaning(text: str, status: int | None) -> None:
    found = meaning_of(failure_of(text, status=status))
    assert found.why


def test_the_room_a_server_states_is_for_output() -> None:
    found = meaning_of(failure_of("max_tokens: 60000 > available_tokens: 53777; context window is 100000"))
    assert (found.kind, found.available) == ("output_cap", 53_777)


def test_a_filter_that_refuses_a_conversation_does_not_ask_for_another_key() -> None:
    found = meaning_of(failure_of("HTTP 403: Your request was flagged by moderation", status=403))
    assert (found.kind, "filter" in found.why) == ("bad_request", True)


def test_a_text_that_says_nothing_is_unknown() -> None:
    assert meaning_of(failure_of("it went wrong somehow")).kind == "unknown"


@pytest.mark.parametrize("release", releases())
@pytest.mark.parametrize(
    "text",
    [
        "maximum context length is {n} tokens. However, your messages resulted in {n} tokens.",
        "max_tokens: {n} > {n}, which is the maximum allowed number of output tokens",
        "maximum context length of {n} tokens: {n} output tokens, {n} tokens from the input messages",
        "prompt contains {n} input tokens, maximum context length is {n} tokens, available_tokens: {n}",
        "input length and `max_tokens` exceed context limit: {n} + {n} > {n}, decrease",
    ],
)
def test_a_number_of_thousands_of_digits_is_too_large_and_no_crash(text: str, release: str) -> None:
    failure = failure_of(text.format(n="9" * 6_000), status=400)
    assert explain_error(failure, SessionSize(), release).headline


def test_a_body_of_thousands_of_levels_is_a_text_and_no_crash() -> None:
    deep = '{"a":' * 100_000
    assert meaning_of(failure_of("it failed", status=400, body={"error": {"message": deep}})).why
