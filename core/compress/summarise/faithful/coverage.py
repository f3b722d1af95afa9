"""Choosing lines by what they tell: most weight of facts not told yet for the tokens a line costs."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from core.compress.facts.collect import Found, endings
from core.compress.facts.topic import roots
from core.compress.summarise.extract.content_selection import Estimate
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import purposes

_SENTENCES = frozenset({"asks", "constraints", "open", "decisions", "state", "errors"})
_TOLD = 0.6
_FOCUS = 3.0
"""How many times a fact of the focus counts."""

_ALIKE = 0.8
_FILL = 0.02
"""What a line is worth for its section alone, when it tells no fact that is not told yet."""


def best_lines(
    lines: Sequence[FactLine],
    facts: Sequence[tuple[Found, float]],
    room: int,
    estimate: Estimate,
    said: Sequence[FactLine] = (),
) -> list[FactLine]:
    """Lines within `room` tokens, best first; those that are fixed are taken before all others.

    A line that tells no fact anew, in words that another line has, is left out.

    Args:
        lines: Candidates, without repeats.
        facts: What is to be told, each with its weight.
        room: Tokens for all lines.
        estimate: Tokens of one line.
        said: Lines that stand already, so that nothing is said again.
    """
    words = [frozenset(roots(line.text)) for line in lines]
    spoken = [frozenset(roots(line.text)) for line in said]
    tells = _tells(lines, words, [entry for entry, _ in facts])
    left = {at: (weight * (_FOCUS if entry.in_focus else 1)) ** 2 for at, (entry, weight) in enumerate(facts)}
    chosen: list[FactLine] = []

    def worth(at: int) -> float:
        line = lines[at]
        own = _FILL * purposes()[line.kind].weight * line.weight
        return (own + sum(left.get(fact, 0.0) for fact in tells[at])) / (estimate(line.text) + 1)

    heap = [(not line.fixed, -worth(at), at) for at, line in enumerate(lines)]
    heapq.heapify(heap)
    while heap:
        late, before, at = heapq.heappop(heap)
        now = -worth(at)
        if now > before and heap and (late, now, at) > heap[0]:
            heapq.heappush(heap, (late, now, at))  # others told its facts meanwhile
            continue
        cost = estimate(lines[at].text) + 1
        told = left.keys().isdisjoint(tells[at]) and _is_said(words[at], spoken)
        if cost > room or (told and not lines[at].fixed):
            continue
        room -= cost
        chosen.append(lines[at])
        spoken.append(words[at])
        for fact in tells[at]:
            left.pop(fact, None)
    return chosen


def _is_said(words: frozenset[str], spoken: Sequence[frozenset[str]]) -> bool:
    """Whether one of some lines has most of a line's words."""
    return any(len(words & other) >= _ALIKE * len(words) for other in spoken)


def _tells(
    lines: Sequence[FactLine], words: Sequence[frozenset[str]], facts: Sequence[Found]
) -> list[list[int]]:
    """For each line the facts it tells."""
    values = [(at, _key(fact)) for at, fact in enumerate(facts) if fact.category not in _SENTENCES]
    spoken = [
        (at, frozenset(fact.told_by or roots(fact.value)))
        for at, fact in enumerate(facts)
        if fact.category in _SENTENCES
    ]
    found: list[list[int]] = []
    for line, said in zip(lines, words, strict=True):
        lower = line.text.lower()
        told = [at for at, key in values if key in lower]
        told += [at for at, words in spoken if words and len(words & said) >= _TOLD * len(words)]
        found.append(told)
    return found


def _key(fact: Found) -> str:
    parts = endings(fact.value) if fact.category == "paths" else []
    return (parts[-1] if parts else fact.value).lower()
