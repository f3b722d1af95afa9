"""Credentials that say what they are: provider prefixes, key blocks, web tokens, webhook addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from core.redact.spans import Hit
from core.redact.table import Kind, by_sign, compiled, kinds

_ESCAPED_BREAK = re.compile(r"\\[nrtbf]|\\u[0-9a-fA-F]{4}|\x1b\[[0-9;]{0,12}m|%[0-9A-Fa-f]{2}")
"""What may end right before a credential although its last character is a letter or digit."""

LONG = 10
"""Characters at the least of the word, between blanks, in which a credential known by its own text begins."""
_LONGEST_BREAK = 15
_UNMISTAKABLE = 20
"""Mixed characters behind a beginning that also starts words, from which it counts inside a name too."""

_PLACEHOLDER = 2
"""Different characters at the most of what only shows where a credential belongs."""

_MANY_DIGITS = 6
"""Digits in it, when it is all of one case."""

_LOWER, _UPPER, _DIGIT = re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]")

_LONE_SMALL = re.compile(r"[A-Z]{2}[a-z][A-Z]|[A-Z][a-z][A-Z]{2}|(?:[A-Z][a-z]){2}[A-Z]")
_CONTINUED = re.compile(
    r"""(?:(?:\\*["'`])?\s{0,4}(?:\+|\\|\.\.)?\s{0,4}(?:\r?\n|\\+n|\\*["'`])[\s|>]{0,24}(?:\\*["'`])?)"""
    r"""(?P<rest>[A-Za-z0-9_+/=-]{8,512})(?=$|[\s"'`\\])"""
)
"""The rest of a credential broken by a line end or joined from two string literals."""


def known(text: str) -> Iterator[Hit]:
    """Every credential the table knows by its own text."""
    long = "\n".join([word for word in set(text.split()) if len(word) >= LONG])
    if not long:
        return
    for sign, clues in _beginnings():
        if sign in long:
            for kind, needle in [(kind, needle) for clue, needle, kind in clues if clue in long]:
                yield from _search(kind, needle, text)
    for kind in _nameless():
        if compiled(f"[A-Za-z0-9_-]{{{kind.row}}}").search(long):
            yield from _scan(kind, text)


@cache
def _beginnings() -> tuple[tuple[str, tuple[tuple[str, str, Kind], ...]], ...]:
    """What to look for in long words, the beginning it stands for and its kind; by a sign each of them holds.

    Most texts hold few of the signs, so most beginnings need not be looked for.
    """
    return tuple(
        (sign, tuple((needle.rstrip(), needle, kind) for kind, needle in group))
        for sign, group in by_sign(((kind, needle) for kind in kinds() for needle in kind.needles), "_-.$:{/")
    )


@cache
def _nameless() -> tuple[Kind, ...]:
    return tuple(kind for kind in kinds() if not kind.needles)


def _scan(kind: Kind, text: str) -> Iterator[Hit]:
    for match in kind.pattern.finditer(text):
        hit = _hit(kind, match)
        if not kind.opaque or opaque(text[hit.start : hit.end]):
            yield hit


def _search(kind: Kind, needle: str, text: str) -> Iterator[Hit]:
    at = text.find(needle)
    while at >= 0:
        end = at + len(needle)
        hit = _try(kind, text, at, end)
        if hit:
            yield hit
            end = max(end, hit.end)
        at = text.find(needle, end)


def _try(kind: Kind, text: str, at: int, end: int) -> Hit | None:
    joined = kind.bound and not starts_token(text, at)
    if joined and text[at - 1] != "_":
        return None
    match = kind.pattern.match(text, max(0, at - kind.back))
    if match is None or (kind.opaque and not opaque(text[end : match.end()])):
        return None
    if len(set(text[end : match.end()])) <= _PLACEHOLDER < match.end() - end:
        return None  # `ghp_xxxxxxxx`
    if joined and kind.opaque and not _unmistakable(text[end : match.end()]):
        return None
    hit = _hit(kind, match)
    return hit if match.lastgroup else hit._replace(end=_continued(text, hit.end))


def _unmistakable(rest: str) -> bool:
    """Whether what stands behind a beginning is a credential even in the middle of a name."""
    if len(rest) < _UNMISTAKABLE:
        return False
    return variety(rest) == 3 or len(_DIGIT.findall(rest)) >= _MANY_DIGITS


def _hit(kind: Kind, match: re.Match[str]) -> Hit:
    group = "secret" if "secret" in kind.pattern.groupindex else 0
    return Hit(match.start(group), match.end(group), kind.name)


def _continued(text: str, end: int) -> int:
    """Where a credential really ends when a line break or a string join runs through it."""
    match = _CONTINUED.match(text, end)
    if match is None:
        return end
    rest = match["rest"]
    return match.end("rest") if opaque(rest) else end


def starts_token(text: str, at: int) -> bool:
    """Whether a word starts at `at`; an escape sequence in front of it is not part of the word."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_-"):
        return True
    if text[at - 1] == "-" and (at == 1 or text[at - 2] == "\n"):
        return True  # a line a diff takes away
    window = text[max(0, at - _LONGEST_BREAK) : at]
    if "\\" not in window and "\x1b" not in window and "%" not in window:
        return False
    return any(match.end() == len(window) for match in _ESCAPED_BREAK.finditer(window))


def opaque(text: str) -> bool:
    """Whether a text holds both a letter and a digit."""
    return bool(_DIGIT.search(text) and (_LOWER.search(text) or _UPPER.search(text)))


def jumbled(text: str) -> bool:
    """Whether letters change case as in no name: `mOIZSVipJjGC`."""
    return len(text) >= LONG and text.isalpha() and _LONE_SMALL.search(text) is not None


def variety(text: str) -> int:
    """How many of lower case, upper case and digits a text holds."""
    return sum(pattern.search(text) is not None for pattern in (_LOWER, _UPPER, _DIGIT))
