"""Random values that a word nearby identifies: an issuer, a key, an environment variable.

In `Our Acme key is 8f3a...`, a line of a list of services, or `Client("...")` nothing assigns the value to a
name. The text before it on its line identifies it, or the line above if it has a line of its own; words that
precede ids, hashes or files rule it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from core.redact.key_formats import changes, class_count, is_gibberish, is_random, mixes_letters_and_digits
from core.redact.secret_names import is_path
from core.redact.spans import Hit, pattern
from core.redact.table import issuers, names, unnamed_words

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NOT_WITHIN = r"(?<![A-Za-z0-9+/_.@%#~-])(?<!h1:)(?<!:\d{12}:)"
"""A value is not preceded by a URL, path, longer word, resource name, or module checksum."""
_LETTERS_BEFORE_DIGIT = r"(?=[A-Za-z+/_-]{0,60}[0-9])"
_VALUE = pattern(
    rf"{_NOT_WITHIN}{_LETTERS_BEFORE_DIGIT}"
    rf"(?:{_UUID}(?::[a-z]{{2}})?|(?:[a-z]{{1,5}}\.)?[A-Za-z0-9+/_-]{{20,400}}(?:\.[A-Za-z0-9_-]{{6,400}}){{0,3}}={{0,3}})"
    r"(?![\w/+@(-]|\.\w)"
)
_SESSION = pattern(r"20\d{6}_\d{6}_[0-9a-f]{6,8}")
"""A Hermes session id, which lists show beside its platform."""
_PREFIX = pattern(r"(?<![A-Za-z0-9+/_.@%#~-])[a-z]{1,5}\.$")
"""The part of a value that may precede its row."""
_WHOLE_UUID, _HEX = pattern(rf"{_UUID}(?::[a-z]{{2}})?"), pattern(r"[0-9a-f]{20,}|[0-9A-F]{20,}")
_WORD, _PART = pattern(r"[A-Za-z]{2,24}"), pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_CAPITALS = r"[A-Z][A-Z0-9]+(?:_[A-Z0-9]+){0,6}"
_VARIABLE = pattern(
    rf"(?:^|[\s\"'\[:({{,;])(?P<name>{_CAPITALS})[\"'\]]{{0,2}}(?:\s?[=,]\s{{0,8}}|(?<=\w) )[\"']?$"
)
"""An environment variable right before a value."""
_OF = pattern(
    r"(?P<owner>[A-Za-z]{2,24})\s{1,2}(?i:keys?|tokens?|secret)[*_`\"']{0,4}"
    r"(?:\s{1,2}\(?[a-z]{2,12}\)?){0,4}?\s{0,2}(?:is|[:=`\"'(→-])[:=`\"'(\s*→>-]{0,6}$"
)
"""`Acme key (new): `, right before a value."""
_FOR = pattern(r"(?i:\b(?:key|token|secret)) (?:for|of|to|from) [^\n.:;=]{2,48}? (?:is|was) [\"'`(]{0,2}$")
"""`the key for the maps is `, right before a value."""
_MADE = pattern(
    r"(?i:\b\w{0,24}(?:key|secret|token|passw\w{2,6}))\s{0,2}[:=]\s{0,2}(?:new )?[\w.]{1,40}\(\s?b?[\"']$"
)
"""`signing_key = Key("`, right before a value."""
_LAST_WORD = pattern(r"(?:^|[a-z](?=[A-Z])|[^A-Za-z])([A-Za-z][a-z]{1,23}|[A-Z]{2,24})[^A-Za-z]{0,8}$")
_NAMED_AFTER = pattern(r"[\"'`)]{0,2} (?i:as|for|is|into|in) (?P<rest>[^\n.;]{0,48})")
_CALLED = pattern(
    r"(?<![^\W_])(?i:pass(?:word|phrase|code)|token|secret|key|credentials?|authorization|cookie)\b"
)

_KEYED = pattern(
    r"(?:(?<![\w.-])(?i:key)[\"']?\s{0,2}(?:=>|[:=])\s{0,2}|\s--?key[ =]|(?P<option>\s-[tk] ))[\"']?"
    r"(?:base64:)?$"
)
"""`Key=`, `"key": `, `--key `, right before a value."""
_MIXED = pattern(r"(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])[A-Za-z0-9]{24,}(?![\w-])")
"""A value that is not the name of an image or a pod."""
_API = pattern(r"(?i:\b(?:using|api|apis|auth|jwt|encryption|crypt)\b)")
_ASSIGNED = pattern(r"(?:^|\s)([a-z]{3,24})\s?=\s?[\"']$")
_SUFFIX = pattern(r"(?:api|apikey|key|token|client|bot|app|sdk|cli)$")

_BEFORE, _ABOVE, _SHORT_LEAD = 80, 160, 8
"""Characters before a value that are searched, and more if fewer than eight are on its line."""
_MIN_HEX, _MIN_DIFFERENT = 32, 8
_BASE58 = "[1-9A-HJ-NP-Za-km-z]"
_ADDRESS = (
    rf"(?:0x)?[0-9A-Fa-f-]+$"
    rf"|(?:[13]{_BASE58}{{25,33}}|Qm{_BASE58}{{44}}|{_BASE58}{{43,44}}|{_BASE58}{{87,88}})$"
)
"""Public addresses of wallets, files and transfers."""
_ALONE = pattern(rf"(?!{_ADDRESS})[A-Za-z0-9_-]{{32,200}}|[A-Za-z0-9+/]{{40}}|[A-Za-z0-9+/]{{86}}==")
"""A key that nothing identifies as one."""
_CHANGES_OF_WORDS = 0.5
"""Minimum share of neighbours in it that differ in class, if its letters might be words."""
_WITHIN = pattern(r"://\S*$|-----\s$")
"""Text before a part of a URL, and before the first line of a key file."""

_IN_FILE = pattern(r"[A-Za-z0-9+/]{40}\s{1,3}$")
"""Text before another line of a base64 file, whose random letters name nothing."""


def nearby(text: str, begins: Iterable[tuple[int, int]]) -> Iterator[Hit]:
    """Every random value in these runs of letters, digits and signs that a word nearby calls a credential."""
    for at, _ in begins:
        before = _PREFIX.search(text, max(0, at - 6), at)
        match = _VALUE.match(text, before.start() if before else at)
        if match and _is_random(match[0]) and _is_named_secret(text, *match.span()):
            yield Hit(*match.span(), "provider-key")


def _is_random(value: str) -> bool:
    """Whether a value is random: hexadecimal, a UUID, or letters and digits that form no words."""
    if (
        not mixes_letters_and_digits(value)
        or len(set(value)) < _MIN_DIFFERENT
        or is_path(value)
        or _SESSION.fullmatch(value)
    ):
        return False
    plain = _HEX.fullmatch(value) or _WHOLE_UUID.fullmatch(value)
    return bool(plain) or is_random(value, mixed=0.36)


def _is_named_secret(text: str, start: int, end: int) -> bool:
    """Whether the words before a value, or right after it, say that it is a credential."""
    before = _lines_before(text, start)
    if _IN_FILE.search(before):
        return False
    last = _LAST_WORD.search(before)
    if last and last[1].lower() in issuers().ids:
        return False  # like most: `"id": "`
    stands_alone = _stands_alone(text[start:end])
    variable = _VARIABLE.search(before) if stands_alone else None
    if variable and not _words(variable["name"]) & issuers().ids:
        return True
    if (purpose := _FOR.search(before)) and not _words(purpose[0]) & issuers().ids:
        return True
    if _words(before) & issuers().ids:
        return False
    return (
        _names_issuer(before)
        or _command().search(before) is not None
        or (stands_alone and _MADE.search(before) is not None)
        or _is_keyed(text, start, before, stands_alone)
        or _says_key(before)
        or _named_after(text, end)
        or _is_nothing_else(text[start:end], before)
    )


def _is_nothing_else(value: str, before: str) -> bool:
    """Whether a random value of capitals, small letters and digits can hardly be anything but a key."""
    if not _ALONE.fullmatch(value) or class_count(value) < 3 or _WITHIN.search(before):
        return False
    words = not is_gibberish("".join(filter(str.isalpha, value))) and changes(value) < _CHANGES_OF_WORDS
    return not words and value.replace("-", "_").partition("_")[0].lower() not in issuers().harmless


def _stands_alone(value: str) -> bool:
    """Whether a value is not a UUID and, if hexadecimal, as long as keys are."""
    return not _WHOLE_UUID.fullmatch(value) and (len(value) >= _MIN_HEX or not _HEX.fullmatch(value))


def _is_keyed(text: str, start: int, before: str, stands_alone: bool) -> bool:
    """Whether a value belongs to `key` or an option; a possible hash counts only near an issuer."""
    if not (keyed := _KEYED.search(before)) or _words(before) & names().lookups:
        return False
    if stands_alone and not _HEX.fullmatch(text[start : start + _MIN_HEX]):
        return keyed["option"] is None or _MIXED.match(text, start) is not None
    above = text[max(0, start - _ABOVE) : start]
    return bool(_API.search(above)) or _names_issuer(above[: keyed.start() - len(before)])


def _says_key(before: str) -> bool:
    """Whether a line mentions somebody's key: `the api key`, `Acme key: `."""
    owned = _OF.search(before)
    return _owned().search(before) is not None or bool(
        owned and owned["owner"].lower() not in names().lookups
    )


