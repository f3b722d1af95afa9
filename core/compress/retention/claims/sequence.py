"""What a summary says came before what, against the rows that tell of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.values import FactValue
from core.compress.retention.claims.attributed import subject
from core.compress.retention.ground.accounts import DOCUMENT
from core.compress.retention.ground.claim_words import ClaimedAct, claim_words, kind_of_check
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
    told = evidence.accounts.of(names, words, _FOUND, around=1, weighed=True, calls=True)
    accounts = [one for one in told if one.speaker != DOCUMENT]
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
