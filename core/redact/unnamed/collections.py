"""What stands under a name of many secrets, as in `[passwords]`, or in a list behind one: `keys = a,b`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from core.redact.key_formats import opaque
from core.redact.secret_names import is_likely
from core.redact.spans import Hit
from core.redact.table import unnamed_words
from core.redact.unnamed.passwords import is_password, is_thought_up
from core.redact.word_search import pattern

_OPENS = r"(?:\]\s*\n|[\"']?\s{0,4}[:=]>?\s{0,4}(?=[\[{(\n])|\s(?=\{))"
"""The end of a section's head; or what opens a list or a mapping."""
_CLOSES = {"[": "]", "{": "}", "(": ")"}
_SECTION_END = pattern(r"\x00|\n(?=\[)|\n\s*\n|\Z")
_BEFORE_SCALAR = r"(?:[:=]>?\s{0,4}|(?:^|\n)\s{0,40}-\s{1,4}|[\[(,]\s{0,40})[\"']?"
_SCALAR = pattern(rf"{_BEFORE_SCALAR}(?P<value>[^\s\"',;{{}}\[\]()]{{6,512}})(?=[\"',\s\]}})]|$)")
_REACH, _BEFORE = 2_000, 24
_NEXT = pattern(
    r"[\"'`]?(?:, ?|,? (?:and|or|und|et|y|e) | ?[;|] ?)[\"'`]?(?P<value>[A-Za-z0-9+/=_.-]{8,512})(?![\w@(/-])"
)
_CHARACTER = pattern(r"[A-Za-z0-9]")


def collections(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every value of a group of secrets that looks like one.

    Args:
        text: The text.
        lower: The same in lower case.
        places: Where in it a word stands that leads to one.
    """
    for at in places:
        match = _group().match(lower, at)
        if match is None or _other().search(lower, max(0, at - _BEFORE), at):
            continue
        for one in _SCALAR.finditer(text, match.end(), _end(text, match.start(), match.end())):
            if _is_one(match[0], one["value"]):
                yield Hit(*one.span("value"), "secret-value")


def _is_one(group: str, value: str) -> bool:
    """Whether a value is a secret of its group; what is said of people is mostly none."""
    if group.startswith(tuple(unnamed_words()["people"])):
        return is_password(value) or (group[-1] == "\n" and is_thought_up(value))
    return opaque(value) and is_likely(value)


@cache
def _group() -> re.Pattern[str]:
    return pattern(f"(?:{'|'.join(unnamed_words()['groups'])}){_OPENS}")


@cache
def _other() -> re.Pattern[str]:
    """What makes it another thing: `max_tokens`, `foreign keys`, or the end of a longer word."""
    return pattern(rf"(?:{'|'.join(unnamed_words()['other'])})[_ -]?$|[^\W_]\Z")


def _end(text: str, name: int, at: int) -> int:
    """Where the group ends whose name stands at `name` and whose values begin at `at`."""
    if closes := _CLOSES.get(text[at : at + 1]):
        return max(at, text.find(closes, at, at + _REACH))
    section = _SECTION_END.search(text, at, at + _REACH)
    limit = section.start() if section else min(len(text), at + _REACH)
    if text[at - 1 : at] == "\n":  # behind the head of a section
        return limit
    indent = name - text.rfind("\n", 0, name) - 1
    shallow = pattern(rf"\n {{0,{indent}}}(?![ \n-])").search(text, at + 1, limit)
    return shallow.start() if shallow else limit


def siblings(text: str, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Every value that follows a credential in a list and has its length, signs and mixture.

    Args:
        text: The text.
        hits: The credentials found in it.
    """
    for hit in hits:
        form, end = _form(text[hit.start : hit.end]), hit.end
        while (match := _NEXT.match(text, end)) and _form(match["value"]) == form and opaque(match["value"]):
            yield Hit(*match.span("value"), hit.kind)
            end = match.end()


def _form(value: str) -> str:
    """A value with one letter for all letters and digits."""
    return _CHARACTER.sub("x", value)
