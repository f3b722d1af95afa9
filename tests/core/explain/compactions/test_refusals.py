"""What a refusal behind a compaction truly was about, and how that is told."""

from __future__ import annotations

import pytest

from core.explain.compactions.causes import trigger_words
from core.explain.compactions.refusals import refusal_in
from core.model.compaction.event import Trigger

SUM = "HTTP 400: input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease"


@pytest.mark.parametrize(
    ("text", "means", "limit"),
    [
        ("HTTP 400: prompt is too long: 208310 tokens > 200000 maximum", "input_overflow", 200_000),
        (SUM, "output_cap", 200_000),
        (
            "HTTP 400: max_tokens is too large: 6000. This model supports at most 4096 completion tokens",
            "output_cap",
            None,
        ),
        (  # as 0.22.2 logged it, and then lowered the output
            "API call failed (attempt 1/3) error_type=RateLimitError provider=custom model=m "
            "summary=HTTP 429: [400]: max_tokens (40000) exceeds model's maximum output tokens (4096)",
            "output_cap",
            None,
        ),
        (
            "HTTP 429: This request would exceed the rate limit of 40,000 input tokens per minute",
            "rate_limit",
            None,
        ),
    ],
)
def test_a_refusal_is_read_for_what_it_is(text: str, means: str, limit: int | None) -> None:
    found = refusal_in(text)
    assert found is not None
    assert (found.trigger, found.means, found.limit) == (Trigger.OVERFLOW, means, limit)


def test_a_refused_output_is_not_told_as_a_conversation_too_long() -> None:
    assert trigger_words(Trigger.OVERFLOW) == "the provider refused the request as too long"
    assert "requested output" in trigger_words(Trigger.OVERFLOW, refused="output_cap")
    assert "requested output" not in trigger_words(Trigger.PREFLIGHT, refused="output_cap")


def test_a_refusal_without_a_word_of_length_is_not_told_as_one_of_length() -> None:
    assert "for another reason" in trigger_words(Trigger.OVERFLOW, refused="bad_request")
    assert "connection was cut" in trigger_words(Trigger.OVERFLOW, refused="disconnect")
