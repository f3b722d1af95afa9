"""What a summary reports, compared with the messages: acts, checks, tallies, and pairs in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.compress.facts.collect import endings
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import one_line
from core.compress.facts.topic import roots, terms
from core.compress.facts.values import FactValue
from core.compress.retention.ground.claim_words import (
    ClaimedAct,
    claim_words,
    kind_of_check,
    reporting,
)
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.ground.voices import language_of

_WHERE = 240
_COUNTED = ("numbers", "dates")
"""Kinds of values that are not names."""

_ONE_CLAUSE = 90
"""A sentence up to so many characters is one clause."""

QUOTED = re.compile(r"\"(?=\S)[^\"\n]{3,300}(?<=\S)\"|“[^”\n]{3,300}”|«[^»\n]{3,300}»|「[^」\n]{3,300}」")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
"""Says which of a thing, and is often in the result alone."""

_INSIDE = re.compile(r"\b(?:from|in|of|at|to|into|inside|within)\s[`'\"(]?$", re.IGNORECASE)
"""Comes before the name of a file in which something else was done."""

LABEL = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+)?(?:[A-Z][\w ]{2,24}:\s+)?")
PART = re.compile(r"[;:,]\s+|[；：，]")
_WITHOUT = re.compile(r"\bwithout\b(?! (?:any )?(?:errors?|problems?|failures?)\b)[^,;.]*", re.IGNORECASE)
_WHICH = re.compile(r"^\W*[A-Z][a-z]+ed(?=(?:\s+[^\s,;:]+){0,4}\s+(?:is|are)\s(?!now\b|\w+ed\b))")
"""Says which one, not that it was done: `Installed Pester is 3.4`."""

_AMOUNT = re.compile(r"\d[\d,.]*\d")
FINITE = re.compile(r"\b(?:was|were|is|are|has|have|had|been)\b")
_ONE_WORD = re.compile(r"\W*[A-Za-zÀ-ÿ]+\W*")
"""Says nothing of what it was done to: `Reverted.`"""

_ORDINAL = re.compile(r"(\d)[snrt][tdh]\b")

_AND = r"\W{1,4}(?:(?:and|und|y|et|e) )?\W{0,3}"
_PART = re.compile(r"(?<![\d.,])(\d{1,5})[ *_`]{1,3}([^\W\d_]{4,})")
_BETWEEN = re.compile(_AND)
_LEAST = 2
"""A tally has at least this many parts: `3 passed, 1 failed`."""

_ALL = re.compile(r"\ball (?:of the )?(?P<figure>[1-9]\d{0,4})\b(?! (?:of|in)\b)", re.IGNORECASE)
_NOT_ALL = re.compile(
    r"(?<![\d.,])[1-9]\d{0,4} (?:[a-z]+ )?(?:failed|failing|failures?|flagged|errors?|broken|blocked)\b"
)
"""How a program counts what did not pass."""

_FIGURES = re.compile(r"(?<![\d.,])\d{1,5}(?![\d.,]*\d)(?= [a-z])")


def false_reports(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The acts and passed checks that a sentence reports and nothing supports.

    Args:
        sentence: A sentence of the summary.
        facts: The values in it.
        evidence: What the messages support.
    """
    unclear = _ONE_WORD.fullmatch(sentence) or sentence.endswith((":", "："))
    if unclear or lexicon().error.search(sentence):
        return
    found = _doubtful(QUOTED.sub(" ", sentence), facts, evidence)
    yield from (one_line(claim, _WHERE) for claim in dict.fromkeys(found))


