"""Decides which names mark their value as secret, and which values can be secrets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from core.redact.key_formats import is_gibberish, is_unlike_words, mixes_letters_and_digits
from core.redact.spans import pattern
from core.redact.table import names

_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-zß-öø-ſ]+|\d+|[^\W\d_A-Za-z]+")
_CAPS_END = pattern(r"(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|APIKEY|API_KEY|CREDENTIALS?)\d*$")
_CAPS_WEAK_END = pattern(r"(?:TOKEN|_KEY|_AUTH|_PASS|_PW|_PAT)\d*$")
_LOWER_END = pattern(
    r"(?:password|passwd|passphrase|secret|credentials|apikey|secretkey|accesskey|authtoken|accesstoken)\d*$"
)
_REFERENCE = pattern(
    r"\$[\w({]|%\w+%$|<[^>]*>?$|\{\{|\$\{|os\.|process\.env|env[.\[(]|getenv|ENV\[|System\.|"
    r"import\.meta|secrets?\.|(?:self|this|cls|settings|config|args|options|params|props|request)\.[A-Za-z_]|vault:|op://|"
    r"\*+(?:[A-Za-z]+\*+)?$|[xX]{3,}$|\.{2,}|…|your[-_ ]?|my[-_]|"
    r"(?:YOUR|INSERT|REPLACE|CHANGE|ENTER|PUT)[-_ ]|\.[*+]|SecretString:|"
    r"!(?i:vault|secret|ref|sub|getatt|importvalue|reference|env_var|env)\b|"
    r"[\w-]{0,24}(?:\.{3,}|…)$|[\w-]{0,24}?[_-]([xX*])\1{2,}$|"
    r"\[(?i:redacted|filtered|hidden|masked|removed|omitted)|(?:arn|crn):|sk-your-|"
    r"example|placeholder|redacted|&lt;|#\{|@\w+\($|https?:|file:",
)
_PATH = pattern(r"(?:~|\.{1,2})?(?:/[\w.@-]{1,64}){2,}/?(?::\d{0,6}){0,2}$|[A-Za-z]:\\")
_CODE_NAME = pattern(r"(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*$|[a-z]+(?:_[a-z]+)+$")
_CONSTANT = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_MORE_WORDS = pattern(r"(?: [a-z]{2,16}){1,8}[.!?]?[ \t]*(?:$|\n|\\n|[\"'])")
_DIGIT = pattern(r"\d")
_SPACE = pattern(r"\s")
_PHRASE = pattern(r"[a-z]{3,9}(?:([-.])[a-z]{3,9})(?:\1[a-z]{3,9}){2,8}")
"""A passphrase: joined words, as programs generate them."""
_SIGNS_OFF = str.maketrans("", "", "+/=_-")
_MIN_OPAQUE = 16
_MIN_ENTROPY = 3.0


class Strength(IntEnum):
    """What a name implies for its value."""

    NONE = 0
    WEAK = 1
    """The value is a secret if it looks like one."""
    LIKELY = 2
    """The value is a secret unless it is a plain word, a number, a path or code."""
    STRONG = 3
    """The value is a secret unless it is a placeholder or code."""


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    """Judge a name such as `DB_PASSWORD`, `clientSecret`, `x-api-key` or `max_tokens`, by its words."""
    known = names()
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and (words[-1] in known.noise or words[-1].isdigit()):
        words.pop()
    if not words:
        return Strength.NONE
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    stripped = name.strip("-_.")
    if last in known.about:
        return Strength.NONE
    if last == "secret" and before in known.pointers:
        return Strength.WEAK
    if _ends_strong(stripped, before, last):
        return Strength.STRONG
    is_owned = bool(before) and before not in known.lookups
    capital = is_owned if last == "token" else last in known.likely_caps
    if last in known.likely or last.endswith(("pw", "pwd", "pass")) or (stripped.isupper() and capital):
        none = before in known.passes or _is_pass(last) or stripped == "PASS"  # the outcome of a test
        return Strength.NONE if none else Strength.LIKELY
    if last == "key":
        return Strength.WEAK if is_owned and not known.public.intersection(words) else Strength.NONE
    return Strength.WEAK if _ends_weak(name, words) else Strength.NONE


def _ends_strong(name: str, before: str, last: str) -> bool:
    """Whether the last words of a name, or its end without a border between words, name a secret."""
    known = names()
    return bool(
        last in known.strong
        or before + last in known.strong
        or before in known.pairs.get(last, ())
        or (last.endswith("key") and last[:-3] in known.pairs["key"])
        or _LOWER_END.search(name.lower())
        or (name.isupper() and _CAPS_END.search(name))
    )


def _ends_weak(name: str, words: Sequence[str]) -> bool:
    """Whether a name may be one of a secret: by a word, its beginning, or the end of its last word."""
    known, stripped = names(), name.strip("-_.")
    return bool(
        words[-1] in known.weak
        or name.startswith("vault_")
        or known.strong.intersection(words)
        or words[-1].endswith(("token", "tokenkey", "authkey"))
        or (stripped.isupper() and _CAPS_WEAK_END.search(stripped))
    )


def _is_pass(word: str) -> bool:
    """Whether a word such as `bypass` is about passing."""
    return word.removesuffix("pass") in names().passes


def is_likely(value: str) -> bool:
    """Whether a possible secret is not a plain word, a number, a path or code."""
    if len(value) < 6 or _SPACE.search(value) or is_code(value) or is_path(value) or is_reference(value):
        return False
    plain = value.replace("_", "").replace("-", "").replace(".", "")
    return is_unlike_words(value) or _PHRASE.fullmatch(value) is not None or not plain.isalnum()


def is_reference(value: str) -> bool:
    """Whether a value refers to a secret or is a placeholder, and is not one itself."""
    text = value.strip()
    if not text or text.strip(".!?:").lower() in names().placeholders or _REFERENCE.match(text):
        return True
    if text[0] in "/~." and is_path(text):
        return True  # the location of a key, or a working folder
    return bool(_CONSTANT.match(text)) and (strength(text) > Strength.NONE or not _DIGIT.search(text))


def is_first_of_several_words(text: str, start: int, end: int) -> bool:
    """Whether a value is the first of several words: `Secret: sauce recipe`, `${TOKEN:?must be set}`."""
    value = text[start:end]
    if value[0] == "?":
        return value[1:].isalpha()
    more = _MORE_WORDS.match(text, end)
    plain = value.isalpha() and not is_unlike_words(value)
    return bool(more and plain and text[start - 2 : start] == ": ")


def is_code(value: str) -> bool:
    """Whether an unquoted value reads as an expression: `self.password`, `user_input`."""
    return bool(_CODE_NAME.match(value)) and not _DIGIT.search(value)


def is_path(value: str) -> bool:
    """Whether a value is a file path."""
    return bool(_PATH.match(value)) and entropy(value) < 4.6


def looks_random(value: str) -> bool:
    """Whether a value looks like nothing but a credential: long, mixed, without words."""
    mixed = mixes_letters_and_digits(value) or is_gibberish(value.translate(_SIGNS_OFF))
    if len(value) < _MIN_OPAQUE or not mixed or _SPACE.search(value) or is_path(value):
        return False
    if ":" in value and not any(
        len(part) >= _MIN_OPAQUE and mixes_letters_and_digits(part) for part in value.split(":")
    ):
        return False  # `agent:main:telegram:1234`: words and numbers in a row
    return entropy(value) >= _MIN_ENTROPY


def entropy(text: str) -> float:
    """Shannon entropy of a text's characters, in bits per character (Shannon 1948)."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values()) if total else 0.0
