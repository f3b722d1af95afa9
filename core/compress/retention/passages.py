"""A summary by its lines: which of them tell a sentence in other words."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from core.compress.facts.topic import terms
from core.compress.facts.wording import roots

TOLD, TOLD_LOOSELY, TOLD_OF_LONG = 0.6, 0.5, 0.4
"""Share of a sentence's words that tell it: of a rule or an error, any other, one longer than `_LONG`."""

_LONG = 14
_READ_TOGETHER = 3
"""Lines read together."""

_MOST_TERMS = 40


class Passages:
    """Answers which lines of a summary speak of something.

    Args:
        lines: The lines that hold anything.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def hold(self, words: frozenset[str]) -> bool:
        """Whether one passage holds all of some roots."""
        return any(words <= passage for passage in self._passages)

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [frozenset((*terms(line), *terms(line.lower()))) for line in self._lines]

    @cached_property
    def _passages(self) -> list[frozenset[str]]:
        """The words of each line and the next few: sentences run over several lines."""
        own = [frozenset((*roots(line), *roots(line.lower()))) for line in self._lines]
        return [frozenset().union(*own[at : at + _READ_TOGETHER]) for at in range(len(own))]

    @cached_property
    def _postings(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, words in enumerate(self._passages):
            for word in words:
                found[word].append(at)
        return found

    def coverage(self, words: Sequence[str]) -> float:
        """Share of some roots the summary holds anywhere, 0 to 1."""
        return sum(word in self._postings for word in words) / len(words) if words else 0.0

    def tell_command(self, value: str) -> bool:
        """Whether one line holds every word of a command: those alike but for one do different things."""
        wanted = frozenset(terms(value)[:_MOST_TERMS])
        return len(wanted) > 1 and any(wanted <= words for words in self._words)

    def sharing(self, value: str, *, strict: bool) -> Iterator[str]:
        """Passages that hold a share of a sentence's words, and its figures: case 12 is not case 41.

        One with `enough` of the `n` words known at all holds one of the `n - enough + 1` rarest.
        """
        wanted = roots(value)[:_MOST_TERMS]
        share = TOLD if strict else TOLD_OF_LONG if len(wanted) > _LONG else TOLD_LOOSELY
        enough = max(2, math.ceil(share * len(wanted)))
        words = self._postings.keys() & wanted
        if len(words) < enough:
            return
        rarest = sorted(words, key=lambda term: len(self._postings[term]))
        figures = frozenset(filter(str.isdigit, wanted)) if strict else frozenset[str]()
        for at in {at for term in rarest[: max(0, len(words) - enough + 1)] for at in self._postings[term]}:
            if figures <= self._passages[at] and len(words & self._passages[at]) >= enough:
                yield "\n".join(self._lines[at : at + _READ_TOGETHER])
