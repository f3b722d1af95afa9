"""Random values with a word nearby that says what they are: an issuer, a key, a variable of the environment.

`Our Acme key is 8f3a...`, a line of a list of services, `Client("...")`: nothing assigns the value to a name.
What stands before it on its line does, or the line above when it has one of its own; words that an id, a hash
or a file follows rule it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.redact.key_formats import opaque, scrambled
from core.redact.secret_names import is_path
from core.redact.spans import Hit
from core.redact.table import compiled, issuers, names

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::[a-z]{2})?"
_VALUE = (
    rf"(?<![A-Za-z0-9+/_.@%#~-])(?<!h1:)(?=[A-Za-z+/_-]{{0,60}}[0-9])"
    rf"(?:{_UUID}|(?:[a-z]{{1,5}}\.)?[A-Za-z0-9+/_-]{{20,400}}={{0,3}})(?![\w/+@(-]|\.\w)"
)
_WHOLE_UUID, _HEX = re.compile(_UUID), re.compile(r"[0-9a-f]{20,}|[0-9A-F]{20,}")
_WORD, _PART = re.compile(r"[A-Za-z]{2,24}"), re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VARIABLE = re.compile(
    r"(?:^|[\s\"'\[:({,;])(?P<name>[A-Z][A-Z0-9]+(?:_[A-Z0-9]+){0,6})[\"'\]]{0,2}"
    r"(?:\s?[=,]\s{0,2}|(?<=\w) )[\"']?$"
)
_TOLD = re.compile(
    r"(?i:\b(?:api|access|secret|auth|private|license|bearer|bot|app|account|service|prod\w*|staging"
    r"|live|new|old|our|my|the|your)[ _-]"
    r"(?:key|token|secret)s?\b|\bcredentials?\b|\bcreds\b|\bpasswords?\b)"
)
_ADJACENT = re.compile(
    r"(?P<owner>[A-Za-z]{2,24})\s{1,2}(?i:keys?|tokens?|secret)[*_`\"']{0,4}"
    r"(?:\s{1,2}[a-z]{2,12}){0,4}?\s{0,2}(?:is|[:=`\"'(→-])[:=`\"'(\s*→>-]{0,6}$"
)
_MADE = re.compile(
    r"(?i:\b\w{0,24}(?:key|secret|token|passw\w{2,6}))\s{0,2}[:=]\s{0,2}(?:new )?[\w.]{1,40}\(\s?b?[\"']$"
)
_COMMAND = re.compile(
    r"(?:^|[\s`;&|$\"'])[\w.-]{2,16} (?:config|login|auth|secrets?|tokens?|credentials?|apikey"
    r"|nuget push|push [\w.-]+\.nupkg)(?: [^\n|;]*)? [\"']?$"
)
_SAID_AFTER = re.compile(r"[\"'`)]{0,2} (?i:as|for|is) (?P<rest>[^\n.;]{0,48})")
_CALLED = re.compile(r"\b(?i:pass(?:word|phrase|code)|token|secret|key|credentials?)\b")
_BEFORE, _ABOVE, _SHORT_LEAD = 80, 160, 8
_LEAST_HEX, _LEAST_DIFFERENT = 32, 8


def nearby(text: str) -> Iterator[Hit]:
    """Every random value that a word nearby calls a credential."""
    for match in compiled(_VALUE).finditer(text):
        if _is_random(match[0]) and _is_told(text, *match.span()):
            yield Hit(*match.span(), "provider-key")


def _is_random(value: str) -> bool:
    """Whether a value was drawn: hexadecimal, a UUID, or letters and digits that follow no word."""
    if not opaque(value) or len(set(value)) < _LEAST_DIFFERENT or is_path(value):
        return False
    drawn = _HEX.fullmatch(value) or _WHOLE_UUID.fullmatch(value)
    return bool(drawn) or scrambled(value, mixed=0.36)


def _is_told(text: str, start: int, end: int) -> bool:
    """Whether the words before a value, or right behind it, say that it is a credential."""
    value = text[start:end]
    before = _lines_before(text, start)
    words = _words(before)
    variable = _VARIABLE.search(before)
    if variable and not _words(variable["name"]) & issuers().ids and _is_whole(value):
        return True
    if words & issuers().ids:
        return False
    if words & issuers().names and _is_issuer(before):
        return True
    if _COMMAND.search(before) or (_MADE.search(before) and _is_whole(value)):
        return True
    owned = _ADJACENT.search(before)
    if _TOLD.search(before) or (owned and owned["owner"].lower() not in names().lookups):
        return True
    behind = _SAID_AFTER.match(text, end)
    return bool(behind and _CALLED.search(behind["rest"]) and not _words(behind["rest"]) & issuers().ids)


def _is_whole(value: str) -> bool:
    """Whether a value is no UUID and, when hexadecimal, as long as keys are."""
    return not _WHOLE_UUID.fullmatch(value) and (len(value) >= _LEAST_HEX or not _HEX.fullmatch(value))


def _lines_before(text: str, start: int) -> str:
    """What stands before a place on its line; and the line above, when that is next to nothing."""
    window = text[max(0, start - _ABOVE) : start].rpartition("\x00")[2]
    lines = window.split("\n")
    before = lines.pop()
    while lines and len(before.strip()) < _SHORT_LEAD:
        before = f"{lines.pop()} {before}"
    return before[-_BEFORE:]


def _words(text: str) -> set[str]:
    """The words of a text in lower case, those of names in camel case too."""
    return {part.lower() for word in _WORD.findall(text) for part in (word, *_PART.findall(word))}


def _is_issuer(text: str) -> bool:
    """Whether an issuer is named: one called by a plain word counts where it is written as a name."""
    plain = issuers().plain
    every = (part for word in _WORD.findall(text) for part in (word, *_PART.findall(word)))
    return any(
        one.lower() in issuers().names and (one.lower() not in plain or not one.islower()) for one in every
    )
