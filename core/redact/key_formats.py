"""Credentials with a recognisable form: provider prefixes, key blocks, web tokens, webhook URLs.

Also whether letters and digits are random: they change class far more often than in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase, digits

from core.redact.spans import Hints, Hit, pattern
from core.redact.table import Kind, compiled, kinds, letter_pairs

_ESCAPED_BREAK = pattern(r"\\[nrtbf]|\\u[0-9a-fA-F]{4}|\x1b\[[0-9;]{0,12}m|%[0-9A-Fa-f]{2}")
"""What may end right before a credential although its last character is a letter or digit."""

_MAX_BREAK = 15
_UNMISTAKABLE = 20
"""Mixed characters after a prefix that also starts words, from which it counts even inside a name."""

_READ_AFTER = 200
"""Characters read after a needle that is inside its credential."""
_LONG_ROW = 46
"""A credential of this length is the whole of its row."""

_PLACEHOLDER = 2
"""Most distinct characters of a placeholder for a credential."""

_MANY_DIGITS = 6
"""Minimum of digits if it is all of one case."""

_LONG_LETTERS, _SHARE_OF_WORDS = 12, 0.55
_MIXED_LETTERS, _SHARE_MIXED = 10, 0.5
"""Minimum of letters to be told from words; random letters have a smaller share of pairs common in words.

Of 521 long words of real conversations two have less, of 6,995 names in mixed case 11; of random
letters 91 to 97 %.
"""

_LOWER, _UPPER, _DIGIT = pattern("[a-z]"), pattern("[A-Z]"), pattern("[0-9]")

_LONE_SMALL = pattern(r"[A-Z]{2}[a-z][A-Z]|[A-Z][a-z][A-Z]{2}|(?:[A-Z][a-z]){2}[A-Z]")
_CONTINUED = pattern(
    r"""(?:(?:\\*["'`])?\s{0,4}(?:\+|\\|\.\.)?\s{0,4}(?:\r?\n|\\+n|\\*["'`])[\s|>]{0,24}(?:\\*["'`])?)"""
    r"""(?P<rest>[A-Za-z0-9_+/=-]{8,512})(?=$|[\s"'`\\])"""
)
"""The rest of a credential that is broken by a line end or joined from two string literals."""
_APART = pattern("[+/]")
"""Separates the words of a row."""
_MIN_JUDGED = 20
"""Minimum of letters and digits to judge a text by how they follow each other."""
_CLASS = bytes.maketrans(
    (ascii_uppercase + ascii_lowercase + digits).encode(), b"u" * 26 + b"l" * 26 + b"d" * 10
)
_SIGNS = bytes(code for code in range(256) if not chr(code).isalnum() or code > 127)
_RUN_OF_CLASS = re.compile(b"u+|l+|d+")
_EVEN = 0.24
"""Minimum share of neighbours that differ in class if all letters are of one case."""


def known(text: str, hints: Hints) -> Iterator[Hit]:
    """Every credential that the table recognises by its own text."""
    for number, places in hints.by_word("kinds"):
        yield from _search(*_beginnings()[number], text, places)
    parts = (part for start, end in hints.rows for part in _APART.split(text[start:end]))
    longest = max(map(len, parts), default=0)
    for kind in _nameless():
        if longest >= kind.row:
            yield from _scan(kind, text, hints.rows)


@cache
def _beginnings() -> Sequence[tuple[Kind, str]]:
    """Each needle with its kind."""
    return [(kind, needle) for kind in kinds() for needle in kind.needles]


@cache
def _nameless() -> tuple[Kind, ...]:
    return tuple(kind for kind in kinds() if not kind.needles)


def _scan(kind: Kind, text: str, rows: Sequence[tuple[int, int]]) -> Iterator[Hit]:
    for match in _matches(kind, text, rows):
        hit = _hit(kind, match)
        if not kind.opaque or mixes_letters_and_digits(text[hit.start : hit.end]):
            yield hit


def _matches(kind: Kind, text: str, rows: Sequence[tuple[int, int]]) -> Iterator[re.Match[str]]:
    if kind.row >= _LONG_ROW:
        starts = (start for start, end in rows if end - start >= kind.row)
        yield from filter(None, (kind.regex.match(text, start) for start in starts))
        return
    if not kind.holds:
        yield from kind.regex.finditer(text)
        return
    for part in compiled(kind.holds).finditer(text):
        if match := kind.regex.match(text, max(0, part.start() - kind.back)):
            yield match


def _search(kind: Kind, needle: str, text: str, places: Sequence[int]) -> Iterator[Hit]:
    done = 0
    for at in places:
        if at < done or not text.startswith(needle, at):
            continue
        done = at + len(needle)
        if hit := _credential_at(kind, text, at, done):
            yield hit
            done = max(done, hit.end)


def _credential_at(kind: Kind, text: str, at: int, end: int) -> Hit | None:
    joined = kind.bound and not starts_token(text, at)
    if joined and text[at - 1] != "_":
        return None
    if kind.back:
        match = kind.regex.search(text, max(0, at - kind.back), at + _READ_AFTER)
    else:
        match = kind.regex.match(text, at)
    if (
        match is None
        or match.start() > at
        or (kind.opaque and not mixes_letters_and_digits(text[end : match.end()]))
    ):
        return None
    if len(set(text[end : match.end()])) <= _PLACEHOLDER < match.end() - end:
        return None  # `ghp_xxxxxxxx`
    if joined and kind.opaque and not _unmistakable(text[end : match.end()]):
        return None
    hit = _hit(kind, match)
    return hit if match.lastgroup else hit._replace(end=_real_end(text, hit.end))


def _unmistakable(rest: str) -> bool:
    """Whether the text after a prefix is a credential even in the middle of a name."""
    mixed = class_count(rest) == 3 or len(_DIGIT.findall(rest)) >= _MANY_DIGITS
    return mixed and len(rest) >= _UNMISTAKABLE


def _hit(kind: Kind, match: re.Match[str]) -> Hit:
    group = "secret" if "secret" in kind.regex.groupindex else 0
    return Hit(match.start(group), match.end(group), kind.kind)


def _real_end(text: str, end: int) -> int:
    """The real end of a credential, if a line break or string join runs through it."""
    match = _CONTINUED.match(text, end)
    if match is None:
        return end
    rest = match["rest"]
    return match.end("rest") if mixes_letters_and_digits(rest) else end


def starts_token(text: str, at: int) -> bool:
    """Whether a word starts at `at`; an escape sequence before it is not part of the word."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_-"):
        return True
    if text[at - 1] == "-" and (at == 1 or text[at - 2] == "\n"):
        return True  # a line that a diff removes
    return ends_escape(text, at)


