"""What a summary says came of what, or before what, against where the messages tell of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import subject
from core.compress.retention.ground.accounts import DOCUMENT, Account
from core.compress.retention.ground.claim_words import claim_words, reporting
from core.compress.retention.ground.evidence import Evidence

_PART = re.compile(r"[;:]\s+")
_CLAUSE = re.compile(r",\s+(?:and |but |so )?")
_LONG = 60
_TOLD, _KNOWN, _NEAR = 0.45, 0.5, 500
"""Share of an effect or a cause that a place where both are told of holds, and that one somewhere must hold;
characters between the two there."""

_FOUND, _AS_WELL = 0.7, 0.85
"""Share of an act a message tells that is known to be about it, and what tells it as well as the best."""


def out_of_place(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The clauses that give a thing a cause nobody connects with it, or turn an order round.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
    """
    for part in _PART.split(sentence):
        if _came_otherwise(part, facts, evidence) or _was_later(part, facts, evidence):
            yield part


def _came_otherwise(part: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether a thing and what the clause says it came from are both told of, and never side by side."""
    match = claim_words().came_from.search(part)
    if match is None or any(pattern.search(match["effect"]) for pattern in claim_words().said_by):
        return False
    effect = _CLAUSE.split(match["effect"])[-1] if len(match["effect"]) > _LONG else match["effect"]
    cause = _CLAUSE.split(match["cause"])[0]
    names, words = subject(cause, facts, whole=True)
    if len(names) + len(words) < 2 or not (names or set(words) - reporting()):
        return False
    told = [_told(text, facts, evidence, _TOLD, around=1) for text in (effect, cause)]
    if not all(max((one.share for one in accounts), default=0.0) >= _KNOWN for accounts in told):
        return False
    return not any(abs(one.place - other.place) <= _NEAR for one in told[0] for other in told[1])


def _was_later(part: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether what tells of what the clause puts first begins and ends behind what tells of the other."""
    match = next(filter(None, (pattern.search(part) for pattern in claim_words().ordered)), None)
    if match is None or claim_words().unsure.search(part):
        return False
    first, then = (_rows(match[side], facts, evidence) for side in ("first", "then"))
    return bool(first and then) and min(first) > min(then) + 1 and max(first) > max(then)


def _rows(text: str, facts: Sequence[FactValue], evidence: Evidence) -> list[int]:
    """The messages that tell of an act as well as any."""
    names, words = subject(text, facts, whole=True)
    if len(names) + len(words) < 2:
        return []
    accounts = [one for one in _told(text, facts, evidence, _FOUND, around=1) if one.speaker != DOCUMENT]
    best = max((one.share for one in accounts), default=0.0)
    return [one.at for one in accounts if one.share >= _AS_WELL * best]


def _told(
    text: str, facts: Sequence[FactValue], evidence: Evidence, least: float, *, around: int
) -> list[Account]:
    names, words = subject(text, facts, whole=True)
    return evidence.accounts.of(names, words, least, around=around, weighed=True, calls=True)
