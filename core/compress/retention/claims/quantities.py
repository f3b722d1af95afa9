"""Quantities and numbers of things that the messages give otherwise."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

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
        before, told_of = sentence[: match.start()], match["nouns"].lower().split()
        limit = words.limit.search(before)
        noun = next((one for one in told_of if words.counted.get(one.removesuffix("s"))), told_of[0])
        one = noun.removesuffix("s")
        things = words.counted.get(noun) or words.counted.get(one) or ((one,) if limit else ())
        told = evidence.counts(things) if things and not words.rough.search(before) else set()
        if told and not _is_known(figure_of(match["figure"]), noun, told, evidence):
            yield sentence[match.start() : match.start("nouns")] + noun
    for noun, figure in _LABELLED.findall(sentence):
        numbers = evidence.numbered(noun.lower().removesuffix("s"))
        if len(numbers) > 1 and figure not in numbers:
            yield f"{noun} {figure}"


def _is_known(figure: str, noun: str, told: Collection[str], evidence: Evidence) -> bool:
    """Whether the messages give a figure for a thing, in hexadecimal too."""
    coded = figure.isdecimal() and evidence.mentions(hex(int(figure)))
    return coded or figure in told or evidence.measures(figure, noun)
