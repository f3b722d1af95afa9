"""Pairs a summary tells the other way round: this instead of that, from here to there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.compress.facts.topic import terms
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence


def turned_round(sentence: str, evidence: Evidence) -> Iterator[str]:
    """What a sentence says of two things in one order and the messages only in the other.

    Args:
        sentence: A sentence of the summary.
        evidence: What the messages bear out.
    """
    for pattern in claim_words().pairs:
        for match in pattern.finditer(sentence):
            first, second = _pair(match)
            if terms(first) and terms(second) and evidence.mentions(first) and evidence.mentions(second):
                told = {
                    _pair(one)
                    for line in evidence.lines(max(first, second, key=len))
                    for one in pattern.finditer(line)
                }
                if (second, first) in told and (first, second) not in told:
                    yield match.group()


def _pair(match: re.Match[str]) -> tuple[str, str]:
    return match["first"].lower().rstrip("."), match["second"].lower().rstrip(".")
