"""Claims of a summary that no message before the cut supports.

A value is unsupported if no message has it; an act if no successful call and no sentence of the conversation
supports it; a rule if no message holds most of its words. What cannot be decided is not reported: one wrong
flag costs more trust than a missed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import one_line
from core.compress.facts.said import sentences, without_handoff
from core.compress.facts.topic import roots
from core.compress.facts.values import FactValue, prose_values, values
from core.compress.retention.claims.attributed import false_quotations, false_wishes
from core.compress.retention.claims.caught import VALUES, is_caught, surest
from core.compress.retention.claims.doubted import Doubt, doubts, suspected, weigh_doubts
from core.compress.retention.claims.quantities import miscounted
from core.compress.retention.claims.reported import (
    LABEL,
    QUOTED,
    false_counts,
    false_reports,
    is_left_alone,
    subject,
    turned_round,
)
from core.compress.retention.claims.standing import computed, stands, strange_figures
from core.compress.retention.ground.claim_words import claim_words, kind_of_check
from core.compress.retention.ground.evidence import Evidence
from core.compress.retention.ground.voices import language_of
from core.hermes.markers.markers import markers
from core.model.compaction.preview import SUSPECTED, Unsupported

_WHERE, _NEAREST = 240, 160
_MIN_SHARE = 0.25
"""The share of a claim's words that the line quoted beside it must hold."""

_CODE_BEHIND = re.compile(r" \(([A-Z]{3})\)")
_OTHER = "another"
"""The language of a summary that is not in that of the messages."""

_MAX_CLAIMS, _MAX_SENTENCE = 40, 2000
"""The most claims, and characters of a sentence, that are checked: longer ones are tables or lists."""

_DAY = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_PEOPLE = (
    r"(?:[A-Z][a-z]+(?:ican|ese|ish)|French|German|Dutch|Swiss|Greek|Korean|Russian|Latin|Czech|Thai|Hindi|Arabic|Hebrew|Urdu"
    r"|(?:Ital|Ind|Indones|Malays|Pers|Rom|Bulgar|Hungar|Mexic|Alban|Austral|Canad|Brazil|Ukrain|As|Europe|Austr|Belg|Norweg)i?an)"
)
"""A language or nationality, which anybody may add to a name."""

_NAME = re.compile(
    rf"(?:(?<=[a-z,(] )|(?<=[A-Z]{{2}} ))(?!{_DAY}[a-z]*\b|{_PEOPLE}\b)"
    r"(?:[A-Z][a-z]{2,15}(?: [A-Z][a-z]{2,15})*|[A-Z][A-Z+#]{1,9})(?![\w-])"
)
"""A person, place, product or abbreviation: capitalised, but not at the beginning of a sentence."""

_FORMULA = re.compile(r"`\w+ [=*/+-] [^`\n]*`")
"""Code in which a writer names the terms of a calculation."""

_HEADING = re.compile(r"^(#.*$|\*\*[^*\n]{3,60}(?:\*\*:?[ \t]*$|[.:]\*\*(?=[ \t]\S)))", re.MULTILINE)
"""A heading on its own line, or in bold before its text: `**State:** all three are open`."""
_BULLET = "-*• "
_ITEM = re.compile(r"^\s*\d+[.)]\s+")
_CUT = re.compile(r"(?<![^\s…⟪])[^\s…⟪]*\s?(?:⟪[^⟫\n]*⟫?\S*|(?:…|(?<!/)\.{3})(?:\s?\[[\w ]*\])?)")
"""A word that was cut off, with the mark that says so."""

_ENDLESS = re.compile(r"(?<=\d[\d,.]{60})[\d,.]+")
"""What is left of a row of digits that is no figure: Python reads at most 4,300 digits as a number."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of comparing a summary with the messages.

    Attributes:
        unsupported: Every unsupported claim, in the order of the summary, followed by those only suspected;
            at most `_MAX_CLAIMS`.
        known_share: Share of its own names, ids, figures and dates that occur in the messages; 1 without any.
        same_language: It is in the language of the messages, as far as that can be recognised.
    """

    unsupported: tuple[Unsupported, ...]
    known_share: float
    same_language: bool


NOTHING_CLAIMED = Checked((), 1.0, same_language=True)
"""The result for a summary that only quotes the messages."""


_LEFT_ALONE = ("names", "paths")
"""What a sentence can say was not used, or is not there yet."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the summary, the values in it, and how it is shown.

    Attributes:
        recorded: It is the record of a call, in which only values can be wrong.
        rule: It is in a section of people's rules.
    """

    text: str
    facts: tuple[FactValue, ...]
    where: str
    recorded: bool
    rule: bool


