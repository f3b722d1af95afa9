"""An index of the messages, searched for what a summary left out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.compress.facts.readable import decoded, one_line
from core.compress.facts.topic import roots
from core.model.transcript.message import Message
from core.support.json_escapes import without_escapes

_EXCERPT = 200
_READ = 2000
"""Characters of a line that are scored for an excerpt."""
_WHOLE, _PART = 4, 2
"""Bonus of a text that has the query as typed: as whole words, or as part of longer ones."""

_MIN_SHARE = 0.5
"""Share of the query's weight a message must have."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A message that matches a query.

    Attributes:
        index: Its index in the list of messages.
        score: Share of the query's weight it has, 0 to 1; plus 2 if it has the query as typed as part of
            longer words, or plus 4 if as whole words.
        excerpt: The line that matches best. Untrusted.
    """

    index: int
    score: float
    excerpt: str

    @property
    def exactness(self) -> int:
        """2 if the query occurs as typed, 1 if as part of longer words, else 0."""
        return int(self.score) // _PART


class RecallIndex:
    """Finds messages by their words, rare words first (inverse document frequency, Sparck Jones 1972)."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._texts = [_text(message) for message in messages]
        self._words = [frozenset(roots(text)) for text in self._texts]
        self._counts = Counter(word for words in self._words for word in words)

    def find(self, query: str, limit: int = 20) -> list[Recalled]:
        """The messages that match most of a query, best first; among equals the newest first."""
        query_words = roots(query)
        weights = {word: math.log(1 + len(self._texts) / max(1, self._counts[word])) for word in query_words}
        total, typed = sum(weights.values()), _Typed(" ".join(query.lower().split()))
        found: list[Recalled] = []
        for at, words in enumerate(self._words):
            score = sum(weight for word, weight in weights.items() if word in words) / total if total else 0.0
            score += typed.bonus(self._texts[at])
            if score >= _MIN_SHARE:
                found.append(
                    Recalled(at, round(score, 3), _best_line(self._texts[at], typed, frozenset(query_words)))
                )
        return sorted(found, key=lambda one: (-one.score, -one.index))[:limit]


def _text(message: Message) -> str:
    calls = (f"{call.name} {without_escapes(call.arguments)}" for call in message.tool_calls)
    text = decoded(message.text) if message.role == "tool" else message.text
    return "\n".join(part for part in (text, *calls) if part)


class _Typed:
    """The words of a query as they were typed."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._alone = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")

    def bonus(self, text: str) -> int:
        """The bonus of a text for having them."""
        lower = text.lower()
        if not self._words or self._words not in lower:
            return 0
        return _WHOLE if self._alone.search(lower) else _PART

    def place(self, line: str) -> int:
        """The offset at which they occur, preferably as whole words; -1 if nowhere."""
        lower = line.lower()
        alone = self._alone.search(lower)
        return lower.find(self._words) if alone is None else alone.start()


def _best_line(text: str, typed: _Typed, query_words: frozenset[str]) -> str:
    lines = [line for line in text.splitlines() if line.strip()]

    def score(line: str) -> tuple[int, int]:
        return typed.bonus(line), len(query_words & frozenset(roots(line[:_READ])))

    best = max(lines, key=score, default="")
    at = max(0, typed.place(best) - _EXCERPT // 2) if len(best) > _EXCERPT else 0
    return one_line(best[at:], _EXCERPT)
