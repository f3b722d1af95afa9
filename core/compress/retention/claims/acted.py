"""What a summary says was done to a thing that no call touched and nobody reports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.compress.facts.topic import forms_of, roots
from core.compress.facts.values import FactValue
from core.compress.retention.claims.told import ASIDE, clauses_of, things_of
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence

_BRACKETS = re.compile(r"\([^()]*\)")
_WORD = re.compile(r"[A-Za-z]{3,}")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")


def untouched(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The clauses that tell of an act on something, when no call that acts names it and nobody tells of it.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
    """
    words = claim_words()
    for clause in clauses_of(_BRACKETS.sub(" ", sentence)):
        real = not any(pattern.search(clause) for pattern in (words.unsure, words.negated, words.unreal))
        act = words.acted_on.search(_blank(clause, facts)) if real else None
        if act is None or words.leaves_alone.fullmatch(act["verb"]):
            continue
        things = _object(clause, act.start(), facts, evidence)
        forms = [form for root in roots(act["verb"]) for form in forms_of(root)]
        acted = evidence.acts.touched(things) or evidence.acts.reported(things, forms)
        if things and not acted:
            yield clause


def _blank(clause: str, facts: Sequence[FactValue]) -> str:
    """A clause with its names blotted out, every word at its place."""
    for name in sorted((fact.value for fact in facts), key=len, reverse=True):
        clause = clause.replace(name, "_" * len(name))
    return clause


def _object(clause: str, verb: int, facts: Sequence[FactValue], evidence: Evidence) -> list[str]:
    """What an act was done to: the names before its verb, a file that words stand for, any other name."""
    before, _ = things_of(clause[:verb], facts, evidence)
    things = before or _file(clause[:verb], evidence) or things_of(clause, facts, evidence)[0]
    return [thing for thing in things if not _COMMIT.fullmatch(thing)]


def _file(text: str, evidence: Evidence) -> list[str]:
    """The file two words stand for: the hook registry is `hook_registry.go`."""
    words = [word.lower() for word in _WORD.findall(ASIDE.sub(" ", text))]
    names = (f"{one}_{other}" for one, other in pairwise(words))
    return next(([name] for name in names if evidence.holds(f"{name}.")), [])