def ends_escape(text: str, at: int) -> bool:
    """Whether an escape sequence, of a line break, a letter or `%2F`, ends right before `at`."""
    window = text[max(0, at - _MAX_BREAK) : at]
    if "\\" not in window and "\x1b" not in window and "%" not in window:
        return False
    return any(match.end() == len(window) for match in _ESCAPED_BREAK.finditer(window))


def mixes_letters_and_digits(text: str) -> bool:
    """Whether a text contains both a letter and a digit."""
    return bool(_DIGIT.search(text) and (_LOWER.search(text) or _UPPER.search(text)))


def has_odd_case(text: str) -> bool:
    """Whether letters change case as in no name: `mOIZSVipJjGC`."""
    return len(text) >= _MIXED_LETTERS and text.isalpha() and _LONE_SMALL.search(text) is not None


def is_gibberish(text: str) -> bool:
    """Whether letters are random: too few pairs of neighbours are common in words."""
    mixed = not (text.islower() or text.isupper())
    least, share = (_MIXED_LETTERS, _SHARE_MIXED) if mixed else (_LONG_LETTERS, _SHARE_OF_WORDS)
    if len(text) < least or not (text.isascii() and text.isalpha()):
        return False
    usual = letter_pairs()
    common = sum(second in usual.get(first, "") for first, second in pairwise(text.lower()))
    return common < share * (len(text) - 1)


def is_unlike_words(text: str) -> bool:
    """Whether a text is unlike words: letters with digits, a case that no name has, or random letters."""
    return mixes_letters_and_digits(text) or has_odd_case(text) or is_gibberish(text)


def class_count(text: str) -> int:
    """How many of lower case, upper case and digits a text contains."""
    return sum(one.search(text) is not None for one in (_LOWER, _UPPER, _DIGIT))


def is_scrambled(text: str, *, mixed: float = 0.42) -> bool:
    """Whether letters and digits follow each other as if they were random.

    In a random string of letters and digits 62 % of neighbours differ in class, of small letters and digits
    40 %, of hexadecimal 47 %; of words and numbers in a row hardly 20 %.
    """
    classes = _classes(text)
    digits = classes.count(b"d")
    if len(classes) < _MIN_JUDGED or digits < 2 or digits > len(classes) - 4:
        return False
    both = b"u" in classes and b"l" in classes
    return _share_of_changes(classes) >= (mixed if both else _EVEN) and len(set(text)) >= 10


def is_random(text: str, *, mixed: float = 0.42) -> bool:
    """Whether letters and digits are random: scrambled, or few digits among letters of no word."""
    return is_scrambled(text, mixed=mixed) or bool(
        text.replace("-", "").replace("_", "").isalnum()
        and mixes_letters_and_digits(text)
        and is_gibberish("".join(filter(str.isalpha, text)))
    )


def changes(text: str) -> float:
    """Share of neighbours that differ in class (small letters, capitals, digits); signs are ignored."""
    return _share_of_changes(_classes(text))


def _classes(text: str) -> bytes:
    """The class of each letter and digit of a text."""
    return text.encode("ascii", "replace").translate(_CLASS, _SIGNS)


def _share_of_changes(classes: bytes) -> float:
    runs = len(_RUN_OF_CLASS.findall(classes))
    return (runs - 1) / (len(classes) - 1) if len(classes) > 1 else 0.0
