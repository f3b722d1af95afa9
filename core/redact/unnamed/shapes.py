"""Whether a word looks like a password, and those told by that alone where something speaks of credentials.

People think of `Dragon@1972` and `Tango-Kilo-48`, programs draw others. In 27 MB of real conversations two
words are made like that and are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from core.redact.key_formats import changes, drawn, gibberish, jumbled, opaque, variety
from core.redact.secret_names import is_path, is_reference, looks_random
from core.redact.spans import Hit, pattern
from core.redact.table import unnamed_words

_SHORTEST, _LEAST, _LEAST_DRAWN, _MIXED = 6, 8, 10, 0.34
"""Characters of a password by how much else tells it; in a drawn one so many neighbours differ in class."""
_LEAST_KEY, _CHANGES = 9, 0.3
"""Characters of a short key, and the share of neighbours in it that differ in class."""
_SIGN = pattern(
    r"(?<=[A-Za-z0-9])[!@#$%^&*?+~](?=[A-Za-z0-9])"
    r"|(?<=[a-z0-9])[!@#$%^&*?]+$"
    r"|(?<=[A-Za-z])_(?=\d)|(?<=\d)_(?=[a-z])|(?<=\d)-(?=\w*\d)"
)
"""A sign where names, paths and numbers have none."""
_NAMED_NUMBER = pattern(
    r"(?:(?:[A-Z][a-z]{2,}){1,3}\d{2,6}|[a-z]{4,}\d{3,6}|\d{2,6}(?:[A-Z][a-z]{2,}){1,3}|[A-Z][_.][A-Za-z]{3,}\d{2,6})[_.+]?$"
    r"|[A-Z][A-Za-z0-9_]{3,24}\d{2,6}_$"
)
_HASHED = pattern(r"md5[0-9a-f]{32}")
"""How PostgreSQL keeps one."""
_FOURS = pattern(r"[a-z]{4}(?:-[a-z]{4}){3}|[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}")
"""How an account gives an app a password of its own, and a cluster its first administrator."""
_ADDRESS = r"[\w.+-]+@[\w-]+\.[\w.-]+|[a-z.+-]+@[a-z-]+$"
_OBJECT = r"[\w.]+@[0-9a-f]{6,8}$|0x[0-9a-fA-F]+|(?:Ctrl|Alt|Shift|Cmd|Super|Meta)\+"
_FILE_OR_NUMBER = r"[\w.-]+\.[a-z]{1,5}\d?$|\d+[-./:]\d+|v?\d+(?:\.\d+)+"
_STANDARD = (
    r"(?:.*[^A-Za-z0-9])?(?i:sha[-_]?\d|md5|base64|utf-?\d|pbkdf|aes[-_](?:\d|[cg])|chacha|poly1305|curve\d|rsa[-_]?\d"
    r"|hmac|oauth|argon2|x509|ed25519|http|ipv\d|\d[gm]hz)"
)
_STANDS_FOR = r".*(?i:test|user|example|[0-9a-f]{8}-[0-9a-f]{4})"
_ASSIGNED = r"(?:[a-z_][a-z0-9_.-]*|[A-Z_][A-Z0-9_.-]*|[A-Za-z_.-]+)=(?!=|$)"
_POD = r"[a-z][a-z0-9.-]*-[bcdf-hj-np-tvwxz2-9]{8,10}-[bcdf-hj-np-tvwxz2-9]{5}$"
_CODE = rf"[%$#<-]|@(?!\S*[A-Z]\S*\d)|{_ASSIGNED}|[A-Za-z0-9+/]*={{1,2}}$|.*(?:::|->|&&|\.\.|\$\{{)"
_NONE = (_ADDRESS, _OBJECT, _FILE_OR_NUMBER, _STANDARD, _STANDS_FOR, _POD, _CODE)

_THOUGHT_UP = pattern(r"[A-Za-z]{3,}(?:[-._+#][A-Za-z]{3,}){0,3}[-._+#]?\d{2,6}[!?_#+*.$-]{0,2}")
"""Words and a number: `Meadow-Walnut-786`, `harbour2004`."""
_FILE = pattern(r"/.*\.[a-z]{1,5}\d?(?::\d+)*$")
_LETTER, _ODD = pattern(r"[^\W\d_]"), pattern(r"\d|[!$%^&*?+~#=]")


def is_password(value: str) -> bool:
    """Whether a word looks like a password and hardly like a name, a number or code."""
    if _HASHED.fullmatch(value):
        return True
    if len(value) < _LEAST or _none().match(value) or is_reference(value) or is_path(value):
        return False
    if gibberish(value) or jumbled(value) or (_FOURS.fullmatch(value) and gibberish(value.replace("-", ""))):
        return True
    if not opaque(value) or "/" in value:
        return False
    return bool(
        _SIGN.search(value)
        or (variety(value) == 3 and _NAMED_NUMBER.fullmatch(value))
        or (variety(value) == 3 and len(value) >= _LEAST_DRAWN and (changes(value) >= _MIXED or drawn(value)))
    )


@cache
def _none() -> re.Pattern[str]:
    """What is no password: an address, a number, code; a product or a standard with its number."""
    products = "|".join(unnamed_words()["products"])
    return re.compile("|".join((*_NONE, rf"(?i:{products})[-_#]?\d[\w.+-]{{0,24}}[?!*]?$")))


def is_key(value: str) -> bool:
    """Whether a value with a name for keys and for other things is a key: long, or short and mixed."""
    plain = len(value) >= _LEAST_KEY and value.isascii() and value.isalnum() and opaque(value)
    return (plain and changes(value) >= _CHANGES) or looks_random(value) or is_password(value)


def is_thought_up(value: str) -> bool:
    """Whether a word is made as people make passwords, and as they name hosts and branches too."""
    return len(value) >= _LEAST and bool(_THOUGHT_UP.fullmatch(value)) and not _none().match(value)


def could_be_password(value: str) -> bool:
    """Whether a word that stands where a password does is no plain word, number, path or placeholder."""
    if len(value) < _SHORTEST or _none().match(value) or is_reference(value) or is_path(value):
        return False
    if value.startswith("/") or value.count("/") > 1 or value.endswith("/") or _FILE.search(value):
        return False
    return bool(_ODD.search(value) and _LETTER.search(value)) or is_password(value)


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
