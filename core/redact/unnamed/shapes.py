"""Credentials recognised by their form: words that look like passwords, and keys of unlisted issuers.

People invent `Dragon@1972` and `Tango-Kilo-48`; programs generate others. In 27 MB of real conversations only
two words look like that without being one. Keys mostly begin with a word of their issuer and `_`, `-` or `.`;
what follows changes between small letters, capitals and digits far more often than words do, and is longer
than the ids that look alike. The table lists words that begin ids, hashes and file names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from core.redact.key_formats import (
    changes,
    class_count,
    has_odd_case,
    is_gibberish,
    is_random,
    mixes_letters_and_digits,
)
from core.redact.secret_names import is_path, is_reference, looks_random
from core.redact.spans import ODD_WORD, Hints, Hit, pattern
from core.redact.table import issuers, unnamed_words

_MIN_CERTAIN, _MIN_LIKELY, _MIN_UNCERTAIN, _MIXED = 6, 8, 10, 0.34
"""Minimum lengths of a password by how certain it is; minimum share of class changes in a random one."""
_MIN_KEY, _CHANGES = 9, 0.3
"""Minimum length of a short key, and of the share of neighbours in it that differ in class."""
_SIGN = pattern(
    r"(?<=[A-Za-z0-9])[!@#$%^&*?+~](?=[A-Za-z0-9])"
    r"|(?<=[a-z0-9])[!@#$%^&*?]+$"
    r"|(?<=[A-Za-z])_(?=\d)|(?<=\d)_(?=[a-z])|(?<=\d)-(?=\w*\d)"
)
"""A sign in a position where names, paths and numbers have none."""
_NAMED_NUMBER = pattern(
    r"(?:(?:[A-Z][a-z]{2,}){1,3}\d{2,6}|[a-z]{4,}\d{3,6}|\d{2,6}(?:[A-Z][a-z]{2,}){1,3}|[A-Z][_.][A-Za-z]{3,}\d{2,6})[_.+]?$"
    r"|[A-Z][A-Za-z0-9_]{3,24}\d{2,6}_$"
)
_HASHED = pattern(r"md5[0-9a-f]{32}")
"""A password as PostgreSQL stores it."""
_FOURS = pattern(r"[a-z]{4}(?:-[a-z]{4}){3}|[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}")
"""App passwords of an account, and the first administrator password of a cluster."""
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
_BEFORE, _AFTER = 160, 200
"""Characters around a credential word in which such a password is searched for."""
_MEMORABLE = pattern(
    r"[A-Z][a-z]{2,}-[A-Z][a-z]{2,}-\d{2,3}|[A-Za-z][a-z]{2,}\.[A-Z][a-z]{2,}\d{2,3}|[A-Z][a-z]{2,}\.[a-z]{3,}\d{2,3}"
    r"|[A-Z][a-z]{2,}_[a-z]{3,}\d{2,3}|My(?:[A-Z][a-z]{2,}){2}\d{2,3}[_.]?"
)
"""Words and a number as joined by password generators."""
_OTHER = pattern(
    r"[a-z]+[A-Z][A-Za-z]*\W|\d+[*+]|\w+[$#]\w+$|\w{2,}\?\w+$|\w+![A-Z]{1,3}\d+$|HEAD|[A-Za-z0-9+]{16,}$"
    r"|.*(?:[*+~^&]\d{1,2}$|@v?\d{1,2}$|%[0-9A-F]{2}|\$\d|\?\.|[a-z]\*\d|[A-Za-z]#\d+$)"
)
"""Signs in code: sums, calls, cells, classes, commits, versions."""
_DIGIT, _MAX_LENGTH = pattern(r"\d"), 82
_SENTENCE = pattern(r"(?:[^\s]+ ){4}[\"'`(]?$")
"""The text before the last word of a sentence."""
_BEFORE_DOT = pattern(r"[A-Za-z0-9]{1,48}\.\Z")
"""The first part of a key, which may precede a row."""
_ISSUED = pattern(
    r"(?<![A-Za-z0-9+/._%-])(?<!sha\d\d\d=)(?<!sha\d=)(?<!md5=)"
    r"(?P<first>(?:[A-Z]?[a-z]{2,14}(?:[A-Z][a-z]{2,8}){0,3}|[a-z]\d?|[A-Z]{2,10})\d{0,2})(?P<dash>[_.-])"
    r"(?P<rest>[A-Za-z0-9_-]{20,240})(?![A-Za-z0-9_(\[-])"
)
_TAIL = pattern(r"[A-Za-z0-9+/=_-]{0,240}")
_FILE_END = pattern(r"\.[a-z]{1,5}\d?(?![\w-])|/")
_WORDS = pattern(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_SPLIT = pattern(r"[_-]")
_UUID = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_SHORT, _LONG, _LONG_DASHED, _LONG_EVEN, _LONG_HEX = 20, 26, 30, 32, 40
"""Minimum lengths: after a word for a key; of three classes; after a dash; of two; of hexadecimal."""
_HEX = pattern(r"[0-9a-f]+|[0-9A-F]+")
_MIN_WORD = 6
"""Most letters of a word before a run of two classes: longer ones name something other than a key."""
_NAMED = pattern(r"([A-Za-z]{2,24})[\"']?\s?[=:]\s?[\"']?$")
"""The last word of the name that a run is assigned to."""


def is_password(value: str) -> bool:
    """Whether a word looks like a password and hardly like a name, a number or code."""
    if _HASHED.fullmatch(value):
        return True
    if len(value) < _MIN_LIKELY or _not_a_password().match(value) or is_reference(value) or is_path(value):
        return False
    if (
        is_gibberish(value)
        or has_odd_case(value)
        or (_FOURS.fullmatch(value) and is_gibberish(value.replace("-", "")))
    ):
        return True
    if not mixes_letters_and_digits(value) or "/" in value:
        return False
    return bool(
        _SIGN.search(value)
        or (class_count(value) == 3 and _NAMED_NUMBER.fullmatch(value))
        or (
            class_count(value) == 3
            and len(value) >= _MIN_UNCERTAIN
            and (changes(value) >= _MIXED or is_random(value))
        )
    )


@cache
def _not_a_password() -> re.Pattern[str]:
    """What is not a password: an address, a number, code; a product or standard with its number."""
    products = "|".join(unnamed_words()["products"])
    return re.compile("|".join((*_NONE, rf"(?i:{products})[-_#]?\d[\w.+-]{{0,24}}[?!*]?$")))


def is_key(value: str) -> bool:
    """Whether a value whose name may mean a key is one: long, or short and mixed."""
    plain = len(value) >= _MIN_KEY and value.isascii() and value.isalnum() and mixes_letters_and_digits(value)
    return (plain and changes(value) >= _CHANGES) or looks_random(value) or is_password(value)


def is_thought_up(value: str) -> bool:
    """Whether a word is built like passwords by people, as are names of hosts and branches."""
    return (
        len(value) >= _MIN_LIKELY
        and bool(_THOUGHT_UP.fullmatch(value))
        and not _not_a_password().match(value)
    )


def looks_secret(value: str) -> bool:
    """Whether a value looks like a password or a key, where little else can be."""
    return is_password(value) or is_thought_up(value) or looks_random(value)


def could_be_password(value: str) -> bool:
    """Whether a word in a password's place is not a plain word, number, path or placeholder."""
    if len(value) < _MIN_CERTAIN or _not_a_password().match(value) or is_reference(value) or is_path(value):
        return False
    if value.startswith("/") or value.count("/") > 1 or value.endswith("/") or _FILE.search(value):
        return False
    return bool(_ODD.search(value) and _LETTER.search(value)) or is_password(value)


