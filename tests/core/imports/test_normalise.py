"""Usage of every provider shape becomes buckets."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.imports.fields import normalise, one_hour_writes
from core.model.accounting.amounts import Buckets

ANTHROPIC = {
    "input_tokens": 12,
    "output_tokens": 300,
    "cache_read_input_tokens": 9000,
    "cache_creation_input_tokens": 450,
}
CHAT = {
    "prompt_tokens": 1000,
    "completion_tokens": 80,
    "prompt_tokens_details": {"cached_tokens": 640},
    "completion_tokens_details": {"reasoning_tokens": 30},
}
RESPONSES = {
    "input_tokens": 1000,
    "output_tokens": 90,
    "input_tokens_details": {"cached_tokens": 700, "cache_creation_tokens": 50},
    "output_tokens_details": {"reasoning_tokens": 40},
}
DEEPSEEK = {
    "prompt_tokens": 500,
    "completion_tokens": 20,
    "prompt_cache_hit_tokens": 448,
    "prompt_cache_miss_tokens": 52,
}
OPENROUTER = {
    "prompt_tokens": 800,
    "completion_tokens": 60,
    "cache_read_input_tokens": 500,
    "cache_creation_input_tokens": 100,
}
GEMINI = {
    "promptTokenCount": 2000,
    "candidatesTokenCount": 100,
    "cachedContentTokenCount": 1500,
    "thoughtsTokenCount": 60,
}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (ANTHROPIC, Buckets(12, 9000, 450, 300, 0)),
        (CHAT, Buckets(360, 640, 0, 80, 30)),
        (RESPONSES, Buckets(250, 700, 50, 90, 40)),
        (DEEPSEEK, Buckets(52, 448, 0, 20, 0)),
        (OPENROUTER, Buckets(200, 500, 100, 60, 0)),
        (GEMINI, Buckets(500, 1500, 0, 160, 60)),
    ],
)
def test_every_shape_gives_its_buckets(raw: Any, expected: Buckets) -> None:
    assert normalise(raw) == expected


def test_a_cache_larger_than_the_prompt_leaves_no_negative_input() -> None:
    exclusive = {
        "prompt_tokens": 100,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 120},
    }
    buckets = normalise(exclusive)
    assert (buckets.input, buckets.prompt) == (0, 120)


def test_anthropic_input_is_taken_as_it_is() -> None:
    assert normalise({"input_tokens": 5, "cache_read_input_tokens": 900}).input == 5


@pytest.mark.parametrize("junk", [None, {}, [], "", 0, {"prompt_tokens": "many"}, {"prompt_tokens": [1]}])
def test_junk_counts_as_nothing(junk: Any) -> None:
    assert normalise(junk) == Buckets(0, 0, 0, 0, 0)


def test_numbers_in_strings_and_floats_are_numbers() -> None:
    assert normalise({"prompt_tokens": "12", "completion_tokens": 3.0}) == Buckets(12, 0, 0, 3, 0)


def test_writes_kept_for_an_hour_are_distinguished() -> None:
    raw = {"cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 90}}
    assert (one_hour_writes(raw), one_hour_writes({})) == (90, 0)


COUNT = st.integers(0, 10**7)


@given(prompt=COUNT, read=COUNT, write=COUNT, output=COUNT)
def test_the_prompt_never_shrinks_below_what_the_provider_said(
    prompt: int, read: int, write: int, output: int
) -> None:
    raw = {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "prompt_tokens_details": {"cached_tokens": read, "cache_write_tokens": write},
    }
    buckets = normalise(raw)
    assert buckets.prompt is not None
    assert buckets.prompt == max(prompt, read + write)
    assert buckets.total == buckets.prompt + output
