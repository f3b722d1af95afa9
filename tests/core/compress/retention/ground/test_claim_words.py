"""The words by which claims are found belong to their language."""

from __future__ import annotations

import pytest

from core.compress.retention.ground.claim_words import claim_words


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "noch nichts"),
        ("es", "todavía nada"),
        ("zh", "还没有"),
        ("ja", "まだです"),
        ("sv", "ikke alt"),
    ],
)
def test_what_is_denied_is_read_in_its_own_language(language: str, text: str) -> None:
    assert claim_words().unreal.of({language}).search(text)
    assert claim_words().unreal.of(()).search(text)


@pytest.mark.parametrize(("language", "text"), [("es", "zonder bon"), ("en", "pas")])
def test_a_word_of_another_language_denies_nothing(language: str, text: str) -> None:
    assert not claim_words().unreal.of({language}).search(text)


def test_what_writers_everywhere_take_from_english_counts_in_every_language() -> None:
    assert claim_words().unreal.of({"ja"}).search("TODO: デプロイ")


def test_a_language_without_words_of_its_own_forbids_nothing() -> None:
    assert not claim_words().forbids.of({"de"}).search("approval_policy: never")
    assert claim_words().forbids.of({""}).search("never touch it")