def shaped(text: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every word of such a form."""
    for start, end in _around(places):
        digit = _DIGIT.search(text, start, end)
        for match in ODD_WORD.finditer(text, max(start, digit.start() - _MAX_LENGTH), end) if digit else ():
            value = match[0].rstrip(".")
            if _looks_like_password(value) and not (
                _is_in_formula(text, match.start())
                or (value[-1] in "!?" and _ends_sentence(text, match.start()))
            ):
                yield Hit(match.start(), match.start() + len(value), "secret-value")


def _is_in_formula(text: str, at: int) -> bool:
    """Whether an unquoted word is in the brackets of a call or a sum: `sin(PHI*lam2)/(PHI*lam2)`."""
    before = text[max(0, at - 2) : at]
    return before.endswith("(") and (before[0].isalnum() or before[0] in "+-*/")


def _ends_sentence(text: str, at: int) -> bool:
    """Whether enough words precede an offset on its line that a sign after the next one ends a sentence."""
    return _SENTENCE.search(text, max(0, at - 80), at) is not None


def _looks_like_password(value: str) -> bool:
    """Whether a word is memorable, or marked and not code."""
    if _MEMORABLE.fullmatch(value):
        return True
    return class_count(value) == 3 and not (_OTHER.match(value) or _is_id(value)) and is_password(value)


def _is_id(value: str) -> bool:
    """Whether a word is an id, such as `toolu_016R...`: such a row after a word that ids begin with."""
    first, _, rest = value.partition("_")
    return len(rest) >= _SHORT and rest.isalnum() and first.lower() in issuers().harmless


def _around(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The surroundings of some offsets in order, each character once."""
    start = end = 0
    for at in places:
        if at - _BEFORE > end:
            if end:
                yield start, end
            start = max(0, at - _BEFORE)
        end = at + _AFTER
    if end:
        yield start, end


def unlisted(text: str, hints: Hints) -> Iterator[Hit]:
    """Every credential recognised by its form alone."""
    for at, _ in hints.rows:
        dotted = text.startswith(".", at - 1) if at else False
        before = _BEFORE_DOT.search(text, max(0, at - 49), at) if dotted else None
        match = _ISSUED.match(text, before.start() if before else at)
        if match and _is_unlisted_key(text, match):
            start = match.start() + (
                text[match.start() - 1 : match.start()] == "\\" and match["first"][0] in "nrt"
            )
            end = _TAIL.match(text, match.end())
            yield Hit(start, end.end() if end else match.end(), "provider-key")


def _is_unlisted_key(text: str, match: re.Match[str]) -> bool:
    known = issuers()
    named = _NAMED.search(text, max(0, match.start() - 30), match.start())
    if named and named[1].lower() in known.ids:
        return False
    parts = _SPLIT.split(match["rest"])
    core = max(parts, key=len)
    before = [match["first"], *parts[: parts.index(core)]]
    words = {word.lower() for part in before for word in (part, *_WORDS.findall(part))}
    if words & known.harmless:
        return False
    is_named_key = bool(words & known.telling) or any(
        word.endswith(("key", "token", "secret")) for word in words
    )
    if _FILE_END.match(text, match.end()) and (not is_named_key or match["dash"] == "."):
        return False
    if is_named_key and _UUID.search(match["rest"]) and words & known.secret:
        return True
    return _is_long_key(match, parts, before, is_named_key=is_named_key)


def _is_long_key(
    match: re.Match[str], parts: Sequence[str], before: Sequence[str], *, is_named_key: bool
) -> bool:
    """Whether the longest part is random, and long enough for what stands around it."""
    core = max(parts, key=len)
    if len(core) < _LONG and len(parts) <= 1 + len(match["rest"]) // 10:
        core = match["rest"]  # `-` and `_` are base64 characters too
    both = any(map(str.isupper, core)) and any(map(str.islower, core))
    if not is_random(core):
        return False
    if is_named_key:
        return both or len(core) >= _LONG_DASHED
    if both:
        return len(core) >= (_LONG if match["dash"] == "_" else _LONG_DASHED)
    least = _LONG_HEX if _HEX.fullmatch(core) else _LONG_EVEN
    return len(core) >= least and match["dash"] == "_" and (len(before) > 1 or len(before[0]) <= _MIN_WORD)
