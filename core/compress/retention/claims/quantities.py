"""Figures for which the messages, where they say the same, give another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

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
from core.compress.retention.ground.figures import alone, is_small

_SAME_SHARE, _MIN_LEAD = 0.6, 0.3
"""Share of a figure's surrounding words that a line with another must hold; its lead over lines with it."""

_SURE = 2
"""Digits of a figure that, once given by a person, is taken for what they meant."""

_MIN_WORDS = 2
"""How many words, besides what is counted, show that two lines say the same."""

_WORDS_AROUND = 4
"""How many words on each side of a figure show what it counts."""

_CHARS_AROUND = 60
"""Within this many characters on each side of the figure, the same words support it."""

_PLURAL = re.compile(r"\W*(?:\w+\W+)*?\w{3,}(?<!s)s\b")
"""The words after a figure up to what it counts: `reservations`, not `carry insurance` behind it."""

_LIST = re.compile(r"[^():]{0,60}[(:]\s*([^()]{3,300})")
_ITEMS = re.compile(r",\s*(?:and\s+|und\s+|y\s+|et\s+)?|\s+(?:and|und|y|et)\s+")

_START = 4
"""Words that count the same thing share this many first letters."""

_COUNTS = re.compile(rf"[\s-]*(?:{'|'.join(FIGURES)}|\w+teen|\w+ty)\b", re.IGNORECASE)
"""A number word after a figure: what follows belongs to that word, as in `the number 4 sixteen times`."""

_NUMBERED = re.compile(
    rf"\b(?:(?:level|phase|step|stage|version)s?|(?:\d+|{'|'.join(FIGURES)}) of|\d or|other|first|last) $",
    re.IGNORECASE,
)
"""A figure after this is the number of something, a whole of which a part was counted, or some of more."""

_WORD = rf"(?!(?:{'|'.join(FIGURES)})\b)[^\W\d_][\w/]*"
_QUANTITY = re.compile(
    rf"(?<!\d)(?!0\d){FIGURE}(?:(?<=\d)|\b)(?![A-Za-z]*\d|[A-Za-z] )"
    rf"(?P<nouns>[\s-]*(?:%|(?:(?!and |or |of |in |for |to |with |the ){_WORD}[\s-]+){{0,2}}{_WORD}))?",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?P<label>[\u4e00-\u9fff]{2,4}|(?<![^\W\d_])(?:[^\W\d_]{3,} )?[^\W\d_]{3,})"
    r"(?:\s?[:=('`\"]{1,2}\s?| (?:of|is|was|to|at) | ?#| |(?<=[\u4e00-\u9fff]))[$€£¥]?"
    r"(?P<figure>\d[\d.,:]*\d)(?![\w-]|[.,:/]\d)"
)
"""A figure, or the number of a thing, with the word or two before it: port 8080, task 31."""

_SETTING = re.compile(
    r"(?P<name>\b(?:[A-Za-z]+_\w*[A-Za-z]|[A-Z]{4,}|[a-z]+[A-Z]\w*[A-Za-z])\b)[`'\"]?"
    r"(?:\s?[=:]\s?| (?:(?:default\w*|set) )?(?:is|was|to|of|at) )[`'\"]?"
    r"(?P<figure>\d+(?:\.\d+)?)(?![\w-]|[.,:/]\d)"
)
"""A setting of a program with its figure: `MAX_ROWS defaults to 50`."""

_SET_TO = r"\b['\"`]?[\s|]{0,3}[=:|]\s?['\"`]?(\d+(?:\.\d+)?)(?![\w-]|[.,:/]\d)"
"""What follows the name of a setting that has a figure."""

_LABEL = re.compile(r"[^\W\d_]{2,}(?:['\"`]?\s?[:=('`\"]{0,2}\s?| (?:of|is|was|to|at) | ?#?)[$€£¥]?$")
_A_DAY = 14
"""How many characters a day with a named month may take."""

_ATTRIBUTE = re.compile(r"(?<![-\w])\w+[^s\W](?<!ed)(?<!test) (?=\w+s\b)")
"""A word that says of what kind the things counted behind it are: `error codes` are no errors."""

_RATE = re.compile(r"\b(?:an?|per|each|every) \w+$")
"""What a figure is given for, which is not counted: `1,900 rupees a day`."""

_WORD_BEFORE = re.compile(r"([^\W\d_]{3,}) $")
"""A word right before a figure, which may be what the figure is the number of."""

_CJK = re.compile("[\u4e00-\u9fff]")
_SERIAL = re.compile(r"\d{7,}(?<!00)")
"""A number too long to count anything: the id of a run."""

_AFTER_COLON = frozenset(("port", "line", "zeile", "línea", "linha", "ligne", "riga", "строка", "строке"))
"""Things whose number programs put behind a colon: `.env:18`."""

