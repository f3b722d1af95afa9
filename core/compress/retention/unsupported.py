"""Claims of a summary that no message before the cut supports.

A value is unsupported when it stands in no message, an act when no call that ended well and no sentence of
the conversation bears it out, a rule when no message holds most of its words. What cannot be told either way
is left alone: one wrong flag costs more trust than a missed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from core.compress.facts.collect import endings, sentences
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import one_line
from core.compress.facts.topic import roots
from core.compress.facts.values import FactValue, day_of, prose_values, values
from core.compress.retention.claims.attributed import unvoiced
from core.compress.retention.claims.doubted import Doubt, doubts, is_sure, suspected, weigh_doubts
from core.compress.retention.claims.quantities import miscounted
from core.compress.retention.claims.reversed import turned_round
from core.compress.retention.claims.told import LABEL, QUOTED, told
from core.compress.retention.ground.accounts import language_of
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence
from core.model.compaction.preview import SUSPECTED, Unsupported

_WHERE, _NEAREST = 240, 160
_SMALL = 12
"""Numbers up to this are counted by whoever writes a summary."""

_COUNTED = frozenset(
    ("line", "lines", "rows", "messages", "calls", "turns", "files", "char", "chars", "characters")
)
"""What whoever writes a summary counts, whatever its number."""

_MOST = 40
_ADDED = 8
"""Figures of a sentence of which another may be the sum."""

_LEAST_WORDS = 3
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_DAY = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_NAME = re.compile(
    rf"(?<=[a-z,:(] )(?!{_DAY}[a-z]*\b)"
    r"(?:[A-Z][a-z]{2,15}(?: [A-Z][a-z]{2,15})*|[A-Z][A-Z+#]{1,9})(?![\w-])"
)
"""A person, place, product or abbreviation: it has a capital, and no sentence begins there."""

_IDENTIFIER = re.compile(r"[\w.-]+")
_LONG_WORD = re.compile(r"\w{3,}")
_ALONE = re.compile(r"(?<![\w.,/#:+-])(?:0x[0-9a-f]+|\d+(?:[.,:]\d+)*)(?![\w/-]|[.,:]\d)", re.ASCII)
_TOKEN = re.compile(r"(?i)(?<![\w./-])(?=[a-z_-]*\d)(?=[\d_-]*[a-z])[a-z\d][\w-]{7,}(?![\w/-]|\.\w)")
"""What only a machine writes: a session, a branch with its number."""

_ITEM = re.compile(r"^\s*\d+[.)]\s+")
_CUT = re.compile(r"[^\s…⟪]*\s?(?:⟪[^⟫\n]*⟫?\S*|(?:…|\.{3})(?:\s?\[[\w ]*\])?)")
"""A word that is cut off, and what says so."""

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A summary held against the messages.

    Attributes:
        unsupported: Every claim nothing bears out, in the order of the summary, those that are only
            suspected behind the others, at most `_MOST`.
        vouched: Share of its own names, ids, figures and dates that stand in the messages; 1 without any.
    """

    unsupported: tuple[Unsupported, ...]
    vouched: float


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the summary, the values in it, and how it is shown.

    Attributes:
        recorded: It is the record of a call, of which only values can be wrong.
    """

    text: str
    facts: tuple[FactValue, ...]
    where: str
    recorded: bool


def check(summary: str, evidence: Evidence, *, suspicions: bool = True) -> Checked:
    """Hold the claims of a summary against the messages; also for what is only suspected, if asked to."""
    known: dict[FactValue, bool] = {}
    found: dict[tuple[str, str], Unsupported] = {}
    read = [_read(sentence, evidence) for sentence in _sentences(summary)]
    doubtful: dict[str, tuple[str, str]] = {}
    for one in read:
        known.update((fact, _supported(fact, one.text, evidence)) for fact in one.facts if fact not in known)
        strange = [(fact.category, fact.value) for fact in one.facts if not known[fact]]
        strange += _strangers(one.text, one.facts, evidence)
        strange += () if one.recorded else _misreported(one, evidence)
        for category, value in strange if len(found) < _MOST else ():
            found.setdefault((category, value.lower()), Unsupported(value, category, one.where))
        if not (strange or one.recorded or _is_copied(one, evidence)):
            doubtful.update((one.where, claim) for claim in islice(told(one.text, one.facts, evidence), 1))
    # Most summaries claim nothing for which it matters how likely a sentence is: that takes long to tell.
    doubted = read if suspicions or doubtful else []
    worst = weigh_doubts([doubt for one in doubted for doubt in _doubts(one, doubtful, evidence)])
    for where, claim in doubtful.items():
        if where not in worst or is_sure(worst[where][0]):
            found[claim] = _told_wrongly(claim, where)
    unlikely = suspected(worst, {claim.where for claim in found.values()}, evidence.messages)
    for where in (doubt.where for doubt in unlikely if doubt.where in doubtful):
        found[doubtful[where]] = _told_wrongly(doubtful[where], where)
    unlikely = [doubt for doubt in unlikely if suspicions and doubt.where not in doubtful]
    place = {one.where: number for number, one in enumerate(read)}
    flagged = sorted(found.values(), key=lambda claim: place[claim.where])
    vouched = sum(known.values()) / len(known) if known else 1.0
    return Checked((*flagged, *map(_suspicion, unlikely))[:_MOST], vouched)


def _doubts(one: _Sentence, doubtful: Mapping[str, tuple[str, str]], evidence: Evidence) -> Iterator[Doubt]:
    """What speaks against the clauses of a sentence."""
    if not one.recorded:
        category, _ = doubtful.get(one.where, ("", ""))
        yield from doubts(QUOTED.sub(" ", one.text), one.facts, evidence, one.where, category)


def _read(sentence: str, evidence: Evidence) -> _Sentence:
    facts = tuple(fact for fact in _named(sentence) if "…" not in fact.value)
    return _Sentence(sentence, facts, one_line(sentence, _WHERE), evidence.is_record(sentence))


def _is_copied(one: _Sentence, evidence: Evidence) -> bool:
    """Whether the messages hold a sentence word for word."""
    return evidence.holds(LABEL.sub("", " ".join(one.text.split())).rstrip("."))


def _told_wrongly(claim: tuple[str, str], where: str) -> Unsupported:
    category, told_so = claim
    return Unsupported(told_so, category, where)


def _suspicion(doubt: Doubt) -> Unsupported:
    return Unsupported(
        one_line(doubt.claim, _WHERE), SUSPECTED, doubt.where, one_line(doubt.nearest, _NEAREST)
    )


def _sentences(summary: str) -> Iterator[str]:
    """The sentences of a summary without its headings, wrapped lines joined."""
    lines = (line for line in summary.splitlines() if not line.startswith("#"))
    text = "\n".join(_ITEM.sub("- ", line) for line in lines if not lexicon().handoff.match(line))
    yield from sentences(_CUT.sub("… ", text))


def _named(text: str) -> Iterator[FactValue]:
    yield from dict.fromkeys((*values(text, errors=False), *prose_values(text)))


def _strangers(sentence: str, facts: Sequence[FactValue], evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Figures and people nobody speaks of, and tallies of what the messages count otherwise."""
    for match in _ALONE.finditer(sentence):
        figure, behind = match.group(), sentence[match.end() :].split(maxsplit=1)[:1]
        known = any(figure in fact.value for fact in facts) or (
            behind and behind[0].rstrip(".,;)") in _COUNTED
        )
        small = figure.isdigit() and int(figure) <= _SMALL
        if not (known or small or _is_rough(sentence, match.start(), figure) or evidence.tells(figure)):
            yield "numbers", figure
    for token in _TOKEN.findall(sentence):
        if not (evidence.holds(token) or any(token in fact.value for fact in facts)):
            yield "ids", token
    yield from (("numbers", quantity) for quantity in miscounted(sentence, evidence))
    plain = (
        "" if sentence.endswith((":", "：")) or language_of(sentence) == "de" else QUOTED.sub(" ", sentence)
    )
    strange = (name for name in _NAME.findall(plain) if not _is_heard(name, evidence))
    yield from (("names", name) for name in islice(strange, 1))


