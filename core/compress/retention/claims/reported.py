"""What a summary reports, compared with the messages: acts, checks, wishes and rules of people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from core.compress.facts.collect import endings
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import one_line
from core.compress.facts.topic import roots, share_that_tells
from core.compress.facts.values import FactValue
from core.compress.retention.ground.claim_words import (
    Attribution,
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

_ONE_CLAUSE, _MANY_RULES = 90, 150
"""A sentence up to so many characters is one clause; a rule from so many on is a list of rules."""

QUOTED = re.compile(r"\"(?=\S)[^\"\n]{3,300}(?<=\S)\"|“[^”\n]{3,300}”|«[^»\n]{3,300}»|「[^」\n]{3,300}」")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
"""Says which of a thing, and is often in the result alone."""

_INSIDE = re.compile(r"\b(?:from|in|of|at|to|into|inside|within)\s[`'\"(]?$", re.IGNORECASE)
"""Comes before the name of a file in which something else was done."""

LABEL = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+)?(?:[A-Z][\w ]{2,24}:\s+)?")
PART = re.compile(r"[;:,]\s+|[；：，]")
_WITHOUT = re.compile(r"\bwithout\b(?! (?:any )?(?:errors?|problems?|failures?)\b)[^,;.]*", re.IGNORECASE)
_AMOUNT = re.compile(r"\d[\d,.]*\d")
_FINITE = re.compile(r"\b(?:was|were|is|are|has|have|had|been)\b")
_VOICED, _LAID_DOWN = 0.5, 0.65
"""Share of a wish, or of a rule, that a person must have said in one breath (see `Voices.voiced`)."""

_LISTED_SHARE, _STATED_SHARE, _MIN_RULE_WORDS = 0.35, 0.6, 3
"""For a rule that is only listed: this share; the share that anybody says; its fewest names and words."""

_MIN_WORDS = 2
"""A rule with fewer names and words than this is identified with reporting words too."""

_ASIDE = re.compile(r" ?\([^()]*\)|（[^（）]*）|,\s+(?:quoted|priced|offered)\s[^,;.]*")
"""An addition to a wish, in brackets or as its price: `economy, quoted at $239`."""

_ORDINAL = re.compile(r"(\d)[snrt][tdh]\b")
_LISTS = re.compile(r"^\W*(?:\w+\W+){1,5}?\w+:\s|^\W*\w+：")
_LEAD = re.compile(r"^\W*[A-Z][^:.;`]{2,60}:\s+")
"""What introduces a list of rules: `Standing orders in the later ones:`."""

_SEGMENT = re.compile(r",\s+")
_LAYS_DOWN = re.compile(r"\b(?:only|no|not|never|must|may|always|any|at (?:most|least))\b", re.IGNORECASE)
"""Words that mark a rule without saying what it is about."""

_ENDS = re.compile(
    r"[:;；：，。]\s*|\s(?:→|->)\s|,\s+(?:and|but|so|then|which|as|who|an?|the|und|aber|ein\w*|der|die|das)\b"
    r"|\s+(?:and|but|und|aber) (?:then |later |the |was |it |dann )?"
)


def false_reports(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    """The acts and passed checks that a sentence reports and nothing supports.

    Args:
        sentence: A sentence of the summary.
        facts: The values in it.
        evidence: What the messages support.
    """
    if sentence.endswith((":", "：")) or lexicon().error.search(sentence):
        return
    found = _doubtful(QUOTED.sub(" ", sentence), facts, evidence)
    yield from (one_line(claim, _WHERE) for claim in dict.fromkeys(found))


def _doubtful(plain: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[str]:
    real = True
    for clause in _clauses_of(plain):
        # "wants X cancelled, Y refunded": a clause without its own verb is as real as the one before.
        real = not claim_words().unreal.search(clause) and (real or _FINITE.search(clause) is not None)
        if (real and not _is_done(clause, facts, evidence)) or _is_refuted(clause, evidence):
            yield clause
    yield from (part for part in PART.split(plain) if not _is_checked(part, facts, evidence))


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
    if words.unreal.search(plain):
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
    if words.unreal.search(plain) or not words.checks.search(plain):
        return True
    return evidence.acts.passed(kind_of_check(part), at_last=words.thorough.search(part) is not None)


def _plain(clause: str, facts: Sequence[FactValue]) -> str:
    """A clause without names, and without what it says was left out."""
    return _WITHOUT.sub(" ", _spoken_of(clause, facts))


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


def false_wishes(
    sentence: str, facts: Sequence[FactValue], evidence: Evidence, *, rule: bool = False
) -> Iterator[str]:
    """What a sentence says people wanted, decided or refused, although nobody said it.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages support.
        rule: The summary lists it among people's rules, whoever it names.
    """
    found = list(attributions(sentence, evidence))
    for speaker, what in found:
        strict = claim_words().rule.search(speaker) is not None
        denied = claim_words().denied.search(speaker.removesuffix(what)) is not None
        parts = _SEGMENT.split(_ENDS.split(what, maxsplit=1)[0])
        strange = (_is_strange(part, facts, evidence, rule=strict, denied=denied) for part in parts)
        if not _LISTS.search(what) and any(strange):
            yield speaker
    listed = rule and not claim_words().completed.search(sentence)
    plain = _ASIDE.sub("", sentence)
    needs_names = not found and (listed or claim_words().forbids.search(plain))
    if not needs_names or _is_of_a_file(plain, facts):
        return
    if _is_made_up(sentence if rule else _LEAD.sub("", plain), facts, evidence):
        yield sentence


def _is_of_a_file(rule: str, facts: Sequence[FactValue]) -> bool:
    """Whether it is introduced as the rule of a file: `Rules in docs/STYLE.md: ...`."""
    source, label, _ = rule.partition(": ")
    return bool(label) and any(fact.category == "paths" and fact.value in source for fact in facts)


def _is_made_up(rule: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether nobody said even some of a rule that is listed without an author."""
    clauses = _ENDS.split(rule)
    clause = next(filter(claim_words().forbids.search, clauses), clauses[0])
    part = next(filter(claim_words().forbids.search, PART.split(clause)), clause)
    if len(clause) > _MANY_RULES or _FINITE.search(part):
        clause = part
    names, words = subject(_LAYS_DOWN.sub(" ", clause), facts)
    accounts, several = evidence.accounts, len(names) + len(words) >= _MIN_RULE_WORDS
    if not several or accounts.voices.language not in ("", language_of(rule)):
        return False
    voiced = max(accounts.voices.share_voiced(some, words, rule=False) for some in (names, ()))
    return voiced < _LISTED_SHARE and not accounts.of(names, words, _STATED_SHARE)


