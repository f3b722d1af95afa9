"""What a refusal that caused a compaction was really about."""

from __future__ import annotations

import pytest

from core.explain.compactions.refusals import refusal_in
from core.explain.compactions.sentences import trigger_words
from core.explain.diagnose.diagnose import examine
from core.explain.events import explain
from core.explain.turns.replay import replay_turns
from core.model.compaction.event import Trigger
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home, explained, only

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


def test_a_refused_output_is_not_reported_as_a_conversation_too_long() -> None:
    assert trigger_words(Trigger.OVERFLOW) == "the provider refused the request as too long"
    assert "requested output" in trigger_words(Trigger.OVERFLOW, refused="output_cap")
    assert "requested output" not in trigger_words(Trigger.PREFLIGHT, refused="output_cap")


def test_a_refusal_without_a_word_of_length_is_not_reported_as_one_of_length() -> None:
    assert "for another reason" in trigger_words(Trigger.OVERFLOW, refused="bad_request")
    assert "connection was cut" in trigger_words(Trigger.OVERFLOW, refused="disconnect")
    hidden = refusal_in("HTTP 400: Provider returned error")  # the router's own words, the cause behind them
    assert hidden is not None
    assert "names no reason" in trigger_words(Trigger.OVERFLOW, refused=hidden.means)


def test_what_was_refused_and_what_is_left_are_counted_alike(home: Home) -> None:
    """Until 0.19 a refused request is counted without its tools, what the line says is left with them."""
    home.turn(history=24)
    home.talk(7)
    home.refused("HTTP 400: prompt is too long: 60000 tokens > 26000 maximum")
    home.started(25_600, 28)
    home.compact()
    home.done(28, 8, 27_300)
    event = only(home)
    assert event.tokens == 25_600
    assert event.tokens_after is not None
    assert event.tokens_after < 25_600
    assert "at most 26K" in (event.headline.remedy or "")


def test_a_request_larger_than_the_plan_allows_in_a_minute_is_not_told_by_its_status(home: Home) -> None:
    home.turn(history=24)
    home.talk(7)
    home.refused("HTTP 413: Request too large on tokens per minute (TPM): Limit 26000, Requested 26290")
    home.started(26_300, 28)
    home.compact()
    home.done(28, 8, 13_000)
    event = only(home)
    assert (event.trigger, event.refused) == (Trigger.PAYLOAD_TOO_LARGE, "tpm_single_request")
    assert "larger than the plan allows in a minute" in event.headline.sentence
    assert "more tokens than the plan allows in a minute" in event.explanation


def test_a_number_that_hermes_took_for_the_window_is_not_the_providers_limit(begun: MakeHome) -> None:
    """0.22 reads the prompt's size from Anthropic's sum and then accepts no summary model."""
    home = begun("0.22")
    home.turn(history=24)
    home.talk(7)
    home.refused("HTTP 400: input length and `max_tokens` exceed context limit: 26245 + 40000 > 64000")
    home.started(26_300, 28)
    home.turn_ended()
    event = only(home)
    assert "took a number of the refusal for the window" in event.headline.sentence
    assert "max_tokens" in (event.headline.remedy or "")


def test_where_telemetry_names_the_trigger_the_refusal_still_says_what_the_provider_takes(
    begun: MakeHome,
) -> None:
    home = begun("0.22")
    home.turn(history=24)
    home.talk(7)
    home.refused(
        "HTTP 400: The input token count (27807) exceeds the maximum number of tokens allowed (26000)."
    )
    home.started(27_900, 28)
    home.compact()
    home.done(28, 8, 13_600)
    home.telemetry(
        trigger_source="overflow",
        commit_status="committed",
        current_estimated_tokens=27_900,
        effective_threshold=54_400,
    )
    event = only(home)
    assert "at most 26K" in (event.headline.remedy or "")
    assert [one for one in event.evidence if "27807" in one.text]


def test_a_refusal_that_names_the_length_is_not_called_a_guess(home: Home) -> None:
    home.turn(history=24)
    home.talk(7)
    home.refused(
        "HTTP 400: This model's maximum prompt length is 30000 but the request contains 31471 tokens."
    )
    home.started(30_000, 28)
    home.compact()
    home.done(28, 8, 27_300)
    assert not [one for one in only(home).evidence if "names none" in one.text]


@pytest.mark.parametrize(
    ("enabled", "helps"), [(True, "Compress it, or "), (False, "Set compression.enabled")]
)
def test_where_compression_is_off_it_helps_only_once_it_is_on_in_why_turns_and_findings(
    begun: MakeHome, enabled: bool, helps: str
) -> None:
    home = begun(config=f"{CONFIG}compression:\n  enabled: {str(enabled).lower()}\n")
    home.turn()
    home.talk(2)
    home.refused("HTTP 400: This model's maximum context length is 40000 tokens.")
    with home.store() as store:
        explanation = explain(store, "S")
        turn = replay_turns(explanation.context, explanation.events)[-1]
        (finding,) = (one for one in examine(store, "S").findings if one.rule == "B10")
    assert (explanation.headline.remedy or "").startswith(helps)
    assert turn.unanswered is not None
    assert turn.unanswered.helps == explanation.headline.remedy
    assert f"{finding.remedy}." == explanation.headline.remedy


def test_a_threshold_above_what_the_provider_takes_is_reported_until_a_longer_request_is_answered(
    home: Home,
) -> None:
    home.turn()
    home.talk(2)
    home.refused("HTTP 400: This model's maximum context length is 40000 tokens.")
    said = "the provider refuses beyond 40,000 tokens, before 54,400 are reached"
    assert any(said in note for note in explained(home).notes)
    now = explained(home).now
    assert now.headline.sentence.startswith("The provider refuses requests beyond 40K")
    assert now.refused_at == "the provider refuses beyond 40,000"
    home.call(2, 41_000)
    assert not explained(home).now.refused_at
    assert explained(home).now.headline.sentence.startswith("Not compressed yet: ")
    assert not any(said in note for note in explained(home).notes)
