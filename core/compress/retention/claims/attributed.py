"""What a summary says somebody wanted, noticed or turned down, when it was somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.topic import roots
from core.compress.facts.values import FactValue
from core.compress.retention.ground.accounts import ASSISTANT, DOCUMENT, USER, Account
from core.compress.retention.ground.claim_words import claim_words, reporting
from core.compress.retention.ground.evidence import Evidence

_PART = re.compile(r";\s+|,\s+(?=(?:and |but |while )?the (?:user|customer|client|assistant|agent)\b)")
_WHAT = re.compile(r": |,? (?:and|but|so|which|because|after|whether) (?:the |it |was |then )?|, ")
_END = re.compile(r",|: ")
_LONG = 50
"""Characters of what somebody is said to have said from which its first clause is looked for."""

_SAID, _HARDLY, _AS_WELL, _DISTANT = 0.65, 0.2, 0.8, 0.5
"""Shares of it that somebody who said it tells; that one who did not may tell; and what counts as much."""


def attributed(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The clauses that name one of the two as the origin of what came from the other.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
    """
    for part in _PART.split(sentence):
        said = next(filter(None, (pattern.search(part) for pattern in claim_words().said_by)), None)
        if said and _says_another(said, facts, evidence):
            yield part


def subject(
    text: str, facts: Sequence[FactValue], *, without: re.Pattern[str] | None = None, whole: bool = False
) -> tuple[list[str], list[str]]:
    """What a text is about: names in lower case, files by their last part, and roots of telling words.

    Args:
        text: The text.
        facts: The values in it.
        without: What is left out.
        whole: Take the words of whoever reports too.
    """
    named = [fact.value for fact in facts if fact.category not in ("numbers", "dates") and fact.value in text]
    for name in sorted(named, key=len, reverse=True):
        text = text.replace(name, " ")
    plain = without.sub(" ", text) if without else text
    names = dict.fromkeys(name.lower().removesuffix("()").rpartition("/")[2] for name in named)
    words = [word for word in roots(plain) if whole or word not in reporting()]
    return list(filter(None, names)), words


def _says_another(match: re.Match[str], facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether somebody else said first, or alone, what a clause says one of the two did."""
    what = match["what"]
    clause = next(filter(None, _WHAT.split(what) if len(what) > _LONG else what.split(": ")), what)
    is_origin = claim_words().originates.match(match["verb"]) is not None
    speaker = USER if claim_words().person.fullmatch(match["who"]) else ASSISTANT
    if speaker == ASSISTANT and _came_from_people(match, facts, evidence):
        return True
    names, told = subject(_END.split(what)[0], facts)
    if len(names) + len(told) >= 2:
        accounts = evidence.accounts.of(names, told, _HARDLY, around=1)
        if _is_another_s(accounts, speaker, is_origin=is_origin):
            return True
    names, told = subject(clause, facts, whole=True)
    if not is_origin or (not names and (len(told) < 2 or reporting().issuperset(told))):
        return False
    accounts = evidence.accounts.of(names, told, _HARDLY, around=1, weighed=True)
    return _is_another_s(accounts, speaker, is_origin=True)


def _came_from_people(match: re.Match[str], facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether a person refused what the assistant is said to refuse, or told it what it noticed."""
    words = claim_words()
    refused, noticed = words.refuses.match(match["verb"]), words.notices.match(match["verb"])
    names, told = subject(_END.split(match["what"])[0], facts, whole=True)
    if not (refused or noticed) or len(names) + len(told) < 2:
        return False
    accounts = evidence.accounts.of(names, told, _SAID, around=1)
    if refused:
        return any(one.speaker == USER and words.negated.search(one.text) for one in accounts)
    own = next((one for one in accounts if one.speaker == ASSISTANT), None)
    return own is not None and words.concedes.match(evidence.accounts.opening(own.at)) is not None


def _is_another_s(accounts: Sequence[Account], speaker: str, *, is_origin: bool) -> bool:
    other = ASSISTANT if speaker == USER else USER
    best = {
        who: max((one.share for one in accounts if one.speaker == who), default=0.0)
        for who in (USER, ASSISTANT, DOCUMENT)
    }
    if best[other] < _SAID or best[DOCUMENT] >= _AS_WELL * best[other]:
        return False
    if speaker == USER:
        asked = (one for one in accounts if one.speaker == other and "?" in one.text)
        return best[USER] <= _HARDLY and all(one.share < _AS_WELL * best[other] for one in asked)
    first = {who: _first(accounts, who, max(_DISTANT, _AS_WELL * best[who])) for who in (USER, ASSISTANT)}
    return is_origin and first[USER] < first[ASSISTANT]


def _first(accounts: Sequence[Account], speaker: str, least: float) -> float:
    places = (one.at for one in accounts if one.speaker == speaker and one.share >= least)
    return min(places, default=float("inf"))
