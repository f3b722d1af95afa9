"""Masks a value found as a credential in one place of a conversation everywhere else, also without its name.

A session may say `DB_PASSWORD=...` once and the bare value ten messages later; only the first is
recognisable. So a conversation's credentials are learned before it is shown, and every later search finds
them again. They are kept only in memory, while the process runs.
"""

from __future__ import annotations

import json
import re
from array import array
from base64 import b64decode, b64encode
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, pairwise
from string import ascii_letters, digits
from threading import Lock
from typing import TypeVar
from urllib.parse import quote, unquote

from core.redact.spans import BEGINNING, OPENS_MASK, Hit, Search, beginnings, one_by_one, pattern, search_for

Item = TypeVar("Item", bound=Hashable)

MIN_LENGTH, _MIN_ODD, _MIN_INSIDE_WORD = 8, 6, 16
"""Minimum lengths of a value searched for on its own; of one unlike any word; of one found inside words."""

_MIN_PART = 24
"""Minimum length of a line of a key block that is searched for."""

_HARMLESS = 1 << 17
"""Slots for texts without credentials, eight bytes each, so that a long-running app does not grow."""

_MAX_PENDING = 96
"""Up to this many new values are searched for one by one before the combined search is rebuilt."""

_WORD = pattern(r"\S{6,}")
_AROUND = "\"'`<>()[]{},;.:!?"
_NAME = pattern(r"[A-Za-z_][\w.-]*[=:]+[\"'`(\[{]*(?=.)")
_BREAKS = pattern(r"[\"'`<>()\[\]{},;]+")
_GIVEN = pattern(r"[?&=]+")
_PLAIN = pattern(r"[\w.:/-]+", re.ASCII)
_STEM = pattern(r"\w{4,}", re.ASCII)
"""The part of a word that is searched for in messages, where the rest may be escaped."""
_ENCODED = pattern(r"[A-Za-z0-9+/_-]{11,}")
_READABLE = pattern(r"[!-~]{8,}")

_BASE64 = frozenset(ascii_letters + digits + "+/-_=")
_BLANK = pattern(r"(?:\s|\\+[nrt])+")
_PERCENT, _LEFT_BY_BROWSERS = pattern(r"%[0-9A-F]{2}"), "!'()*"
"""An encoded byte of a URL, and the signs that browsers do not encode there, though Python does."""
_LETTER = pattern(r"[^\W\d_]")
_SIGN = pattern(r"[^\w\s./:,\-]")
_SIGNS = pattern(r"[\W_]+")
_RUN, _LETTERS = pattern(r"[^\W\d_]+|\d+"), pattern(r"[a-z]+")