_SEVERAL = 2
"""This many different figures may follow one label."""


@dataclass(frozen=True, slots=True)
class _Count:
    """A figure of a summary and what it counts.

    Attributes:
        written: The figure as the summary has it.
        figure: The same in digits.
        units: The words after it, one of which it counts, by their first letters.
        about: The roots of the words around it.
    """

    written: str
    figure: str
    units: dict[str, str]
    about: Sequence[str]


def miscounted(sentence: str, evidence: Evidence) -> Iterator[str]:
    """The quantities for which the messages give another figure, and numbers that nothing of a kind has.

    Args:
        sentence: A sentence of the summary.
        evidence: What the messages support.
    """
    for part in PART.split(without_figures(sentence)):
        for match in filter(partial(_counts_something, part, sentence), _QUANTITY.finditer(part)):
            figure = figure_of(match[1])
            if _is_number_of(part[: match.start()], figure, evidence):
                continue
            unit = _other(_count(match, part), evidence) or _uncounted(match, part, evidence)
            if unit and not evidence.figures.in_another_scale(figure) and not evidence.codes(figure):
                yield f"{match[1]} {unit}"
    for match in _LABELLED.finditer(sentence):
        if not is_rough(sentence, match.start("figure"), match["figure"]) and _is_of_another(match, evidence):
            yield match["figure"]
    for match in _SETTING.finditer(sentence):
        if _is_set_otherwise(match["name"].lower(), match["figure"], evidence):
            yield match["figure"]


def _is_set_otherwise(name: str, figure: str, evidence: Evidence) -> bool:
    """Whether the messages give a setting other figures, and this one on no line that names it."""
    parts = (part for line in evidence.lines(name) for part in line.split("\\n"))  # lines in a call's text
    lines = [part for part in parts if name in part]
    stated = re.compile(re.escape(name) + _SET_TO)
    same = alone(figure)
    return any(map(stated.search, lines)) and not any(map(same.search, lines))


def _counts_something(part: str, sentence: str, match: re.Match[str]) -> bool:
    """Whether a figure is a count that somebody else made: no estimate, no code, no size of a list here."""
    before, nouns = part[: match.start()], match["nouns"] or ""
    named = is_code(before, match.group()) or _COUNTS.match(nouns) or claim_words().apart.match(nouns)
    named = named or _NUMBERED.search(before) or _SERIAL.fullmatch(match[1])
    return not (named or claim_words().rough.search(before) or _is_listed(match, sentence))


def _is_number_of(before: str, figure: str, evidence: Evidence) -> bool:
    """Whether the messages too have a figure right after a word: `port 22` counts nothing behind it."""
    word = _WORD_BEFORE.search(before)
    return word is not None and figure in evidence.behind(word[1].lower())


def _count(match: re.Match[str], part: str) -> _Count:
    around = [*part[: match.start()].split()[-_WORDS_AROUND:], *part[match.end(1) :].split()[:_WORDS_AROUND]]
    about = (word for word in roots(" ".join(around)) if word[:1] == "=" or word not in reporting())
    about = (word for word in about if not word.isdigit())
    return _Count(match[1].lower(), figure_of(match[1]), _units(match["nouns"]), tuple(about))


def _is_of_another(match: re.Match[str], evidence: Evidence) -> bool:
    """Whether the messages have only other figures, written alike, after the same words."""
    label, figure, at = match["label"].lower(), _digits(match["figure"]), match.start("figure")
    noun = label[-2:] if _CJK.match(label) else label.rpartition(" ")[2]
    if not terms(noun) or noun in COUNTED or reporting().intersection(roots(noun)):
        return False
    if day_of(f"{noun} {figure}") or is_time(match.string, at):
        return False
    pattern = alone(match["figure"])
    lines = ((line, pattern.finditer(line)) for line in evidence.lines(match["figure"]))
    if any(_may_be_of(noun, line[: one.start()]) for line, found in lines for one in found):
        return False
    others = set(map(_digits, evidence.behind(label) or evidence.behind(noun)))
    known = any(one.startswith(figure) or figure.startswith(one) for one in others)
    return not known and 0 < len(others) <= _SEVERAL and all(len(one) == len(figure) for one in others)


def _may_be_of(noun: str, before: str) -> bool:
    """Whether a figure after some words can belong to a thing: they name it, or a day, or nothing else."""
    if noun in _AFTER_COLON and before.endswith(":"):
        return True
    label = _LABEL.search(before)
    if label is not None and label.group().isascii() != noun.isascii():
        return True  # the messages name it in another script
    named = re.search(rf"{re.escape(noun)} \w+ \($", before) is not None  # port in use (8080)
    return label is None or noun in label.group() or named or day_of(before[-_A_DAY:]) is not None


