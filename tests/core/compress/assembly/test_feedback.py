"""Feedback reads as the release prints it."""

from __future__ import annotations

import pytest

from core.compress.assembly.feedback import Outcome, feedback
from core.hermes.policy.summary_rules import FeedbackRules

NEW = FeedbackRules(names_failures=True, names_refusals=True, size_line="Approx request size")
OLD = FeedbackRules(names_failures=False, names_refusals=False, size_line="Approx request size")
SECOND = FeedbackRules(names_failures=True, names_refusals=False, size_line="Approx request size")


def test_a_compression_names_both_counts_and_both_sizes() -> None:
    result = feedback(Outcome(150, 125, 54_828, 20_926), NEW)
    assert result.headline == "Compressed: 150 → 125 messages"
    assert result.token_line == "Approx request size: ~54,828 → ~20,926 tokens"
    assert (result.noop, result.aborted, result.fallback_used, result.note) == (False, False, False, None)


def test_nothing_changed_says_so() -> None:
    result = feedback(Outcome(7, 7, 900, 900, noop=True), NEW)
    assert result.headline == "No changes from compression: 7 messages"
    assert result.token_line == "Approx request size: ~900 tokens (unchanged)"


def test_an_unchanged_list_of_another_size_shows_both_sizes() -> None:
    assert "~900 → ~905" in feedback(Outcome(7, 7, 900, 905, noop=True), NEW).token_line


def test_fewer_messages_but_more_tokens_earns_the_note() -> None:
    note = feedback(Outcome(9, 8, 900, 1_200), NEW).note
    assert note is not None
    assert "denser summaries" in note
    assert feedback(Outcome(9, 9, 900, 1_200), NEW).note is None


def test_an_abort_preserves_everything_and_gives_the_reason_without_its_key() -> None:
    reason = "401 for sk-ant-api03-abcdefghijkl1234567890 "
    result = feedback(Outcome(40, 40, 900, 900, noop=True, aborted=True, reason=reason), NEW)
    assert result.headline == "Compression aborted: 40 messages preserved"
    assert result.note is not None
    assert result.note.endswith("no messages were removed. Reason: 401 for [redacted:anthropic-key]")


@pytest.mark.parametrize(("dropped", "said"), [(None, 25), (31, 31)])
def test_a_fallback_counts_what_it_removed(dropped: int | None, said: int) -> None:
    result = feedback(Outcome(150, 125, 900, 800, fallback_used=True, dropped=dropped), NEW)
    assert result.headline == "Compressed with fallback: 150 → 125 messages"
    assert result.note is not None
    assert f"removed {said} message(s)." in result.note


def test_releases_before_0_19_only_distinguish_changed_from_unchanged() -> None:
    aborted = feedback(Outcome(40, 40, 900, 900, noop=True, aborted=True, reason="x"), OLD)
    assert aborted.headline == "No changes from compression: 40 messages"
    assert aborted.note is None
    assert aborted.aborted, "what happened is kept although the release does not say it"
    fallback = feedback(Outcome(40, 20, 900, 800, fallback_used=True), OLD)
    assert fallback.headline == "Compressed: 40 → 20 messages"


def test_only_the_newest_releases_name_a_refusal() -> None:
    refused = Outcome(40, 40, 900, 950, refused=True)
    new = feedback(refused, NEW)
    assert new.headline == "Compression refused (summary would grow the conversation): 40 messages preserved"
    assert new.token_line == "Approx request size: ~900 tokens (unchanged)"
    assert feedback(refused, SECOND).headline == "Compressed: 40 → 40 messages"