class KnownValues:
    """Credentials seen in this process, each with its kind; threads may learn and search at the same time.

    None is ever dropped: a process that shows a thousand conversations still masks those of the first. A
    search takes as long however many are known, because it asks which of their beginnings occur in the text.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._encoded: set[str] = set()
        self._starts: dict[str, list[str]] = {}
        self._fresh: dict[str, str] = {}
        self._search: Search[str] = search_for({})
        self._read: set[Hashable] = set()
        self._rows: dict[Hashable, tuple[int, int]] = {}
        self._innocent = array("q")
        self._lock = Lock()

    @property
    def count(self) -> int:
        """How many are known; grows until all are forgotten."""
        return len(self._kinds)

    def learn(self, found: Iterable[tuple[str, str]]) -> None:
        """Remember credentials and their kinds, except those that could be ordinary words."""
        with self._lock:
            for value, kind in found:
                if value not in self._kinds:
                    self._add(value, kind)
            if len(self._fresh) > _MAX_PENDING:
                self._search, self._fresh = search_for({part: part for part in self._kinds}), {}

    def _add(self, value: str, kind: str) -> None:
        for part, encoded in _parts(value):
            if part not in self._kinds:
                if encoded:
                    self._encoded.add(part)
                self._starts.setdefault(part[:BEGINNING], []).append(part)
                self._kinds[part] = kind
                self._fresh[part] = part

    def unread(self, items: Iterable[Item]) -> list[Item]:
        """Those of some places that have not been read to the end; see `mark_read`."""
        with self._lock:
            return [item for item in dict.fromkeys(items) if item not in self._read]

    def mark_read(self, items: Iterable[Hashable]) -> None:
        """Mark these places as read to the end; a cancelled reading marks none."""
        with self._lock:
            self._read.update(items)

    def read_rows(self, place: Hashable) -> tuple[int, int]:
        """The last row read of a place, and how many were: as it grows, no row is read again."""
        return self._rows.get(place, (0, 0))

    def mark_rows(self, place: Hashable, rows: Sequence[int]) -> None:
        """Mark these rows, and all before them, as read; two threads may do so."""
        with self._lock:
            last, count = self.read_rows(place)
            if not count or rows[0] > last:
                self._rows[place] = (rows[-1], count + len(rows))

    def forget_rows(self, place: Hashable) -> None:
        """Forget which rows of a place were read, because it has other rows now."""
        self._rows.pop(place, None)

    def is_harmless(self, text: Hashable) -> bool:
        """Whether a text was marked as revealing nothing: agents read the same things repeatedly."""
        known = hash(text)
        return bool(self._innocent) and self._innocent[known % _HARMLESS] == known

    def mark_harmless(self, texts: Iterable[Hashable]) -> None:
        """Mark texts that reveal nothing themselves; values learned elsewhere may still occur in them."""
        self._innocent = self._innocent or array("q", [0]) * _HARMLESS
        for known in map(hash, texts):
            self._innocent[known % _HARMLESS] = known

    def is_clean(self, text: str) -> bool:
        """Whether a text was read as stored, revealed nothing, and contains no value learned elsewhere."""
        return self.is_harmless(text.encode("utf-8", "replace")) and not self.may_hold(text)

    def forget(self) -> None:
        """Forget everything."""
        with self._lock:
            for known in (self._kinds, self._encoded, self._starts, self._read, self._rows):
                known.clear()
            self._innocent = array("q")
            self._search, self._fresh = search_for({}), {}

    def may_hold(self, text: str) -> bool:
        """Whether a text may contain a known value, or the beginning of one."""
        return any(True for _ in chain(self._found(text), beginnings(text, self._starts)))

    def hits(self, text: str) -> Iterator[Hit]:
        """Where known values occur in a text, or begin; for one in base64, the whole run of base64."""
        yield from (Hit(at, end, self._kinds[value]) for at, end, value in beginnings(text, self._starts))
        for value, at in self._found(text):
            end = at + len(value)
            if value in self._encoded:
                yield Hit(*_run(text, at, end), self._kinds[value])
            elif len(value) >= _MIN_INSIDE_WORD or _stands_alone(text, at, end):
                yield Hit(at, end, self._kinds[value])

    def _found(self, text: str) -> Iterator[tuple[str, int]]:
        """Each value that occurs in a text, at every place."""
        for last, value in chain(self._search(text), one_by_one(text, dict(self._fresh))):
            yield value, last - len(value) + 1


KNOWN = KnownValues()


def _parts(value: str) -> Iterator[tuple[str, bool]]:
    """The parts of a credential to search for: the whole, or each long line of several; also encoded.

    Yields:
        What to search for, and whether it is a piece of base64, found within more of it.
    """
    pieces = _BLANK.split(value)
    least = MIN_LENGTH if len(pieces) == 1 else _MIN_PART
    for piece in dict.fromkeys((*pieces, *map(unquote, pieces))):
        if len(pieces) == 1 and len(piece) < MIN_LENGTH and is_looked_for(piece):
            yield piece, False
        if len(piece) >= least and is_distinct(piece):
            yield from ((form, False) for form in _spellings(piece) if len(form) >= MIN_LENGTH)
            yield from ((form, True) for form in _in_base64(piece))


def _spellings(value: str) -> Iterator[str]:
    """The value itself, as JSON, HTML and URLs spell it, and in hexadecimal."""
    from html import escape  # the quick look at every line does without it

    yield value
    yield from (json.dumps(value, ensure_ascii=plain)[1:-1] for plain in (False, True))
    yield escape(value)
    for left_out in ("", _LEFT_BY_BROWSERS):
        spelt = quote(value, safe=left_out, errors="replace")
        yield from (spelt, _PERCENT.sub(lambda code: code[0].lower(), spelt))
    pairs = value.encode("utf-8", "replace").hex()
    yield from (pairs, pairs.upper())
    if "\\" in value:
        yield value.replace('\\"', '"').replace("\\\\", "\\")


def _in_base64(value: str) -> Iterator[str]:
    """The base64 forms of a value, whatever precedes and follows it, as in `base64("bob:" + value)`.

    Three bytes become four characters, so the form depends on how many precede; at both ends a character
    that also encodes other bytes is left out (RFC 4648, section 4).
    """
    raw = value.encode("utf-8", "replace")
    for before, start in enumerate((0, 2, 3)):
        encoded = b64encode(bytes(before) + raw).decode()[start : (before + len(raw)) * 8 // 6]
        yield encoded
        yield encoded.replace("+", "-").replace("/", "_")


def is_looked_for(value: str) -> bool:
    """Whether a value is searched for on its own: it is distinct, and long or unlike any word."""
    return len(value) >= _MIN_ODD and is_distinct(value) and (len(value) >= MIN_LENGTH or _is_no_word(value))


def is_distinct(value: str) -> bool:
    """Whether a value can hardly mean anything else: no word, number, path, code or placeholder."""
    from core.redact.key_formats import is_unlike_words  # the quick look at every line does without these
    from core.redact.secret_names import is_code, is_path, is_reference

    if is_reference(value) or is_code(value) or is_path(value) or OPENS_MASK in value:
        return False
    return is_unlike_words(value) or bool(_LETTER.search(value) and _SIGN.search(value))


def _is_no_word(value: str) -> bool:
    """Whether letters and digits alternate, or the letters make no word: `he45ui`, `zcb766`."""
    from core.redact.key_formats import class_count
    from core.redact.table import letter_pairs

    runs, usual = _RUN.findall(_SIGNS.sub("", value)), letter_pairs()
    longest = max(_LETTERS.findall(value.lower()), key=len, default="")
    common = any(second in usual.get(first, "") for first, second in pairwise(longest))
    return len(runs) > 2 or class_count(value) == len(runs) + 1 == 3 or (len(longest) > 2 and not common)


def candidates(text: str) -> Iterator[str]:
    """For words of a line that could be or encode credentials, the parts to search for."""
    for word in dict.fromkeys(_WORD.findall(text)):
        yield from _parts_to_look_for(word)


@lru_cache(maxsize=16_384)  # titles share their words: usage by session of 20,000 takes half as long
def _parts_to_look_for(word: str) -> tuple[str, ...]:
    words, found = (word, *_decoded(word)), list[str]()
    for stripped in map(_stripped, (*words, *(part for one in words for part in _GIVEN.split(one)))):
        if any(map(is_looked_for, (_BREAKS.sub("", stripped), *_BREAKS.split(stripped)))):
            stems = _STEM.findall(stripped)
            longest = stripped if _PLAIN.fullmatch(stripped) else max(stems, key=len, default=stripped)
            found += list(filter(is_looked_for, stems)) or [longest]
    return tuple(found)


def _stripped(word: str) -> str:
    """A word without surrounding signs and without the name it is assigned to, as in `threshold=54400,`."""
    stripped = word.strip(_AROUND)
    return _NAME.sub("", stripped, count=1) if "://" not in stripped else stripped


def _decoded(word: str) -> Iterator[str]:
    """A word decoded from percent signs, hexadecimal or base64."""
    if "%" in word:
        yield unquote(word)
    for match in _ENCODED.findall(word):
        for decode, text in ((bytes.fromhex, match), *((b64decode, part) for part in _quartets(match))):
            with suppress(ValueError):
                yield from _READABLE.findall(decode(text).decode("latin-1"))


def _quartets(text: str) -> Iterator[str]:
    """A piece of base64 from each offset at which a group of four letters may begin."""
    plain = text.replace("-", "+").replace("_", "/")
    for start in range(4):
        yield plain[start : len(plain) - (len(plain) - start) % 4]


def _run(text: str, at: int, end: int) -> tuple[int, int]:
    """The run of base64 around a piece of it."""
    while at and text[at - 1] in _BASE64:
        at -= 1
    while end < len(text) and text[end] in _BASE64:
        end += 1
    return at, end


def _stands_alone(text: str, start: int, end: int) -> bool:
    from core.redact.key_formats import ends_escape

    if text[end : end + 1].isalnum():
        return False
    return not text[max(0, start - 1) : start].isalnum() or ends_escape(text, start)
