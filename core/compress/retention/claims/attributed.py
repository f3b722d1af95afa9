"""What a summary says people wanted, decided, laid down or said, compared with what they said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from core.compress.facts.lexicon import lexicon
from core.compress.facts.topic import roots, share_that_tells
from core.compress.facts.values import FactValue
from core.compress.retention.claims.reported import FINITE, PART, subject
from core.compress.retention.ground.claim_words import Attribution, claim_words, reporting
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.ground.voices import language_of

_MANY_RULES = 150
"""A rule from so many characters on is a list of rules."""

_VOICED, _LAID_DOWN = 0.5, 0.65
"""Share of a wish, or of a rule, that a person must have said in one breath (see `Voices.share_voiced`)."""

_LISTED_SHARE, _STATED_SHARE, _MIN_RULE_WORDS = 0.35, 0.6, 3
"""For a rule that is only listed: this share; the share that anybody says; its fewest names and words."""

_MIN_WORDS, _MANY_WORDS = 2, 4
"""A rule with fewer names and words is identified with reporting words too, as is a wish with many."""

_ASIDE = re.compile(r" ?\([^()]*\)|（[^（）]*）|,\s+(?:quoted|priced|offered)\s[^,;.]*")
"""An addition to a wish, in brackets or as its price: `economy, quoted at $239`."""

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

_QUOTED = re.compile(r"[\"“„«「『](?=\S)([^\"“”„«»「」『』\n]{8,300})(?<=\S)[\"”“»」』]")

_WORD = re.compile(r"[^\W\d_]{3,}")

_LEAST_WORDS = 3
"""A quotation with fewer words may be a name or an emphasis."""


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
    found, languages = list(attributions(sentence, evidence)), evidence.accounts.voices.languages
    for speaker, what in found:
        strict = claim_words().rule.of(languages).search(speaker) is not None
        denied = claim_words().denied.of(languages).search(speaker.removesuffix(what)) is not None
        parts = _SEGMENT.split(_ENDS.split(what, maxsplit=1)[0])
        strange = (_is_strange(part, facts, evidence, rule=strict, denied=denied) for part in parts)
        if not _LISTS.search(what) and any(strange):
            yield speaker
    listed = rule and not claim_words().completed.of(languages).search(sentence)
    plain = _ASIDE.sub("", sentence)
    needs_names = not found and (listed or _forbids(plain).search(plain))
    if not needs_names or _is_of_a_file(plain, facts):
        return
    if _is_made_up(sentence if rule else _LEAD.sub("", plain), facts, evidence):
        yield sentence


def _is_of_a_file(rule: str, facts: Sequence[FactValue]) -> bool:
    """Whether it is introduced as the rule of a file: `Rules in docs/STYLE.md: ...`."""
    source, label, _ = rule.partition(": ")
    return bool(label) and any(fact.category == "paths" and fact.value in source for fact in facts)


def _forbids(rule: str) -> re.Pattern[str]:
    """What forbids in the language of a rule; elsewhere `never` is the value of a setting."""
    return claim_words().forbids.of({language_of(rule)})


def _is_made_up(rule: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether nobody said even some of a rule that is listed without an author."""
    clauses, forbids = _ENDS.split(rule), _forbids(rule)
    clause = next(filter(forbids.search, clauses), clauses[0])
    part = next(filter(forbids.search, PART.split(clause)), clause)
    if len(clause) > _MANY_RULES or FINITE.search(part):
        clause = part
    names, words = subject(_LAYS_DOWN.sub(" ", clause), facts)
    accounts, several = evidence.accounts, len(names) + len(words) >= _MIN_RULE_WORDS
    if not several or accounts.voices.language not in ("", language_of(rule)):
        return False
    voiced = max(accounts.voices.share_voiced(some, words, rule=False) for some in (names, ()))
    if voiced >= _LISTED_SHARE or accounts.of(names, words, _STATED_SHARE):
        return False
    weights = accounts.weigh((), words)
    lines = evidence.lines(max(names, key=len) if names else max(words, key=weights.__getitem__))
    return not any(accounts.share(words, roots(line)) >= _STATED_SHARE for line in lines)


def attributions(sentence: str, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """What a sentence says people wanted, in their language: the whole statement, and the wish alone."""
    without_asides = _ASIDE.sub("", sentence)
    found = _wants(without_asides, evidence)
    ends = [*(one.start() for one in found[1:]), len(without_asides)]
    for one, end in zip(found, ends, strict=False):
        what = (
            one.groupdict().get("what")
            or without_asides[one.end() : end].strip(" .")
            or PART.split(without_asides[: one.start()].rstrip(" ,"))[-1]
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
    alone = plain if len(plain) >= _MIN_WORDS else words if len(words) >= _MANY_WORDS else ()
    support = max(voiced(names, plain), voiced((), alone) if alone else 0.0)
    is_specific = len(names) + len(plain) >= _MIN_WORDS or (rule and bool(names or plain))
    return is_specific and support < least


def false_quotations(sentence: str, evidence: Evidence, *, same_language: bool) -> Iterator[str]:
    """What a sentence quotes although the messages have not even half of its words.

    Args:
        sentence: A sentence of the summary.
        evidence: What the messages support.
        same_language: It is in that of the messages; else only errors of programs are quoted as they are.
    """
    for match in _QUOTED.finditer(sentence):
        words = _WORD.findall(match[1].lower())
        if len(words) >= _LEAST_WORDS and (same_language or _is_error(match[1])):
            known = sum(map(evidence.holds, words))
            if 2 * known < len(words) and not evidence.holds(match[1]):
                yield match[1]


def _is_error(text: str) -> bool:
    return any(sign.search(text) for sign in (lexicon().error, lexicon().error_words))
