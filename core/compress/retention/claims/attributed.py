"""What a summary says people wanted, decided or refused, against what they said themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from core.compress.facts.topic import roots
from core.compress.facts.values import FactValue
from core.compress.retention.ground.claim_words import Attribution, claim_words, reporting
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.ground.voices import language_of

_VOICED, _LAID_DOWN = 0.5, 0.65
"""Share of what somebody is said to have wanted, or laid down, that a person must have said in one breath."""

_LISTED, _TOLD, _FEWEST = 0.35, 0.6, 3
"""The same of a rule that is only listed; share of it that anybody tells; its fewest names and words."""

_FEW = 2
"""Names and words that tell a wish or a rule; of a rule with fewer those of whoever reports count too."""

_ASIDE = re.compile(r" ?\([^()]*\)|（[^（）]*）|,\s+(?:quoted|priced|offered)\s[^,;.]*")
"""What is added to what somebody wanted, in brackets or as its price: `economy, quoted at $239`."""

_LISTS = re.compile(r"^\W*(?:\w+\W+){1,5}?\w+[:：]\s")
_SEGMENT = re.compile(r",\s+")
_LAYS_DOWN = re.compile(r"\b(?:only|no|not|never|must|may|always|any|at (?:most|least))\b", re.IGNORECASE)
"""Words that say that something is a rule, and not of what."""

_ENDS = re.compile(
    r"[:;；：，。]\s*|\s(?:→|->)\s|,\s+(?:and|but|so|then|which|as|who|an?|the|und|aber|ein\w*|der|die|das)\b"
    r"|\s+(?:and|but|und|aber) (?:then |later |the |was |it |dann )?"
)


def unvoiced(
    sentence: str, facts: Sequence[FactValue], evidence: Evidence, *, rule: bool = False
) -> Iterator[str]:
    """What a sentence says people wanted, decided or refused, and nobody said.

    Args:
        sentence: A sentence of the summary, without what it quotes.
        facts: The values in it.
        evidence: What the messages bear out.
        rule: The summary lists it among what people laid down, whoever it names.
    """
    found = list(attributions(sentence, evidence))
    for told, what in found:
        strict = claim_words().rule.search(told) is not None
        parts = _SEGMENT.split(_ENDS.split(what, maxsplit=1)[0])
        if any(_is_strange(part, facts, evidence, rule=strict) for part in parts if not _LISTS.search(what)):
            yield told
    bare = not found and (rule or claim_words().forbids.search(sentence))
    if bare and _is_made_up(sentence, facts, evidence):
        yield sentence


def _is_made_up(rule: str, facts: Sequence[FactValue], evidence: Evidence) -> bool:
    """Whether nobody said even some of a rule that is listed without saying whose it is."""
    names, words = subject(_LAYS_DOWN.sub(" ", _ENDS.split(rule, maxsplit=1)[0]), facts)
    accounts, several = evidence.accounts, len(names) + len(words) >= _FEWEST
    if not several or language_of(rule) != accounts.voices.language:
        return False
    voiced = max(accounts.voices.voiced(some, words, rule=False) for some in (names, ()))
    return voiced < _LISTED and not accounts.of(names, words, _TOLD)


def attributions(sentence: str, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """What a sentence says people wanted, in the language they speak: all that is told, and what alone."""
    spoken = _ASIDE.sub("", sentence)
    words = claim_words().attributed.get(evidence.accounts.voices.language)
    found = (
        [one for one in words.wants.finditer(spoken) if _is_of_people(one, words, evidence)] if words else []
    )
    ends = [*(one.start() for one in found[1:]), len(spoken)]
    for one, end in zip(found, ends, strict=True) if found else ():
        what = spoken[one.end() : end].strip(" .") or spoken[: one.start()]
        yield spoken[one.start() if what in spoken[one.end() :] else 0 : end].strip(), what


def _is_of_people(match: re.Match[str], words: Attribution, evidence: Evidence) -> bool:
    """Whether people are who wants something, and not the assistant or something that was mentioned."""
    if match["name"]:
        return evidence.accounts.voices.is_person(match["name"]) or _is_user(match["name"].lower(), evidence)
    before = [one["people"] for one in words.speaker.finditer(match.string, 0, match.start())]
    return not match["joins"] or bool(before and before[-1])


def _is_user(name: str, evidence: Evidence) -> bool:
    """Whether the files of the machine are those of somebody of that name."""
    return any(evidence.holds(f"/{folder}/{name}") for folder in ("home", "users"))


def _is_strange(what: str, facts: Sequence[FactValue], evidence: Evidence, *, rule: bool) -> bool:
    """Whether no person said most of a text in one breath, of a rule in one that lays something down."""
    names, words = subject(_LAYS_DOWN.sub(" ", what), facts)
    telling = [word for word in words if word not in reporting()]
    if rule and len(names) + len(telling) < _FEW and not any(map(str.isdigit, telling)):
        several = len(names) + len(words) >= _FEW
        telling, rule = (words, True) if several else (telling, _LAYS_DOWN.search(what) is not None)
    least = _LAID_DOWN if rule else _VOICED
    voiced = partial(evidence.accounts.voices.voiced, rule=rule)
    # A summary adds to a wish which file or branch it was about.
    said = max(voiced(names, telling), voiced((), telling) if len(telling) >= _FEW else 0.0)
    told = len(names) + len(telling) >= _FEW or (rule and bool(names or telling))
    return told and said < least


def subject(text: str, facts: Sequence[FactValue]) -> tuple[list[str], list[str]]:
    """What a text is about: names in lower case, files by their last part, and the roots of its words."""
    named = [fact.value for fact in facts if fact.category not in ("numbers", "dates") and fact.value in text]
    for name in sorted(named, key=len, reverse=True):
        text = text.replace(name, " ")
    names = dict.fromkeys(name.lower().removesuffix("()").rpartition("/")[2] for name in named)
    return list(filter(None, names)), list(roots(text))
