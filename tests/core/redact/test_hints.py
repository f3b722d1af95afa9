"""Each rule finds as much near its hints as when it searches everywhere."""

from __future__ import annotations

import random
import tarfile
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.redact import spans
from core.redact import text as masking
from core.redact.known_values import KNOWN
from core.redact.spans import ROW, Hints, Hit, hints_of, lowered, words
from tests.core.redact.corpus import credentials, innocents, nested
from tests.shared import shared

EVERYWHERE = ("tools", "columns", "groups", "calls", "said", "inserts", "pairs")
"""Rules whose words only say where to look; those of the others are part of what is found."""


def everywhere(text: str) -> Hints:
    """Hints that keep no rule from looking anywhere."""
    lower, each = lowered(text), range(len(text))
    found = {
        rule: {
            number: each if rule in EVERYWHERE else every(word.lower(), lower)
            for number, word in enumerate(spelled)
        }
        for rule, spelled in words().items()
    }
    return Hints(lower, [(at, len(text)) for at in each], found)


def every(word: str, text: str) -> list[int]:
    return [last - len(word) + 1 for last, _ in spans.one_by_one(text, {word: None})]


def both_ways(text: str) -> tuple[list[Hit], list[Hit]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masking, "shaped", lambda text, places: ())  # asks what is near, and that is everything
        fast = masking.find(text)
        patch.setattr(masking, "hints_of", everywhere)
        return fast, masking.find(text)


@pytest.mark.parametrize("seed", [3, 11])
def test_nothing_of_the_corpus_is_missed(seed: int) -> None:
    texts = [form for credential in credentials(seed) for form in nested(credential.text)]
    for text in random.Random(seed).sample(texts, 150):
        fast, slow = both_ways(text)
        assert fast == slow, text


def test_nothing_is_found_in_what_is_innocent_that_would_not_be_anyway() -> None:
    for text in random.Random(5).sample(list(innocents(5)), 150):
        fast, slow = both_ways(text)
        assert fast == slow, text


PIECES = (
    *(word for spelled in words().values() for word in spelled[::9]), "password", "PASS", "token", "key",
    "-p", "-u bob:", "--password ", " ", "\n", "\\n", '"', '\\"', "\\\\\\\"", "'", "=", ": ", " is ", " | ",
    "\t", "(", ",", ")", "[", "{", "- ", "insert into t (a, password) values ('x', 'Tango-99x')",
    "Tango-99x", "harbour2004", "8f3a91c07be24d5586aa01f2", "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW", "acme_",
    "ab.", "İ", "ſ", "é", "+", "/", "1234567890",
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_nothing_of_made_up_texts_is_missed(text: str) -> None:
    fast, slow = both_ways(text)
    assert fast == slow


def transcripts() -> Iterator[str]:
    """Pieces of what was said in real conversations."""
    rng = random.Random(8)
    with tarfile.open(shared("data/claude-code-sessions.tar.xz"), "r|xz") as archive:
        for member in islice((one for one in archive if one.name.endswith(".jsonl")), 20):
            stored = archive.extractfile(member)
            lines = stored.read().decode("utf-8", "replace").splitlines() if stored else []
            for line in rng.sample(lines, min(6, len(lines))):
                at = rng.randrange(max(1, len(line) - 400))
                yield line[at : at + 400]


@pytest.mark.shared
def test_nothing_of_real_conversations_is_missed() -> None:
    for text in transcripts():
        fast, slow = both_ways(text)
        assert fast == slow, text


SPELLED = {"pass": 0, "password": 1, "word": 2, "ss": 3, "a": 4}


@given(st.text("paswordx ", max_size=40))
def test_word_by_word_is_as_all_at_once(text: str) -> None:
    at_once, singly = spans.search_for(SPELLED), spans.one_by_one(text, SPELLED)
    assert sorted(at_once(text)) == sorted(singly)


@pytest.mark.parametrize("dull", ["", "ran src/x.py, error: 42", "def test_region_42():", "word " * 99])
def test_a_dull_text_holds_no_hint(dull: str) -> None:
    told = hints_of(dull)
    assert not told.rows
    assert not {rule for rule in told.found if rule not in ("kinds", "places")}


@pytest.mark.parametrize("length", [ROW - 1, ROW, 3 * ROW])
def test_a_long_row_is_one(length: int) -> None:
    assert bool(hints_of(f"so {'a' * length} it").rows) == (length >= ROW)


DULL, SECRET = "ran src/x.py error: 42 token ", 'password = "hunter2horse7"'


def test_a_long_text_is_looked_at_as_often_as_its_words_are_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked_at(times: int) -> int:
        seen: list[int] = []
        with monkeypatch.context() as patch:
            patch.setattr(masking, "hints_of", lambda text: counted(hints_of(text), seen))
            assert len(masking.find(DULL * times + SECRET + DULL * times)) == 1
        return sum(seen)

    assert looked_at(4_000) <= 2.1 * looked_at(2_000)


def counted(told: Hints, seen: list[int]) -> Hints:
    seen.extend(len(places) for rule in told.found for _, places in told.by_word(rule))
    return told


def test_a_very_long_text_is_searched_once_and_what_was_learned_since_is_masked_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[int] = []

    def noted(text: str) -> Hints:
        searched.append(len(text))
        return hints_of(text)

    monkeypatch.setattr(masking, "hints_of", noted)
    text = DULL * 50_000 + SECRET + " and swordfish77x"
    assert masking.redact_text(text) == masking.redact_text(text)
    KNOWN.learn([("swordfish77x", "secret-value")])
    assert masking.redact_text(text).count("[redacted:") == 2
    assert searched == [len(text)]