def _is_listed(match: re.Match[str], sentence: str) -> bool:
    """Whether as many things follow as the figure says: `two tests (test_parse and test_print)`."""
    listed = _LIST.match(sentence, sentence.find(match.group()) + len(match[1]))
    return listed is not None and figure_of(match[1]) == str(len(_ITEMS.split(listed[1])))


def _digits(figure: str) -> str:
    return "".join(filter(str.isdigit, figure))


def _other(count: _Count, evidence: Evidence) -> str:
    """What is counted, if the messages say the same only with other figures for it; else empty."""
    if not _is_telling(count) or _is_given(count, evidence):
        return ""
    unit, share, known = _most_alike(count, evidence)
    if share < _SAME_SHARE or share <= known + _MIN_LEAD or _is_counted(count.figure, unit, evidence):
        return ""
    beside = (_beside(count.written, line) for line in evidence.lines(count.written))
    shares = (evidence.accounts.share(count.about, roots(text), unit[:_START]) for text in beside)
    return unit if all(share > one + _MIN_LEAD for one in shares) else ""


def _is_telling(count: _Count) -> bool:
    """Whether the words around a figure say enough to find the same elsewhere."""
    if not count.units or (is_small(count.figure) and not COUNTED.isdisjoint(count.units.values())):
        return False
    counted = next(reversed(count.units))
    return sum(word[:_START] != counted for word in count.about) >= _MIN_WORDS


def _is_given(count: _Count, evidence: Evidence) -> bool:
    """Whether somebody gives the figure with what it counts, whatever it was before."""
    voices, units = evidence.accounts.voices, count.units.values()
    given = voices.gives(count.figure, _SURE) or voices.count(count.figure, count.units)
    labelled = (evidence.labels(count.figure, unit) for unit in units)
    forms = filter(evidence.holds, dict.fromkeys((count.written, *spellings(count.figure))))
    written = (evidence.mentions(f"{form} {unit}") for form in forms for unit in units)
    return given or any(written) or any(labelled)


def _most_alike(count: _Count, evidence: Evidence) -> tuple[str, float, float]:
    """What the most similar line with another figure counts, and how similar it and one with this one are."""
    accounts, about = evidence.accounts, count.about
    written = {f"{count.figure}.0", *spellings(count.figure)}
    known, best = 0.0, dict[str, float]()
    for line, words in accounts.lines(about, _SAME_SHARE - _MIN_LEAD).items():
        quantities = _quantities(line)
        if not written.isdisjoint(quantities):
            known = max(known, accounts.share(about, words))
            continue
        starts = set[str]().union(*quantities.values())
        alike = [unit for start, unit in count.units.items() if start in starts]
        best |= {
            unit: max(best.get(unit, 0.0), accounts.share(about, words, unit[:_START])) for unit in alike
        }
    unit = max(best, key=lambda one: best[one], default="")
    return unit, best.get(unit, 0.0), known


def _is_counted(figure: str, unit: str, evidence: Evidence) -> bool:
    """Whether a program counted that many at least once."""
    words, one = claim_words(), unit.removesuffix("s")
    return one not in words.units and figure in evidence.counts(words.counted.get(one, ()))


@lru_cache(maxsize=16384)  # every figure of a summary asks for the same lines: this halves the time
def _quantities(line: str) -> Mapping[str, Mapping[str, str]]:
    """The figures of a line, with what each counts."""
    return {figure_of(one[1]): _units(one["nouns"]) for one in _QUANTITY.finditer(line)}


def _beside(figure: str, line: str) -> str:
    at = line.find(figure)
    return line[max(0, at - _CHARS_AROUND) : at + _CHARS_AROUND]


def _uncounted(match: re.Match[str], part: str, evidence: Evidence) -> str:
    """What the messages always count otherwise, if a program counts it or somebody limits it; else empty."""
    words, figure = claim_words(), figure_of(match[1])
    limit = words.limit.search(part[: match.start()])
    nouns = _ATTRIBUTE.sub("", _RATE.sub("", (match["nouns"] or "").lower())).split()
    if is_small(figure) and COUNTED.intersection(nouns):
        return ""
    noun = next((one for one in nouns if words.counted.get(one.removesuffix("s"))), "".join(nouns[:1]))
    one = noun.removesuffix("s")
    things = words.counted.get(noun) or words.counted.get(one) or ((one,) if limit and one else ())
    counts = evidence.counts(things)
    if not counts or figure in counts:
        return ""
    return "" if any(evidence.measures(form, noun) for form in spellings(figure)) else noun


def _units(nouns: str | None) -> dict[str, str]:
    """The words after a figure, one of which it counts, by their first letters."""
    found = _PLURAL.match(nouns or "")
    words = re.findall(r"%|[^\W\d_]+", (found[0] if found else nouns or "").lower())
    return {word[:_START]: word for word in reversed(words) if word == "%" or terms(word)}