def check(summary: str, evidence: Evidence, *, suspicions: bool = True, cautious: bool = True) -> Checked:
    """Compare the claims of a summary with the messages.

    Args:
        summary: The summary.
        evidence: What the messages support.
        suspicions: Add those only suspected, and what the messages say instead of each.
        cautious: Leave out those that are more often our error, unless the summary is certainly wrong; else
            all, without suspicions.
    """
    read = [_read(sentence, rule, evidence) for sentence, rule in _sentences(summary)]
    language = language_of(summary)
    if not evidence.accounts.voices.speak(language):
        language = _OTHER  # only values can be compared, not words
    first_in = {fact: one.text for one in reversed(read) for fact in one.facts}
    known = {fact: stands(fact, text, evidence) for fact, text in first_in.items()}
    known |= dict.fromkeys(computed(known), True)
    claims = _strange(read, known, evidence, language)
    if cautious and (claims or suspicions):
        compared = [one for one in read if language != _OTHER and not one.recorded]
        claims = _believable(claims, language, len(read), compared, evidence, suspicions=suspicions)
    if suspicions:
        claims = tuple(_beside(one, evidence) for one in claims[:_MAX_CLAIMS])
    share = sum(known.values()) / len(known) if known else 1.0
    return Checked(tuple(claims[:_MAX_CLAIMS]), share, same_language=language != _OTHER)


def _believable(
    claims: Sequence[Unsupported],
    language: str,
    sentences: int,
    compared: Sequence[_Sentence],
    evidence: Evidence,
    *,
    suspicions: bool,
) -> Sequence[Unsupported]:
    """All claims and suspicions if a summary is certainly wrong; else the surest, as we may have misread it.

    Args:
        claims: What no message supports.
        language: The summary's language.
        sentences: How many sentences the summary has.
        compared: Those whose words can be compared with the messages.
        evidence: What the messages support.
        suspicions: Add those.
    """
    certain = surest(claims)
    if not suspicions and len(certain) == len(claims):
        return claims  # how likely each sentence is takes long to compute
    worst = weigh_doubts([doubt for one in compared for doubt in _doubts(one, evidence)])
    if not is_caught(claims, worst, sentences, language):
        return certain
    unlikely = suspected(worst, {claim.where for claim in claims}) if suspicions else ()
    return (*claims, *map(_suspicion, unlikely))


def _strange(
    read: Sequence[_Sentence], known: Mapping[FactValue, bool], evidence: Evidence, language: str
) -> Sequence[Unsupported]:
    """What each sentence claims that no message supports, in order, each value once."""
    found: dict[tuple[str, str], Unsupported] = {}
    same_language = language != _OTHER
    for one in read:
        if len(found) >= _MAX_CLAIMS:
            break
        strange = [
            (fact.category, fact.value)
            for fact in one.facts
            if not (known[fact] or (fact.category in _LEFT_ALONE and is_left_alone(fact.value, one.text)))
        ]
        strange += strange_figures(one.text, one.facts, evidence)
        strange += _strange_words(one.text, evidence, language) if same_language else ()
        quoted = false_quotations(one.text, evidence, same_language=same_language)
        others = [("numbers", count) for count in false_counts(one.text, evidence)]
        others += [("names", quotation) for quotation in quoted]
        whole = "\n".join(other.lower() for _, other in others)  # `all 212 tests passed` includes `212 tests`
        strange = [*(claim for claim in strange if claim[1].lower() not in whole), *others]
        strange += () if strange or one.recorded else _misreported(one, evidence, same_language=same_language)
        for category, value in strange:
            found.setdefault((category, value.lower()), Unsupported(value, category, one.where))
    return tuple(found.values())


def _doubts(one: _Sentence, evidence: Evidence) -> Iterator[Doubt]:
    """The clauses of a sentence, each with the signs against it."""
    return doubts(QUOTED.sub(" ", one.text), one.facts, evidence, one.where)


def _read(sentence: str, rule: bool, evidence: Evidence) -> _Sentence:
    plain = _FORMULA.sub(" ", sentence)
    facts = tuple(
        fact
        for fact in _named(sentence)
        if "…" not in fact.value and (fact.category != "names" or fact.value in plain)
    )
    return _Sentence(sentence, facts, one_line(sentence, _WHERE), evidence.is_record(sentence), rule)


def _is_copied(one: _Sentence, evidence: Evidence) -> bool:
    """Whether the messages hold a sentence word for word."""
    return evidence.holds(LABEL.sub("", " ".join(one.text.split())).rstrip("."))


