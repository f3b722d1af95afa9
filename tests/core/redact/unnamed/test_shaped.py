"""A word of a password's form is masked near a word of credentials; sums, cells and versions are not."""

from __future__ import annotations

import pytest

from core.redact.text import redact_text


@pytest.mark.parametrize(
    "value",
    ["Dragon@1972", "Tango-Kilo-48", "falcon.Ember73", "R@ven!48x", "MyAmberBirch77", "Slate_gravel42"],
)
@pytest.mark.parametrize(
    "around", ["crypto key group remote\n to {} for ten days", "{}\n\nthe login above", "token|{}|yes"]
)
def test_such_a_word_is_masked_wherever_credentials_are_spoken_of(value: str, around: str) -> None:
    assert value not in redact_text(around.format(value))


@pytest.mark.parametrize("value", ["Dragon@1972", "Tango-Kilo-48"])
def test_it_stays_where_nothing_mentions_any(value: str) -> None:
    assert redact_text(f"we met {value} at the harbour") == f"we met {value} at the harbour"


@pytest.mark.parametrize(
    "text",
    [
        "key of maxLanes*2 and 10*time.Second",
        "p = sin(PHI*lam2)/(PHI*lam2), PASS if it is below 5",
        "token in Outer$Inner2, cell Sheet1!B12",
        "a key for Foo?Bar2 and Fixes#991234",
        "is the token known to Steam2024?",
        "auth for lodash@17, hash 64997ac3f81aaf97@v1",
    ],
)
def test_signs_of_code_and_the_ends_of_sentences_are_none(text: str) -> None:
    assert redact_text(text) == text
