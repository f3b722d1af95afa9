"""Tallies, quotations and pairs in order, where the messages have them otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.compress.facts.lexicon import lexicon
from core.compress.facts.topic import terms
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.evidence import Evidence

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
_QUOTED = re.compile(r"[\"“„«「『](?=\S)([^\"“”„«»「」『』\n]{8,300})(?<=\S)[\"”“»」』]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_WORDS = 3
"""A quotation with fewer words may be a name or an emphasis."""


def misquoted(sentence: str, evidence: Evidence, *, same_language: bool) -> Iterator[tuple[str, str]]:
    """What a sentence counts or quotes otherwise than the messages, each with its category."""
    yield from (("numbers", tally) for tally in false_tallies(sentence, evidence))
    yield from (("numbers", total) for total in false_totals(sentence, evidence))
    quoted = false_quotations(sentence, evidence, same_language=same_language)
    yield from (("names", quotation) for quotation in quoted)


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


def _is_error(text: str) -> bool:
    return any(sign.search(text) for sign in (lexicon().error, lexicon().error_words))
