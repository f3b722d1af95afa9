"""A summary is certainly wrong by all that speaks against it, not by one claim that may be our error."""

from __future__ import annotations

import pytest

from core.compress.retention.claims.caught import is_caught, surest
from core.compress.retention.claims.doubted import Worst
from core.model.compaction.preview import Unsupported
from tests.core.compress.retention.claims.test_doubted import doubt

LONG = 30
"""The sentences of a summary that is long enough for us to err somewhere."""


def claim(category: str, value: str = "", where: str = "") -> Unsupported:
    return Unsupported(value, category, where or f"{category} {value}.")


PATH = claim("paths", "src/never.py")
FIGURE, SMALL = claim("numbers", "4,160"), claim("numbers", "12 rows")
NAME, ACT, WISH = claim("names", "Kestrel"), claim("done", "It was pushed."), claim("constraints", "Never.")


def unlikely(count: int, weight: float) -> Worst:
    return {f"Line {number}.": (weight, doubt(f"Line {number}.", 1.0)) for number in range(count)}


@pytest.mark.parametrize("found", [(), (PATH,), (FIGURE, ACT), (NAME, SMALL, WISH)])
def test_claims_that_may_be_our_error_do_not_catch_a_long_summary_of_likely_sentences(
    found: tuple[Unsupported, ...],
) -> None:
    assert not is_caught(found, unlikely(5, -4.0), LONG, "en")


def test_the_same_claims_catch_it_beside_unlikely_sentences_or_when_there_are_several() -> None:
    assert is_caught((PATH,), unlikely(5, 1.0), LONG, "en")
    assert not is_caught((PATH,), unlikely(5, -1.3), LONG, "en")  # the only one may be misread
    assert is_caught((PATH, FIGURE), unlikely(5, -1.3), LONG, "en")
    assert is_caught((PATH, claim("urls", "https://never.example"), FIGURE), unlikely(5, -4.0), LONG, "en")


def test_sentences_alone_catch_it_when_several_are_very_unlikely() -> None:
    assert is_caught((), unlikely(5, 2.0), LONG, "en")
    assert not is_caught((), unlikely(2, 2.0), LONG, "en")
    assert not is_caught((), unlikely(5, -0.5), 3, "en")


def test_a_language_of_which_few_words_are_known_is_allowed_more_unlikely_sentences() -> None:
    assert is_caught((), unlikely(5, 0.6), LONG, "en")
    assert not is_caught((), unlikely(5, 0.6), LONG, "ko")
    assert not is_caught((FIGURE,), unlikely(5, 0.2), LONG, "ar")
    assert is_caught((), unlikely(5, 3.0), LONG, "ko")


def test_a_short_summary_is_caught_by_less() -> None:
    assert is_caught((FIGURE, ACT, SMALL), unlikely(3, -2.0), 3, "en")
    assert not is_caught((FIGURE, ACT, SMALL), unlikely(3, -2.0), LONG, "en")


def test_two_claims_of_one_sentence_count_once() -> None:
    apart = [claim("paths", f"src/{name}.py") for name in ("one", "two", "three")]
    same = [claim("paths", one.value, "The same sentence.") for one in apart]
    assert is_caught(apart, unlikely(5, -4.0), LONG, "en")
    assert not is_caught(same, unlikely(5, -4.0), LONG, "en")


def test_where_no_sentence_can_be_compared_values_catch_it_alone() -> None:
    assert is_caught((PATH, FIGURE), {}, LONG, "en")
    assert not is_caught((FIGURE, NAME), {}, LONG, "en")


@pytest.mark.parametrize("made_up", [PATH, claim("names", "compute_totals"), claim("numbers", "8841207")])
def test_beside_something_made_up_every_claim_is_shown(made_up: Unsupported) -> None:
    assert surest((ACT, made_up, SMALL)) == (ACT, made_up, SMALL)


@pytest.mark.parametrize(
    ("surer", "less"),
    [(FIGURE, NAME), (NAME, claim("names", "CRM")), (claim("dates", "2026-04-02"), ACT), (FIGURE, SMALL)],
)
def test_else_only_the_surest_claim_is_shown(surer: Unsupported, less: Unsupported) -> None:
    assert list(surest((less, surer))) == [surer]


def test_nothing_is_shown_of_a_summary_without_claims() -> None:
    assert list(surest(())) == []
