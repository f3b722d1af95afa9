"""Quantities of a summary that the messages give otherwise: a count, a limit, a number a thing goes by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence, figure_of

_LABELLED = re.compile(
    r"\b(?!lines?\b)([A-Za-z]{4,}) #?(\d{1,4})(?=[.,;:)]*(?:\s*$|\s+(?:was|were|is|are|has|had)\b))"
)
"""What goes by a number: task 3, worktree 2."""


def miscounted(sentence: str, evidence: Evidence) -> Iterator[str]:
    """The quantities of which the messages give every time another.

    Args:
        sentence: A sentence of the summary.
        evidence: What the messages bear out.
    """
    words = claim_words()
    for match in words.quantity.finditer(sentence):
        before, noun = sentence[: match.start()], match["noun"].lower()
        limit = words.limit.search(before)
        one = noun.removesuffix("s")
        things = words.counted.get(noun) or words.counted.get(one) or ((one,) if limit else ())
        told = evidence.counts(things) if things and not words.rough.search(before) else {}
        if told and figure_of(match["figure"]) not in told:
            yield match.group()
    for noun, figure in _LABELLED.findall(sentence):
        numbers = evidence.numbered(noun.lower().removesuffix("s"))
        if len(numbers) > 1 and figure not in numbers:
            yield f"{noun} {figure}"
