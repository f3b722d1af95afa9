"""Where a credential may stand in a lot of text, told a hundred times faster than by looking for each kind.

Two things give nearly every credential away: a long run of letters and digits that begins as one does, or a
name that calls what is assigned to it a secret. Only what is found this way is looked at in earnest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

from core.compress.redact.rules import kinds
from core.compress.redact.text import find

_RUN = 16
"""No credential that tells itself by its beginning is shorter."""
_WORD = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-"
_CLASSES = bytes(87 if code in _WORD else 32 for code in range(256))
_LEAD, _BEHIND = 160, 320
"""Bytes around a hint that are looked at: a name or an address before, a value behind."""
_BEFORE = 40
"""A beginning may hold a dot or a colon, which ends a run; or a name stands before it."""
_NAMES = (b"passw", b"passphr", b"pwd", b"secret", b"_key", b"apikey", b"credential")
_GIVEN = re.compile(rb"[\w-]{0,24}\\{0,4}[\"'`]?\s{0,4}[:=]")
_LOGIN = re.compile(rb"://[^\s/@\"'<>]{0,128}\Z")
_WEAK = (
    r"(?i:token|auth|cookie|bearer|session|jwt)[\w-]{0,24}[\"'`\\]{0,4}\s{0,4}[:= ]\s{0,4}[\"'`\\]{0,4}\w{16}"
)
"""Names whose value is a secret only when it looks like one."""
_DIGIT = re.compile(rb"\d")
_SEAM = b"\n\n"


def holding(texts: Sequence[bytes]) -> frozenset[int]:
    """Positions of the texts that hold a credential."""
    joined = _SEAM.join(texts)
    ends = list(accumulate(len(text) + len(_SEAM) for text in texts))
    found: set[int] = set()
    place = 0
    for at in sorted(_hints(joined)):
        while ends[place] <= at:
            place += 1
        start = ends[place - 1] if place else 0
        around = joined[max(start, at - _LEAD) : min(ends[place], at + _BEHIND)]
        if place not in found and find(around.decode("utf-8", "replace")):
            found.add(place)
    return frozenset(found)


def _hints(text: bytes) -> Iterator[int]:
    yield from _runs(text)
    lower = text.lower()
    for name in _NAMES:
        yield from (at for at in _all(lower, name) if _GIVEN.match(lower, at))
    yield from _all(lower, b"-----begin ")
    yield from (at for at in _all(text, b"@") if _LOGIN.search(text, max(0, at - 140), at))


def _all(text: bytes, needle: bytes) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle))


def _runs(text: bytes) -> Iterator[int]:
    """Long words that begin, or stand, as a credential does."""
    classes = text.translate(_CLASSES)
    begins, digit = _beginnings(), _DIGIT
    word = b"W" * _RUN
    at = classes.find(word)
    while at >= 0:
        end = classes.find(b" ", at)
        end = len(text) if end < 0 else end
        if digit.search(text, at, end) and begins.search(text, max(0, at - _BEFORE), end):
            yield at
        at = classes.find(word, end)


@cache
def _beginnings() -> re.Pattern[bytes]:
    """Every literal beginning, and the whole of each kind that has none."""
    literal = (re.escape(needle) for kind in kinds() for needle in kind.needles)
    whole = (f"(?:{_nameless(kind.source)})" for kind in kinds() if not kind.needles)
    return re.compile("|".join((*literal, *whole, _WEAK)).encode())


def _nameless(source: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", source)