def _named_after(text: str, end: int) -> bool:
    """Whether the text after a value calls it a key: `use 8f3a... as the password`."""
    match = _NAMED_AFTER.match(text, end)
    return bool(match and _CALLED.search(match["rest"]) and not _words(match["rest"]) & issuers().ids)


@cache
def _owned() -> re.Pattern[str]:
    owners = "|".join(unnamed_words()["owners"])
    return pattern(rf"(?i:\b(?:(?:{owners})[ _-](?:key|token|secret)s?|cred(?:ential)?s?|passwords?)\b)")


@cache
def _command() -> re.Pattern[str]:
    """A command that takes a key, up to the key."""
    verbs = "|".join(unnamed_words()["verbs"])
    begins = r"(?:^|[\s`;&|$\"'])[\w.-]{2,16}"
    return pattern(rf"{begins} (?:{verbs}|push [\w.-]+\.nupkg)(?: [^\n|;]*)? [\"']?$")


def _lines_before(text: str, start: int) -> str:
    """The text before an offset on its line, and the line above if there is hardly any."""
    window = text[max(0, start - _ABOVE) : start].rpartition("\x00")[2]
    lines = window.split("\n")
    before = lines.pop()
    while lines and len(before.strip()) < _SHORT_LEAD:
        before = f"{lines.pop()} {before}"
    return before[-_BEFORE:]


def _words(text: str) -> set[str]:
    """The words of a text in lower case, including those of camel-case names."""
    return {part.lower() for part in _parts(text)}


def _parts(text: str) -> Iterator[str]:
    """The words of a text, and the parts of camel-case ones."""
    for word in _WORD.findall(text):
        yield word
        yield from _PART.findall(word)


def _names_issuer(text: str) -> bool:
    """Whether an issuer is named; one that is an ordinary word counts only if written as a name."""
    known = issuers()
    named = (part for part in _parts(text) if _issuer(part) in known.names)
    assigned = _ASSIGNED.search(text)
    return any(_issuer(part) not in known.plain or not part.islower() for part in named) or bool(
        assigned and assigned[1] in known.names
    )


def _issuer(word: str) -> str:
    """The name of an issuer within a longer word: `HubSpotAPI`, `webexbot`."""
    lower = word.lower()
    return lower if lower in issuers().names else _SUFFIX.sub("", lower)
