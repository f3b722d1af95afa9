"""What a summary tells as done that people and assistants only asked for, weighed or proposed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import subject
from core.compress.retention.claims.contradicted import CLAUSE
from core.compress.retention.ground.accounts import CALL, DOCUMENT, Account
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence

_LONGEST = 1000
"""Characters of a sentence that tells something; a longer one lists or quotes."""

_PROPOSED, _HELD = 0.6, 0.4
"""Shares of a claim that a proposal of it holds, and that any account must hold to count."""

_SAID, _CALLED = 0.1, 0.2
"""How much less of it than the proposal what was said and what was called hold."""


class Doubt(NamedTuple):
    """A clause nothing tells as done, and the words of the messages nearest to it."""

    claim: str
    nearest: str


def only_proposed(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[Doubt]:
    """The clauses that tell something as done which is spoken of, and only as a wish.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it, all of them known to the messages.
        evidence: What the messages bear out.
    """
    words = claim_words()
    quoted = '"' in sentence or len(sentence) > _LONGEST
    for clause in () if quoted else CLAUSE.split(sentence):
        so = words.completed.search(clause) and not words.unsure.search(clause)
        if not so or words.negated.search(clause) or evidence.holds(plain := clause.strip(" .-*'")):
            continue
        nearest = _nearest_wish(clause, facts, evidence)
        if nearest is not None:
            yield Doubt(plain, nearest)


def _nearest_wish(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> str | None:
    """The wish that speaks most of what a clause tells, when nobody reports and no call did as much of it."""
    names, told = subject(clause, facts, whole=True)
    if len(names) + len(told) < 2:
        return None
    accounts = evidence.accounts.of(names, told, _HELD, weighed=True, calls=True)
    wishes = [one for one in accounts if one.speaker not in (CALL, DOCUMENT) and _is_wish(one.text)]
    best = max(wishes, key=lambda one: one.share, default=None)
    if best is None or best.share < _PROPOSED:
        return None
    said = (one for one in accounts if one not in wishes and _is_told(one))
    return None if any(one.share > best.share - _less(one) for one in said) else best.text


def _less(account: Account) -> float:
    return _CALLED if account.speaker == CALL else _SAID


def _is_told(account: Account) -> bool:
    """Whether an account tells what is so: a call did it, or somebody says so and does not deny it."""
    if account.speaker == DOCUMENT:
        return False
    return account.speaker == CALL or claim_words().negated.search(account.text) is None


def _is_wish(sentence: str) -> bool:
    words = claim_words()
    put_forward = words.put_forward.search(sentence) or words.proposed.search(sentence)
    return put_forward is not None and words.set_about.search(sentence) is None
