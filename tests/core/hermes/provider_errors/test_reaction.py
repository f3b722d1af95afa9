"""How releases react to errors, and how they distinguish them."""

from __future__ import annotations

import pytest

from core.hermes.provider_errors.classify import classify
from core.hermes.provider_errors.explain import explain_error, next_step
from core.hermes.provider_errors.failure import failure_of
from core.hermes.provider_errors.reaction import is_local_server, reaction
from core.hermes.provider_errors.shapes import SessionSize

SMALL = SessionSize(20_000, 200_000, 12)
LARGE = SessionSize(150_000, 200_000, 220)
SUM = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length"


def test_all_take_the_input_of_a_sum_for_the_window() -> None:
    found = explain_error(failure_of(SUM, status=400, provider="anthropic"), SMALL)
    assert {one.window_after for one in found.reactions} == {188_240}
    assert {one.action for one in found.reactions} == {"compress"}
    assert found.meaning.kind == "output_cap"
    assert "does not help" in found.headline


def test_an_old_release_tries_smaller_windows_where_none_is_stated() -> None:
    failure = failure_of("Input is too long for requested model.", status=400, provider="bedrock")
    assert reaction(failure, SMALL, "0.14").window_after == 128_000
    assert reaction(failure, SMALL, "0.15").window_after == 200_000


def test_a_bare_refusal_of_a_long_conversation_passes_for_an_overflow() -> None:
    failure = failure_of("Error", status=400)
    assert classify(failure, SMALL, "0.19").name == "format_error"
    assert classify(failure, LARGE, "0.19").name == "context_overflow"


def test_the_newest_release_asks_for_less_and_compresses_at_once() -> None:
    text = "max_tokens is too large: 6000. This model supports at most 4096 completion tokens."
    found = reaction(failure_of(text, status=400, provider="openai"), SMALL, "0.22")
    assert (found.action, found.retry_output, found.attempts) == ("reduce_output", 4_032, 3)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:8080/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://box", True),
        ("http://mac.local:1234", True),
        ("http://100.64.0.9", True),
        ("https://api.openai.com/v1", False),
        ("http://[2606:4700::1]/v1", False),
        ("", False),
    ],
)
def test_a_server_of_ones_own_is_reported_by_its_address(url: str, local: bool) -> None:
    assert is_local_server(url) is local


def test_a_refusal_for_want_of_credit_is_repeated_by_0_13_and_0_14_where_no_other_model_is_set() -> None:
    """Run with each release: three calls and one; with a fallback model 0.13 goes over to it at once."""
    failure = failure_of("Insufficient Balance", status=402)
    told = {one: next_step(reaction(failure, SessionSize(), one)) for one in ("0.13", "0.14", "0.15", "0.22")}
    assert ["calls 3 times" in words for words in told.values()] == [True, True, False, False]
    assert all("fallback model" in words for words in told.values())


def test_a_request_too_large_in_bytes_loses_its_pictures_since_0_18() -> None:
    """Run with each release: a turn whose result is a picture of 400,000 bytes fits then, or ends."""
    failure = failure_of("Request Entity Too Large", status=413)
    told = {one: next_step(reaction(failure, SessionSize(), one)) for one in ("0.13", "0.17", "0.18", "0.22")}
    assert ["pictures" in words for words in told.values()] == [False, False, True, True]