def attributions(sentence: str, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """What a sentence says people wanted, in their language: the whole statement, and the wish alone."""
    without_asides = _ASIDE.sub("", sentence)
    found = _wants(without_asides, evidence)
    ends = [*(one.start() for one in found[1:]), len(without_asides)]
    for one, end in zip(found, ends, strict=False):
        what = (
            one.groupdict().get("what")
            or without_asides[one.end() : end].strip(" .")
            or PART.split(without_asides[: one.start()])[-1]
        )
        yield without_asides[one.start() if what in without_asides[one.end() :] else 0 : end].strip(), what


def _wants(sentence: str, evidence: Evidence) -> list[re.Match[str]]:
    """Where a sentence says what people want: in their language, else in that of the whole conversation."""
    voices = evidence.accounts.voices
    for language in dict.fromkeys((voices.language or language_of(sentence), voices.common)):
        words = claim_words().attributed.get(language)
        wants = words.wants.finditer(sentence) if words else ()
        found = [want for want in wants if words and _is_of_people(want, words, evidence)]
        if found:
            return found
    return []


def _is_of_people(match: re.Match[str], words: Attribution, evidence: Evidence) -> bool:
    """Whether it is people who want something, not the assistant or a thing mentioned."""
    if match["name"]:
        name = match["name"].lower()
        own = any(evidence.holds(f"/{folder}/{name}") for folder in ("home", "users"))
        return own or evidence.accounts.voices.is_person(name)
    before = [one["people"] for one in words.speaker.finditer(match.string, 0, match.start())]
    return not match["joins"] or bool(before and before[-1])


def _is_strange(
    what: str, facts: Sequence[FactValue], evidence: Evidence, *, rule: bool, denied: bool
) -> bool:
    """Whether no person said most of a text in one breath: in one that states a rule, or denies something."""
    names, words = subject(_LAYS_DOWN.sub(" ", what), facts)
    plain = [word for word in words if word not in reporting()]
    if rule and len(names) + len(plain) < _MIN_WORDS and not any(map(str.isdigit, plain)):
        several = len(names) + len(words) >= _MIN_WORDS
        plain, rule = (words, True) if several else (plain, _LAYS_DOWN.search(what) is not None)
    least = share_that_tells(plain, _LAID_DOWN if rule else _VOICED)
    voiced = partial(evidence.accounts.voices.share_voiced, rule=rule, denial=denied)
    # A summary adds to a wish which file or branch it concerned.
    support = max(voiced(names, plain), voiced((), plain) if len(plain) >= _MIN_WORDS else 0.0)
    is_specific = len(names) + len(plain) >= _MIN_WORDS or (rule and bool(names or plain))
    return is_specific and support < least


def subject(text: str, facts: Sequence[FactValue]) -> tuple[list[str], list[str]]:
    """What a text is about: names in lower case, files by their last part, and the roots of its words."""
    named = (fact.value.lower() for fact in facts if fact.category not in _COUNTED and fact.value in text)
    names = dict.fromkeys(name.removesuffix("()").replace("\\", "/").rpartition("/")[2] for name in named)
    return list(filter(None, names)), list(roots(_ORDINAL.sub(r"\1", _spoken_of(text, facts))))
