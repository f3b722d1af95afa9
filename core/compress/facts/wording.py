"""Words compared as a reader compares them: whatever their ending, and synonyms as one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from core.compress.facts.topic import stem, terms
from core.support.yaml_tables import load_table

_LONGEST = 6
"""Letters a root keeps: `cancelled`, `cancellation` and `cancel` are one."""

_SHORTEST = 4


@lru_cache(maxsize=16384)
def roots(text: str) -> tuple[str, ...]:
    """The content words of a text as roots, in order, each once; figures and CJK pairs as they are."""
    return tuple(dict.fromkeys(map(root, terms(text))))


@lru_cache(maxsize=65536)
def root(term: str) -> str:
    """A stem without its last vowel and doubled letter, cut short; synonyms share one."""
    known = _synonyms().get(term)
    if known is not None:
        return known
    word = term
    if word.isascii() and word.isalpha() and len(word) > _SHORTEST:
        word = word.rstrip("ieay") if len(word.rstrip("ieay")) >= _SHORTEST else word
        if len(word) > _SHORTEST and word[-1] == word[-2]:
            word = word[:-1]
        word = word[:_LONGEST]
    return _synonyms().get(word, word)


@cache
def _synonyms() -> Mapping[str, str]:
    table: list[list[str]] = load_table("core/compress/facts/wording.yaml")
    return {form: f"={group[0]}" for group in table for word in group for form in (word, stem(word))}
