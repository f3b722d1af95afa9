"""What a summary says came before what, or of what, against the rows that tell of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import subject
from core.compress.retention.ground.accounts import DOCUMENT, Account
from core.compress.retention.ground.claim_words import ClaimedAct, claim_words, kind_of_check, reporting
from core.compress.retention.ground.evidence import Evidence

PART = re.compile(r"[;:]\s+")
"""Between the parts of a sentence that tell something each."""

_FIRST = re.compile(r"(?i)\bfirst\b")
_FOUND, _AS_WELL = 0.7, 0.85
"""Share of an act a message tells that is known to be about it, and what tells it as well as the best."""


def was_later(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The sentence, when what tells of what it puts first begins and ends behind what tells of the other.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
    """
    words = claim_words()
    for part in (sentence, *PART.split(sentence)):
        match = next(filter(None, (pattern.search(part) for pattern in words.ordered)), None)
        if match is None or words.unsure.search(part):
            continue
        sides = [" ".join(filter(None, (match[side], match[f"{side}_"]))) for side in ("first", "then")]
        first, then = _rows(sides, facts, evidence)
        if first and then and min(first) > min(then) + 1 and max(first) > max(then):
            yield part
            return


def _rows(sides: Sequence[str], facts: Sequence[FactValue], evidence: Evidence) -> list[list[int]]:
    """The messages that do, or tell of, each of two acts: edits of tests and of code, commits, any other."""
    words = claim_words()
    named = [fact.value for fact in facts if fact.category not in ("numbers", "dates", "hashes")]
    since = evidence.accounts.first_of([name.lower() for name in named if name in " ".join(sides)])
    for one, other in (sides, sides[::-1]):
        if words.of_tests.search(one) and words.of_code.search(other) and not words.of_tests.search(other):
            edits = [evidence.acts.edits(of_tests=tests, since=since) for tests in (True, False)]
            return edits if one is sides[0] else edits[::-1]
    return [_told(side, facts, evidence) for side in sides]


def _told(side: str, facts: Sequence[FactValue], evidence: Evidence) -> list[int]:
    hashes = [fact.value for fact in facts if fact.category == "hashes" and fact.value in side]
    if hashes:
        return [one.at for one in evidence.acts.made(hashes[0])]
    called = _called(side, facts, evidence)
    names, words = subject(side, facts, whole=True)
    if called or len(names) + len(words) < 2:
        return called
    accounts = [one for one in told_of(side, facts, evidence, _FOUND) if one.speaker != DOCUMENT]
    best = max((one.share for one in accounts), default=0.0)
    return [one.at for one in accounts if one.share >= _AS_WELL * best]


def _called(side: str, facts: Sequence[FactValue], evidence: Evidence) -> list[int]:
    """The runs of a check a text names, or the calls named for the one act it tells."""
    words, kind = claim_words(), kind_of_check(side)
    if kind and words.run.search(side):
        rows = [one.at for one in evidence.acts.runs(kind)]
        return rows[:1] if _FIRST.search(side) else rows
    acts = [act for name, act in words.acts.items() if name in words.events and _tells(side, name, act)]
    about = [fact.value.lower() for fact in facts if fact.category == "ids" and fact.value in side]
    return evidence.acts.rows(acts[0], about) if len(acts) == 1 else []


def _tells(side: str, name: str, act: ClaimedAct) -> bool:
    return act.says.search(side) is not None or re.search(rf"(?i)\b{name}\b", side) is not None


def told_of(text: str, facts: Sequence[FactValue], evidence: Evidence, least: float) -> list[Account]:
    """The sentences and calls that hold a share of what a text tells."""
    names, words = subject(text, facts, whole=True)
    return evidence.accounts.of(names, words, least, around=1, weighed=True, calls=True)


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