def _doubtful(plain: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    real = True
    for clause in _clauses_of(plain):
        # "wants X cancelled, Y refunded": a clause without its own verb is as real as the one before.
        real = not _is_unreal(clause, evidence) and (real or FINITE.search(clause) is not None)
        if (real and not _is_done(clause, facts, evidence)) or _is_refuted(clause, evidence):
            yield clause
    yield from (part for part in PART.split(plain) if not _is_checked(part, facts, evidence))


def _is_unreal(text: str, evidence: Evidence) -> bool:
    """Whether a text denies, plans or asks for something, in a language of the messages or its own."""
    unreal, voices = claim_words().unreal, evidence.accounts.voices
    if unreal.of(voices.languages).search(text):
        return True
    own = language_of(text)
    return not voices.speak(own) and unreal.of((own,)).search(text) is not None


def _is_refuted(clause: str, evidence: Evidence) -> bool:
    """Whether a clause says that what is done to the whole work failed, though every call of it went well."""
    words = claim_words()
    refused = words.refused.search(clause)
    named = (act for name, act in words.acts.items() if act.whole and re.search(rf"\b{name}", clause))
    return refused is not None and any(evidence.acts.went_well(act.did) for act in named)


def is_left_alone(name: str, sentence: str) -> bool:
    """Whether a sentence says that something was not used, which the messages then need not name."""
    clause = next((part for part in PART.split(sentence) if name in part), "")
    return claim_words().unused.search(clause) is not None


def _spoken_of(clause: str, facts: Sequence[FactValue]) -> str:
    """A clause without the names in it: `committed.go` commits nothing."""
    names = (fact.value for fact in facts if fact.category not in _COUNTED)
    for name in sorted(names, key=len, reverse=True):
        clause = clause.replace(name, " ")
    return clause


def _clauses_of(sentence: str) -> list[str]:
    """The clauses of a long sentence; a short one stays whole, so that its lists keep their verb."""
    if len(sentence) <= _ONE_CLAUSE and "，" not in sentence:
        return sentence.split("; ")
    return list(filter(None, claim_words().clause.split(sentence)))


def _is_done(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether everything that a clause claims to have happened did happen."""
    words, plain = claim_words(), _plain(clause, facts)
    if _is_unreal(plain, evidence):
        return True
    acts = words.acts.values() if words.act.search(plain) else ()
    claimed = [act for act in acts if act.pattern.search(plain)]
    things, _ = _things_of(clause, facts, evidence) if words.went_well.search(plain) else ([], False)
    if words.went_well.search(plain) and evidence.acts.failed([*_plain_roots(plain), *things]):
        return False
    of_everything = [act for act in claimed if act.whole and words.everything.search(plain)]
    if not all(evidence.acts.settled(act.did) for act in of_everything):
        return False
    return all(_happened(act, clause, facts, evidence) for act in claimed)


def _is_checked(part: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether a check that the part reports as passed did pass; its object may be named clauses before."""
    words, plain = claim_words(), _plain(part, facts)
    if not words.checks.search(plain) or _is_unreal(plain, evidence):
        return True
    return evidence.acts.passed(kind_of_check(part), at_last=words.thorough.search(part) is not None)


def _plain(clause: str, facts: Sequence[FactValue]) -> str:
    """A clause without names, what it says was left out, and what only says which."""
    return _WITHOUT.sub(" ", _WHICH.sub(" ", _spoken_of(clause, facts)))


def _happened(act: ClaimedAct, clause: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether an act happened to what the clause names; for acts on the whole, only their own part counts."""
    parts = PART.split(clause) if act.whole else [clause]
    part = next((part for part in parts if act.pattern.search(part)), clause)
    alone = (
        part
        for part in claim_words().clause.split(part)
        if act.pattern.search(part) and not act.pattern.match(part)
    )
    part = next(alone, part) if act.whole else part
    things, is_file = _things_of(part, facts, evidence)
    words = [] if things or act.whole else _plain_roots(_spoken_of(part, facts))
    of = [word for word in words if not re.search(act.did, word)]
    of += _AMOUNT.findall(part) if of else []
    code = all(fact.category == "names" for fact in facts if fact.value in part)
    files = [thing for thing in things if lexicon().file_name.fullmatch(thing.rpartition("/")[2])]
    return (act.into_file and not files) or evidence.acts.happened(
        act, things, of, to_file=is_file, in_code=bool(things) and code, files=files
    )


def _plain_roots(text: str) -> list[str]:
    """The roots of a text without figures and reporting words."""
    return [word for word in roots(text) if not word.isdigit() and word not in reporting()]


def _things_of(clause: str, facts: Sequence[FactValue], evidence: Evidence) -> tuple[list[str], bool]:
    """The things a clause names, as they would appear in a call, in lower case; whether one is a file."""
    mentioned = (fact for fact in facts if fact.value in clause)
    names = [fact for fact in mentioned if fact.category in ("ids", "paths", "names", "hashes")]
    names = [fact for fact in names if not _VERSION.fullmatch(fact.value)]
    things = []
    for fact in names:
        parts = endings(fact.value) if fact.category == "paths" else [fact.value]
        if parts:
            known = evidence.found(fact.value) or evidence.holds(parts[0])
            things.append(parts[0 if known else -1].lower())
    files = [fact.value for fact in names if fact.category == "paths"]
    return things, any(not _INSIDE.search(clause[: clause.find(path)]) for path in files)


def subject(text: str, facts: Sequence[FactValue]) -> tuple[list[str], list[str]]:
    """What a text is about: names in lower case, files by their last part, and the roots of its words."""
    named = (fact.value.lower() for fact in facts if fact.category not in _COUNTED and fact.value in text)
    names = dict.fromkeys(name.removesuffix("()").replace("\\", "/").rpartition("/")[2] for name in named)
    return list(filter(None, names)), list(roots(_ORDINAL.sub(r"\1", _spoken_of(text, facts))))


def false_counts(sentence: str, evidence: Evidence) -> Iterator[str]:
    """The tallies and totals of a sentence that the messages give otherwise."""
    yield from false_tallies(sentence, evidence)
    yield from false_totals(sentence, evidence)


def false_tallies(sentence: str, evidence: Evidence) -> Iterator[str]:
    """The tallies of a sentence that the messages give with the same parts, but only with other figures.

    Args:
        sentence: A sentence of the summary: `The verdict is 3 verified, 7 partial and 5 blocked`.
        evidence: What the messages support.
    """
    for tally in _tallies(sentence):
        figures, words = tuple(one[1] for one in tally), [one[2].lower() for one in tally]
        part = r"[ *_`]{1,3}"
        same = re.compile(_AND.join(rf"(?<![\d.,])(\d{{1,5}}){part}{re.escape(word)}\b" for word in words))
        given = {found.groups() for line in evidence.lines(words[0]) for found in same.finditer(line)}
        alone = all(
            evidence.mentions(f"{figure} {word}") or evidence.labels(figure, word)
            for figure, word in zip(figures, words, strict=True)
        )
        if given and figures not in given and not alone:
            yield sentence[tally[0].start() : tally[-1].end()]


def false_totals(sentence: str, evidence: Evidence) -> Iterator[str]:
    """What a sentence says of all, `all 87 checks passed`, where of so many some did not.

    Args:
        sentence: A sentence of the summary.
        evidence: What the messages support.
    """
    for match in _ALL.finditer(sentence):
        passed = claim_words().checks.search(sentence, match.end())
        if passed and not evidence.holds(match.group()) and _is_not_all(match["figure"], evidence):
            yield sentence[match.start() : passed.end()]


def _is_not_all(total: str, evidence: Evidence) -> bool:
    """Whether programs only counted so many together with some that did not pass."""
    lines = {line for word in ("failed", "flagged", "failures", "errors") for line in evidence.lines(word)}
    counted = [line for line in lines if _NOT_ALL.search(line) and _adds_up_to(int(total), line)]
    return bool(counted) and not any(evidence.mentions(f"{total} {word}") for word in ("passed", "ok"))


def _adds_up_to(total: int, line: str) -> bool:
    """Whether the figures of a line come to a total, which may be one of them: `82, 5, 87 in all`."""
    figures = [int(figure) for figure in _FIGURES.findall(line)]
    return sum(figures) in (total, 2 * total if total in figures else total)


def _tallies(sentence: str) -> Iterator[list[re.Match[str]]]:
    """Figures with a word each that follow one another."""
    tally: list[re.Match[str]] = []
    for part in _PART.finditer(sentence):
        if tally and not _BETWEEN.fullmatch(sentence, tally[-1].end(), part.start()):
            if len(tally) >= _LEAST:
                yield tally
            tally = []
        tally.append(part)
    if len(tally) >= _LEAST:
        yield tally


def turned_round(sentence: str, evidence: Evidence) -> Iterator[str]:
    """What a sentence says of two things in one order and the messages only in the other.

    Args:
        sentence: A sentence of the summary.
        evidence: What the messages support.
    """
    for pattern in claim_words().pairs:
        for match in pattern.finditer(sentence):
            first, second = _pair(match)
            if terms(first) and terms(second) and evidence.mentions(first) and evidence.mentions(second):
                pairs = {
                    _pair(one)
                    for line in evidence.lines(max(first, second, key=len))
                    for one in pattern.finditer(line)
                }
                if (second, first) in pairs and (first, second) not in pairs:
                    yield match.group()


def _pair(match: re.Match[str]) -> tuple[str, str]:
    return match["first"].lower().rstrip("."), match["second"].lower().rstrip(".")
