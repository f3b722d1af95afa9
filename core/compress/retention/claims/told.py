"""Acts and checks a summary reports, against what the messages show of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.collect import endings
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import one_line
from core.compress.facts.topic import roots
from core.compress.facts.values import FactValue
from core.compress.retention.ground.claim_words import ClaimedAct, claim_words, kind_of_check, reporting
from core.compress.retention.ground.evidence import Evidence

_WHERE = 240
_ONE_CLAUSE = 90
QUOTED = re.compile(r"\"[^\"\n]{3,300}\"|“[^”\n]{3,300}”")
_INSIDE = re.compile(r"\b(?:from|in|of|at|to|into|inside|within)\s[`'\"(]?$", re.IGNORECASE)
"""Before the name of a file that something else was done in."""

LABEL = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+)?(?:[A-Z][\w ]{2,24}:\s+)?")
PART = re.compile(r"[;:,]\s+|[；：，]")
_WITHOUT = re.compile(r"\bwithout\b[^,;.]*", re.IGNORECASE)
_CLAUSE = re.compile(r"[;:,]\s+|\s+(?:and|but|so|then|und|aber)\s+|[；：，]")
_AMOUNT = re.compile(r"\d[\d,.]*\d")
_FINITE = re.compile(r"\b(?:was|were|is|are|has|have|had|been)\b")


def told(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The acts and passed checks a sentence reports that nothing bears out.

    Args:
        sentence: A sentence of the summary.
        facts: The values in it.
        evidence: What the messages bear out.
    """
    if sentence.endswith((":", "：")) or lexicon().error.search(sentence):
        return
    found = _doubtful(QUOTED.sub(" ", sentence), facts, evidence)
    yield from (one_line(claim, _WHERE) for claim in dict.fromkeys(found))


def _doubtful(plain: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    real = True
    for clause in _clauses_of(plain):
        # "wants X cancelled, Y refunded": what has no verb of its own is as real as what stands before.
        real = not claim_words().unreal.search(clause) and (real or _FINITE.search(clause) is not None)
        if real and not _is_done(clause, facts, evidence):
            yield clause
    yield from (part for part in PART.split(plain) if not _is_checked(part, facts, evidence))


def _spoken_of(clause: str, facts: Sequence[FactValue]) -> str:
    """A clause without the names in it: `committed.go` commits nothing."""
    names = (fact.value for fact in facts if fact.category not in ("numbers", "dates"))
    for name in sorted(names, key=len, reverse=True):
        clause = clause.replace(name, " ")
    return clause


def _clauses_of(sentence: str) -> list[str]:
    """A long sentence by its clauses; a short one whole, so that what it lists stays with its verb."""
    return (
        [sentence]
        if len(sentence) <= _ONE_CLAUSE and "，" not in sentence
        else [part for part in _CLAUSE.split(sentence) if part]
    )


def _is_done(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether a clause claims nothing to have happened that did not."""
    words, plain = claim_words(), _plain(clause, facts)
    if words.unreal.search(plain):
        return True
    acts = words.acts.values() if words.act.search(plain) else ()
    claimed = [act for act in acts if act.says.search(plain)]
    things, _ = _things_of(clause, facts, evidence) if words.went_well.search(plain) else ([], False)
    if words.went_well.search(plain) and evidence.acts.failed([*_telling(plain), *things]):
        return False
    whole = [act for act in claimed if act.whole and words.everything.search(plain)]
    if not all(evidence.acts.settled(act.did) for act in whole):
        return False
    return all(_happened(act, clause, facts, evidence) for act in claimed)


def _is_checked(part: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether a check the part says to have passed did; what was checked may stand clauses before that."""
    words, plain = claim_words(), _plain(part, facts)
    if words.unreal.search(plain) or not words.checks.search(plain):
        return True
    return evidence.acts.passed(kind_of_check(part), at_last=words.thorough.search(part) is not None)


def _plain(clause: str, facts: Sequence[FactValue]) -> str:
    """A clause without names, and without what it says was left out."""
    return _WITHOUT.sub(" ", _spoken_of(clause, facts))


def _happened(act: ClaimedAct, clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether an act happened to what the clause names; what is done to the whole, to its own part of it."""
    parts = PART.split(clause) if act.whole else [clause]
    part = next((part for part in parts if act.says.search(part)), clause)
    alone = (part for part in _CLAUSE.split(part) if act.says.search(part) and not act.says.match(part))
    part = next(alone, part) if act.whole else part
    things, is_file = _things_of(part, facts, evidence)
    words = [] if things or act.whole else _telling(_spoken_of(part, facts))
    of = [word for word in words if not re.search(act.did, word)]
    of += _AMOUNT.findall(part) if of else []
    code = all(fact.category == "names" for fact in facts if fact.value in part)
    did = act.file if is_file else act.did
    files = [thing for thing in things if lexicon().file_name.fullmatch(thing.rpartition("/")[2])]
    return evidence.acts.happened(
        did, things, of, by_call=is_file, on_files=bool(things) and code, files=files
    )


def _telling(text: str) -> list[str]:
    """The roots of a text but for figures and the words whoever reports brings along."""
    return [word for word in roots(text) if not word.isdigit() and word not in reporting()]


def _things_of(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> tuple[list[str], bool]:
    """What a clause speaks of by name, as it would stand in a call, in lower case; whether one is a file."""
    said = (fact for fact in facts if fact.value in clause)
    names = [fact for fact in said if fact.category in ("ids", "paths", "names", "hashes")]
    things = []
    for fact in names:
        parts = endings(fact.value) if fact.category == "paths" else [fact.value]
        if parts:
            known = evidence.found(fact.value) or evidence.holds(parts[0])
            things.append(parts[0 if known else -1].lower())
    files = [fact.value for fact in names if fact.category == "paths"]
    return things, any(not _INSIDE.search(clause[: clause.find(path)]) for path in files)
