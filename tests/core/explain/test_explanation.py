"""The headline of a conversation that was never compressed."""

from __future__ import annotations

import pytest

from core.explain.explanation import Now, calls_left, until_next
from core.model.finding import Severity


def test_a_pace_at_which_nothing_grows_is_not_counted_in_calls() -> None:
    told = until_next(Now(35_122, 150_000, 200_000, headroom=114_878), [35_117, 35_122])
    assert "at this pace" not in told.sentence


def test_it_says_how_far_the_limit_is_and_how_many_calls_that_is() -> None:
    told = until_next(Now(38_000, 150_000, 200_000, headroom=112_000), [30_000, 33_000, 36_000])
    assert told.sentence == (
        "Not compressed yet: 112K tokens below the 150K limit (0.75 of 200K), about 37 calls at this pace."
    )
    assert told.severity is None


@pytest.mark.parametrize(("prompt", "words"), [(60_000, "about 2 calls"), (110_000, "about 1 call at")])
def test_one_call_is_a_call_and_two_are_calls(prompt: int, words: str) -> None:
    told = until_next(Now(38_000, 150_000, 200_000, headroom=112_000), [0, prompt])
    assert words in told.sentence


def test_close_to_the_limit_it_says_what_can_be_done() -> None:
    told = until_next(Now(138_000, 150_000, 200_000, headroom=12_000))
    assert told.severity is Severity.INFO
    assert told.remedy is not None


def test_past_the_limit_and_blocked_is_as_bad_as_it_gets() -> None:
    told = until_next(Now(153_000, 150_000, 200_000, ("two compactions freed nothing",), -3_000))
    assert told.severity is Severity.CRITICAL
    assert "two compactions freed nothing" in told.sentence
    assert told.remedy is not None


def test_where_compression_is_switched_off_no_advice_names_compress_which_is_refused_too() -> None:
    """Run with 0.19.0, whose `/compress` then only says that compression is disabled."""
    told = until_next(Now(66_220, 54_400, 64_000, ("compression.enabled is false",), -11_820))
    assert "/compress" not in (told.remedy or "/compress")
    assert "compression.enabled: true" in (told.remedy or "")


def test_below_the_limit_it_says_what_blocks_beyond_it_and_no_pace() -> None:
    told = until_next(
        Now(38_000, 150_000, 200_000, ("compression.enabled is false",), 112_000), [1_000, 2_000]
    )
    assert told.sentence.endswith("(0.75 of 200K), and blocked beyond it: compression.enabled is false.")


def test_without_a_window_nobody_can_say() -> None:
    assert "not known" in until_next(Now(1_000, None, None)).sentence


@pytest.mark.parametrize(
    ("prompts", "calls"),
    [([], None), ([5_000], None), ([5_000, 4_000], None), ([1_000, 2_000, 500, 1_500], 10)],
)
def test_the_pace_is_that_of_requests_that_grew(prompts: list[int], calls: int | None) -> None:
    assert calls_left(10_000, prompts) == calls


def test_what_was_compressed_before_is_not_said_never_to_have_been() -> None:
    told = until_next(Now(38_000, 150_000, 200_000, headroom=112_000), compressed=True)
    assert told.sentence == "Not due yet: 112K tokens below the 150K limit (0.75 of 200K)."


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        (64_000, "Not due yet: 44.8K tokens below the gateway's 109K limit (0.85 of 128K)."),
        (
            110_000,
            "Past the gateway's 109K limit (0.85 of 128K): it will be compressed before your next message.",
        ),
    ],
)
def test_where_the_gateway_acts_first_its_limit_is_the_one_counted_down_to(tokens: int, told: str) -> None:
    now = Now(tokens, 121_600, 128_000, headroom=121_600 - tokens, gateway=108_800)
    assert until_next(now, compressed=True).sentence == told