def _suspicion(doubt: Doubt) -> Unsupported:
    return Unsupported(one_line(doubt.claim, _WHERE), SUSPECTED, doubt.where)


def _beside(claim: Unsupported, evidence: Evidence) -> Unsupported:
    """A claim with what the messages say instead: the check that failed, else the most similar words."""
    text = claim.where if claim.category in VALUES else claim.value
    found = evidence.acts.failure(kind_of_check(text)) if claim_words().checks.search(text) else None
    found = found or evidence.accounts.nearest(*subject(text, tuple(_named(text))), _MIN_SHARE)
    at, line = found or (-1, "")
    return replace(claim, nearest=one_line(line, _NEAREST), message=at if at >= 0 else None)


def _sentences(summary: str) -> Iterator[tuple[str, bool]]:
    """Each sentence of a summary, wrapped lines joined, and whether it is below a heading of rules."""
    first, *rest = _HEADING.split(_ENDLESS.sub("", summary))
    for heading, body in (("", first), *zip(rest[::2], rest[1::2], strict=True)):
        rule = claim_words().rules_heading.search(heading) is not None
        lines = (line for line in (heading, *without_handoff(body).splitlines()) if not line.startswith("#"))
        items = (_ITEM.sub("- ", line).removeprefix(markers()["grounded_open"]) for line in lines)
        text = "\n".join(items)
        for sentence in sentences(_CUT.sub("… ", text)):
            yield sentence[:_MAX_SENTENCE], rule and sentence != heading.strip()


def _named(text: str) -> Iterator[FactValue]:
    found = dict.fromkeys((*values(text, errors=False), *prose_values(text)))
    measured = {
        fact.value.partition(" ")[0] for fact in found if fact.category == "numbers" and " " in fact.value
    }
    yield from (fact for fact in found if fact.value not in measured)


def _strange_words(sentence: str, evidence: Evidence, language: str) -> Iterator[tuple[str, str]]:
    """Counts that the messages give otherwise, and names that nobody mentions."""
    yield from (("numbers", quantity) for quantity in miscounted(sentence, evidence))
    # In German every noun is capitalised.
    heading = sentence.endswith((":", "：")) or sentence.isupper()
    plain = "" if heading or language == "de" else QUOTED.sub(" ", LABEL.sub("", sentence))
    named = (name[0] for name in _NAME.finditer(plain) if not _has_code(plain[name.end() :], evidence))
    strange = (
        name for name in named if name not in lexicon().known_codes and not _is_known_name(name, evidence)
    )
    yield from (("names", name) for name in islice(strange, 1))


def _misreported(one: _Sentence, evidence: Evidence, *, same_language: bool) -> Iterator[tuple[str, str]]:
    """Wishes nobody voiced, and pairs in reverse order; else one act that nothing supports."""
    if one.text.lstrip(_BULLET).startswith("|"):
        return  # a row of a table
    plain = QUOTED.sub(" ", one.text)
    quoted = [quotation.group()[1:-1] for quotation in QUOTED.finditer(one.text)]
    compared = same_language and not (quoted and all(map(evidence.holds, quoted)))
    wishes = false_wishes(plain, one.facts, evidence, rule=one.rule) if compared else iter(())
    for claim in islice(wishes, 1):  # a sentence that is wrong once is wrong
        rule = one.rule or claim_words().rule.of(evidence.accounts.voices.languages).search(claim)
        yield ("constraints" if rule else "done"), one_line(claim.lstrip(_BULLET), _WHERE)
    yield from (("done", claim) for claim in turned_round(plain, evidence))
    if not _is_copied(one, evidence):
        acts = islice(false_reports(one.text, one.facts, evidence), 1)
        yield from (("done", claim.lstrip(_BULLET)) for claim in acts)


def _is_known_name(name: str, evidence: Evidence) -> bool:
    """Whether anybody uses part of a name, as it is, in another form or as a code: SEA for Seattle."""
    words = name.split()
    if len(words) == 2 and evidence.names_otherwise(*words):
        return False
    codes = claim_words().airports.get(name.lower(), ())
    forms = (*words, words[-1].removesuffix("s"), words[0][:3], *codes)
    known = any(map(evidence.mentions, forms)) or any(map(evidence.knows, roots(name)))
    return known or (len(words) > 1 and evidence.codes_as("".join(word[0] for word in words)))


def _has_code(behind: str, evidence: Evidence) -> bool:
    """Whether a name is followed by a code that the messages use for it: Houston (IAH)."""
    code = _CODE_BEHIND.match(behind)
    return code is not None and evidence.mentions(code[1])
