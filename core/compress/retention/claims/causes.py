"""What a summary says came of what, against where the messages tell of both and what failed there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import subject
from core.compress.retention.claims.sequence import PART, told_of
from core.compress.retention.ground.accounts import Account
from core.compress.retention.ground.claim_words import claim_words, reporting
from core.compress.retention.ground.evidence import Evidence

_CLAUSE = re.compile(r",\s+(?:and |but |so )?")
_LONG = 60
_TOLD, _KNOWN, _NEAR = 0.45, 0.5, 500
"""Share of an effect or a cause that a place where both are told of holds, and that one somewhere must hold;
characters between the two there."""

_REASONED, _HINTED = 0.7, 0.3
"""Share of an effect that a sentence with a reason for it holds, and of a cause what hints at it."""


def came_otherwise(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The clauses that give a thing a cause nobody connects with it.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
    """
    for part in PART.split(sentence):
        match = claim_words().came_from.search(part)
        if match is None or any(pattern.search(match["effect"]) for pattern in claim_words().said_by):
            continue
        effect, cause = match["effect"], _CLAUSE.split(match["cause"])[0]
        effect = _CLAUSE.split(effect)[-1] if len(effect) > _LONG else effect
        if _is_otherwise(effect, cause, facts, evidence):
            yield part


def _is_otherwise(effect: str, cause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    words = claim_words()
    mistake = next((kind for kind in words.mistakes if kind.says.search(cause)), None)
    if mistake and words.failing.search(effect) and not evidence.acts.speaks_of_failing(mistake.told):
        return True
    reasons = _reasons(effect, facts, evidence)
    if mistake and any(mistake.told.search(one.text.lower()) for one in reasons):
        return False
    return _are_apart(effect, cause, facts, evidence) or _is_none_of(reasons, cause, facts, evidence)


def _are_apart(effect: str, cause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether a thing and what it is said to come from are both told of, and never side by side."""
    names, words = subject(cause, facts, whole=True)
    if len(names) + len(words) < 2 or not (names or set(words) - reporting()):
        return False
    told = [told_of(text, facts, evidence, _TOLD) for text in (effect, cause)]
    if not all(max((one.share for one in accounts), default=0.0) >= _KNOWN for accounts in told):
        return False
    return not any(abs(one.place - other.place) <= _NEAR for one in told[0] for other in told[1])


def _reasons(effect: str, facts: Sequence[FactValue], evidence: Evidence) -> list[Account]:
    """The sentences by which people give a reason for a thing."""
    names, words = subject(effect, facts, whole=True)
    if len(names) + len(words) < 2:
        return []
    told = evidence.accounts.of(names, words, _REASONED, around=1, weighed=True)
    return [one for one in told if claim_words().gives_reason.search(one.text)]


def _is_none_of(
    reasons: Sequence[Account], cause: str, facts: Sequence[FactValue], evidence: Evidence
) -> bool:
    """Whether there are reasons, and what is said to be one is hinted at beside none of them."""
    names, words = subject(cause, facts, whole=True)
    hints = evidence.accounts.of(names, words, _HINTED, around=1, weighed=True) if reasons else []
    known = any(abs(one.place - hint.place) <= _NEAR for one in reasons for hint in hints)
    return bool(reasons and (names or words)) and not known
