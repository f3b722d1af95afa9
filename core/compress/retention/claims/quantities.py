"""Figures of which the messages, where they tell the same, give another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from core.compress.facts.lexicon import (
    FIGURE,
    FIGURES,
    day_of,
    figure_of,
    is_time,
    spellings,
    without_figures,
)
from core.compress.facts.topic import roots, terms
from core.compress.retention.claims.reported import PART
from core.compress.retention.claims.standing import COUNTED, is_code, is_rough
from core.compress.retention.ground.claim_words import claim_words, reporting
from core.compress.retention.ground.evidence import Evidence

_TOLD, _APART = 0.6, 0.3
"""Share of the words around a figure beside which another must stand, and how much more than beside it."""

_FEWEST = 2
"""Words, besides what is counted, by which it is known that two lines tell the same."""

_NEAR = 4
"""Words on each side of a figure that tell what it is of."""

_BESIDE = 60
"""Characters on each side of a figure, wherever it stands, in which the same words speak for it."""

_START = 4
"""Letters by which words that count the same are alike."""

_COUNTS = re.compile(rf"[\s-]*(?:{'|'.join(FIGURES)}|\w+teen|\w+ty)\b", re.IGNORECASE)
"""A word that counts behind a figure: what follows is of that word, as in `the number 4 sixteen times`."""

_WORD = r"[^\W\d_][\w/]*"
_QUANTITY = re.compile(
    rf"{FIGURE}(?:(?<=\d)|\b)(?![A-Za-z]*\d)"
    rf"(?P<nouns>[\s-]*(?:%|(?:(?!and |or |of |in |for |to |with ){_WORD}[\s-]+){{0,2}}{_WORD}))?",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?P<label>[\u4e00-\u9fff]{2,4}|(?<![^\W\d_])(?:[^\W\d_]{3,} )?[^\W\d_]{3,})"
    r"(?:\s?[:=('`\"]{1,2}\s?| (?:of|is|was|to|at) | ?#| |(?<=[\u4e00-\u9fff]))[$€£¥]?"
    r"(?P<figure>\d[\d.,:]*\d)(?![\w-]|[.,:/]\d)"
)
"""A figure, or the number a thing goes by, with the word or two before it: port 8080, task 31."""

_LABEL = re.compile(r"[^\W\d_]{2,}(?:['\"`]?\s?[:=('`\"]{0,2}\s?| (?:of|is|was|to|at) | ?#?)[$€£¥]?$")
_A_DAY = 14
"""Characters of a day by its name."""

_CJK = re.compile("[\u4e00-\u9fff]")
_SEVERAL = 2
"""Figures that may stand behind one label."""


def miscounted(sentence: str, evidence: Evidence) -> Iterator[str]:
    """The quantities of which the messages give another, and numbers nothing of a kind goes by.

    Args:
        sentence: A sentence of the summary.
        evidence: What the messages bear out.
    """
    for part in PART.split(without_figures(sentence)):
        for match in _QUANTITY.finditer(part):
            before, nouns = part[: match.start()], match["nouns"] or ""
            if claim_words().rough.search(before) or is_code(before) or _COUNTS.match(nouns):
                continue
            unit = _other(match, part, evidence) or _uncounted(match, part, evidence)
            if unit and not evidence.codes(figure_of(match[1])):
                yield f"{match[1]} {unit}"
    for match in _LABELLED.finditer(sentence):
        if not is_rough(sentence, match.start("figure"), match["figure"]) and _is_of_another(match, evidence):
            yield match["figure"]


def _is_of_another(match: re.Match[str], evidence: Evidence) -> bool:
    """Whether the messages have, behind the same words, only other figures that are written alike."""
    label, figure, at = match["label"].lower(), _digits(match["figure"]), match.start("figure")
    noun = label[-2:] if _CJK.match(label) else label.rpartition(" ")[2]
    if not terms(noun) or noun in COUNTED or day_of(f"{noun} {figure}") or is_time(match.string, at):
        return False
    whole = re.compile(rf"(?<![\d.,]){re.escape(match['figure'])}(?!\d|[.,]\d)")
    lines = ((line, whole.finditer(line)) for line in evidence.lines(match["figure"]))
    if any(_may_be_of(noun, line[: one.start()]) for line, found in lines for one in found):
        return False
    others = set(map(_digits, evidence.behind(label) or evidence.behind(noun)))
    known = any(one.startswith(figure) or figure.startswith(one) for one in others)
    return not known and 0 < len(others) <= _SEVERAL and all(len(one) == len(figure) for one in others)


def _may_be_of(noun: str, before: str) -> bool:
    """Whether a figure behind some words is of a thing: they name it, or a day, or nothing else."""
    label = _LABEL.search(before)
    return label is None or noun in label.group() or day_of(before[-_A_DAY:]) is not None


def _digits(figure: str) -> str:
    return "".join(filter(str.isdigit, figure))


def _other(match: re.Match[str], part: str, evidence: Evidence) -> str:
    """What is counted, when the lines that tell it give another figure of it, and none this one."""
    figure, units = figure_of(match[1]), _units(match["nouns"])
    around = [*part[: match.start()].split()[-_NEAR:], *part[match.end(1) :].split()[:_NEAR]]
    about = [word for word in roots(" ".join(around)) if word[:1] == "=" or word not in reporting()]
    about = [word for word in about if not word.isdigit()]
    counted = next(reversed(units), "")
    if sum(word[:_START] != counted for word in about) < _FEWEST:
        return ""
    if any(evidence.accounts.voices.say(rf"{re.escape(figure)} ?{re.escape(unit)}\w*") for unit in units):
        return ""  # a person gave it, whatever it was before
    written = {figure, f"{figure}.0", *spellings(figure)}
    best: dict[str, float] = dict.fromkeys(units, 0.0)
    known = 0.0
    accounts = evidence.accounts
    lines = accounts.lines(about, _TOLD - _APART) if units and about else {}
    for line, held in lines.items():
        told = _quantities(line)
        if not written.isdisjoint(told):
            known = max(known, accounts.share(about, held))
        else:
            alike = {units[unit] for of in told.values() for unit in units.keys() & of.keys()}
            best |= {
                unit: max(best.get(unit, 0.0), accounts.share(about, held, unit[:_START])) for unit in alike
            }
    unit = max(best, key=lambda one: best[one], default="")
    if not unit or best[unit] < _TOLD or best[unit] <= known + _APART:
        return ""
    words, one = claim_words(), unit.removesuffix("s")
    if one not in words.units and figure in evidence.counts(words.counted.get(one, ())):
        return ""  # a program counted so many at least once
    beside = (_beside(match[1].lower(), line) for line in evidence.lines(match[1].lower()))
    shares = (accounts.share(about, roots(text), unit[:_START]) for text in beside)
    return unit if best[unit] > max(shares, default=0.0) + _APART else ""


@lru_cache(maxsize=16384)  # every figure of a summary asks the lines alike: half the time of a long one
def _quantities(line: str) -> Mapping[str, Mapping[str, str]]:
    """The figures of a line, and what each counts."""
    return {figure_of(one[1]): _units(one["nouns"]) for one in _QUANTITY.finditer(line)}


def _beside(figure: str, line: str) -> str:
    at = line.find(figure)
    return line[max(0, at - _BESIDE) : at + _BESIDE]


def _uncounted(match: re.Match[str], part: str, evidence: Evidence) -> str:
    """What the messages count each time otherwise, of what a program counts or somebody limits."""
    words, figure = claim_words(), figure_of(match[1])
    limit = words.limit.search(part[: match.start()])
    nouns = (match["nouns"] or "").lower().split()
    noun = next((one for one in nouns if words.counted.get(one.removesuffix("s"))), "".join(nouns[:1]))
    one = noun.removesuffix("s")
    things = words.counted.get(noun) or words.counted.get(one) or ((one,) if limit and one else ())
    told = evidence.counts(things)
    return noun if told and not (figure in told or evidence.measures(figure, noun)) else ""


def _units(nouns: str | None) -> dict[str, str]:
    """The words behind a figure, one of which it counts, by how they begin."""
    words = re.findall(r"%|[^\W\d_]+", (nouns or "").lower())
    return {word[:_START]: word for word in reversed(words) if word == "%" or terms(word)}