def _misreported(one: _Sentence, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """What people are said to have wanted and nobody said, and pairs told the other way round."""
    plain = QUOTED.sub(" ", one.text)
    for claim in unvoiced(plain, one.facts, evidence):
        yield ("constraints" if claim_words().rule.search(claim) else "done"), one_line(claim, _WHERE)
    yield from (("done", claim) for claim in turned_round(plain, evidence))


def _is_heard(name: str, evidence: Evidence) -> bool:
    """Whether anybody uses a part of a name, as it stands or in another form."""
    return any(map(evidence.mentions, name.split())) or any(map(evidence.knows, roots(name)))


def _supported(fact: FactValue, sentence: str, evidence: Evidence) -> bool:
    value = fact.value
    if evidence.found(value):
        return True
    match fact.category:
        case "paths":
            return _path(value, evidence)
        case "numbers":
            return _number(value, sentence, evidence)
        case "dates":
            return _date(value, evidence)
        case "urls":
            address = value.partition("?")[0].rstrip("/")
            return evidence.holds(address.partition("://")[2] or address)
        case "hashes":
            return evidence.holds(value.removeprefix("sha256:")[:7])
        case "names":
            return _name(value, evidence)
        case _:
            return evidence.holds(value) or (value[:1] == "#" and evidence.mentions(value[1:]))


def _path(path: str, evidence: Evidence) -> bool:
    """A file is known by its name with the folder it is in, anything else below folders that are known."""
    parts = endings(path)
    if not parts or evidence.holds(path):
        return True
    if not evidence.mentions(parts[-1]):
        return False
    if lexicon().file_name.fullmatch(parts[-1]):
        return evidence.holds(parts[-2:][0])
    return all(evidence.mentions(folder) for folder in parts[0].split("/")[:-1])


def _number(value: str, sentence: str, evidence: Evidence) -> bool:
    match = _FIGURE.search(value)
    if match is None:
        return True
    figure = match.group().rstrip(",").replace(",", "")
    money, unit = value[:1] in "$€£¥", value[match.end() :].strip()
    counted = sentence[sentence.find(value) + len(value) :].split(maxsplit=1)[:1]
    if unit in _COUNTED or (counted and counted[0].rstrip(".,;)") in _COUNTED):
        return True
    counted_by_hand = not money and unit not in lexicon().dull_units
    if counted_by_hand and figure.isdigit() and int(figure) <= _SMALL:
        return True
    if _is_rough(sentence, sentence.find(value), figure) or _is_sum(figure, sentence):
        return True
    whole = figure.partition(".")[0]
    grouped = f"{int(whole):,}{figure[len(whole) :]}"
    if unit and not money:
        return any(evidence.measures(form, unit) for form in dict.fromkeys((figure, grouped)))
    forms = (figure, grouped, *((f"{figure}.0", figure.removesuffix(".00")) if money else ()))
    return any(map(evidence.mentions, dict.fromkeys(forms)))


def _is_sum(figure: str, sentence: str) -> bool:
    """Whether a figure is what two or three others of its sentence come to, or the difference of two."""
    others = sorted({float(one.replace(",", "")) for one in _FIGURE.findall(sentence)} - {float(figure)})[
        :_ADDED
    ]
    sums = {sum(some) for count in (2, 3) for some in combinations(others, count)}
    return float(figure) in sums or any(one + float(figure) in others for one in others)


def _is_rough(sentence: str, at: int, figure: str) -> bool:
    """Whether a figure is said to be about so much, or is round and stands behind one that is."""
    before = sentence[:at]
    places = [at, *(match.start() for match in _FIGURE.finditer(before) if figure.endswith("0"))]
    return any(claim_words().rough.search(before[max(0, place - 16) : place]) for place in places)


def _date(value: str, evidence: Evidence) -> bool:
    day = day_of(value)
    if day is None:
        return True
    month, number = day
    full = _MONTHS[month - 1]
    figures = (f"-{month:02}-{number:02}", f"/{month:02}/{number:02}", f"{month}/{number}/")
    spoken = [form for name in (full, full[:3]) for form in (f"{name} {number}", f"{number} {name}")]
    return any(map(evidence.holds, figures)) or any(map(evidence.mentions, spoken))


def _name(value: str, evidence: Evidence) -> bool:
    """A name of code as it stands or by its last part; words in quotes are told loosely."""
    if evidence.holds(value):
        return True
    if not _IDENTIFIER.fullmatch(value) or value.isupper():
        words = _LONG_WORD.findall(value)
        return value.isupper() or 2 * sum(map(evidence.holds, words)) >= len(words)
    last = value.rpartition(".")[2]
    return len(last) > _LEAST_WORDS and last != value and evidence.mentions(last)
