"""Passwords told by their form, where anything near speaks of credentials: `Dragon@1972`, `Tango-Kilo-48`.

In 27 MB of real conversations two words are made like that and are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.redact.key_formats import variety
from core.redact.spans import Hit
from core.redact.unnamed.passwords import is_password
from core.redact.word_search import pattern

_BEFORE, _BEHIND = 160, 200
"""Characters around a word of credentials in which such a password is looked for."""
_MARKED = pattern(
    r"(?<![^\s\"'`:=,({>|])[A-Za-z0-9@][A-Za-z0-9._-]{0,40}+"
    r"(?:(?<=[a-z]-\d\d)|(?<=[a-z]-\d\d\d)|(?<=[a-z]{3}\d\d)|(?<=[a-z]{3}\d\d[\d_.])|(?<=[a-z]{3}\d\d\d[_.])"
    r"|[!#$%^&*?@+~][^\s\"'`(){}\[\]<>,;|\\/:=]{0,40}+)(?=[\s\"'`)},;|\\<]|$)"
)
"""A word with a digit, and with a sign that names and paths have not; or what may be memorable."""
_MEMORABLE = pattern(
    r"[A-Z][a-z]{2,}-[A-Z][a-z]{2,}-\d{2,3}|[A-Za-z][a-z]{2,}\.[A-Z][a-z]{2,}\d{2,3}|[A-Z][a-z]{2,}\.[a-z]{3,}\d{2,3}"
    r"|[A-Z][a-z]{2,}_[a-z]{3,}\d{2,3}|My(?:[A-Z][a-z]{2,}){2}\d{2,3}[_.]?"
)
"""Words and a number as programs that make passwords join them."""
_OTHER = pattern(
    r"[a-z]+[A-Z][A-Za-z]*\W|\d+[*+]|\w+[$#]\w+$|\w{2,}\?\w+$|\w+![A-Z]{1,3}\d+$|HEAD|[A-Za-z0-9+]{16,}$"
    r"|.*(?:[*+~^&]\d{1,2}$|@v?\d{1,2}$|%[0-9A-F]{2}|\$\d|\?\.|[a-z]\*\d|[A-Za-z]#\d+$)"
)
"""Sums, calls, cells, classes, commits, versions: signs in code."""
_DIGIT, _LONGEST = pattern(r"\d"), 82
_SENTENCE = pattern(r"(?:[^\s]+ ){4}[\"'`(]?$")
"""What stands before the last word of a sentence."""


def shaped(text: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every word of such a form.

    Args:
        text: The text.
        places: Where a word of credentials begins.
    """
    for start, end in _around(places):
        digit = _DIGIT.search(text, start, end)
        for match in _MARKED.finditer(text, max(start, digit.start() - _LONGEST), end) if digit else ():
            value = match[0].rstrip(".")
            if _is_one(value) and not (value[-1] in "!?" and _ends_sentence(text, match.start())):
                yield Hit(match.start(), match.start() + len(value), "secret-value")


def _ends_sentence(text: str, at: int) -> bool:
    """Whether so many words stand before a place on its line that a sign behind the next ends a sentence."""
    return _SENTENCE.search(text, max(0, at - 80), at) is not None


def _is_one(value: str) -> bool:
    """Whether a word is memorable, or marked and none of code."""
    if _MEMORABLE.fullmatch(value):
        return True
    return variety(value) == 3 and not _OTHER.match(value) and is_password(value)


def _around(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The surroundings of some places in order, each character once."""
    start = end = 0
    for at in places:
        if at - _BEFORE > end:
            if end:
                yield start, end
            start = max(0, at - _BEFORE)
        end = at + _BEHIND
    if end:
        yield start, end
