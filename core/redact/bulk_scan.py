"""Where a credential may stand in a lot of text, told many times faster than by looking for each kind.

Three things give credentials away: a long run of letters and digits that begins as one does, a name that
calls what is assigned to it a secret, and a place where a protocol puts one. Only what is found this way is
looked at in earnest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, lru_cache
from itertools import accumulate

from core.redact.key_formats import unlisted
from core.redact.known_values import KNOWN
from core.redact.secret_names import Strength, strength
from core.redact.table import hints, kinds, manifests, names, places
from core.redact.text import find, redact_text, unnamed

_RUN = 16
"""No issuer gives out a shorter credential that tells itself by its beginning."""
_WORD = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-"
_CLASSES = bytes(87 if code in _WORD else 32 for code in range(256))
_NAMED = bytes(87 if code in _WORD or code == 46 or code > 127 else 32 for code in range(256))
_LEAD, _BEHIND, _LONGEST = 160, 320, 1_600
"""Bytes around a hint that are looked at: a name or an address before, a value behind, to where it ends."""
_WIDEST = 8_000
"""Bytes looked at together at the most where hints stand close to each other."""
_VALUE_END = re.compile(rb"[\s\"'`]")
_SHORTEST_ISSUED = 20
_BEFORE = 60
"""A beginning may hold a dot or a colon, which ends a run; or a name stands before it."""
_STEMS = tuple(
    b"pass pwd secret key cred token cookie auth mdp connection phrase wort psk senha wachtwoord pw"
    b" contrasena haslo heslo salasana lozinka parola adgangskode kodeord".split()
)
"""In lower case, a part of every name, and of every place, that makes a short value a secret."""
_TELLING = 4
"""Characters of the beginning of a place at the least, lest every second line held one."""
_FAR = 64
_ASCII = bytes(range(128))
_CLOSE = rb"(?:\\{0,8}[\"'`]|\*\*)?\]?(?:(?:\x1b|\\{1,8}(?:u001b|x1b|033|e))\[[0-9;]{0,12}m){0,3}"
_WIDE_COLON = "：".encode()
_MENTIONED = rb"[^\w\n]{1,4}(?:[A-Za-z]{1,10}[^\w\n]{1,3}){0,4}[\"'`(]{0,2}[A-Za-z0-9_+/=.~-]{16}"
_RANDOM = re.compile(rb"[^\n]{0,60}?(?=[^\s\"'`,;]{0,40}\d)[^\s\"'`,;]{13}")
_PLACES = (b"authorization", b"cookie", b"cookie2", b"sshpass")
_GIVEN = re.compile(
    _CLOSE
    + rb"(?:\s{0,8}(?:[:=]|\xef\xbc\x9a|(?:ist?|es|\xc3[\xa8\xa9]) |\{[ \t]?get;|\xe6\x98\xaf|\xe4\xb8\xba)"
    + rb"|\s{0,4},|\(|\s{0,4}(?:->|[?|]{1,2}=)|%(?:25)?3[dD])"
    + rb"|[ \t]{1,4}[\"'`]?(?=[^\s]{0,64}[0-9+/=~!@#$%^&*])[A-Za-z0-9_+/=.~!@#$%^&*-]{6}"
    + rb"|[\"'\\\],\sn]{0,60}[vV]alue|[ \t]{1,40}\|"
    + rb"|</key>|[^<>\n]{0,80}>[^<>\n]{1,512}</|"
    + _MENTIONED
)
"""What may stand between a name and its value."""
_NAMED_LAST, _NEAR = re.compile(rb"\"(?:[kK]ey|[nN]ame)\\{0,8}\"\s{0,4}:\s{0,4}\\{0,8}\"\Z"), 48
"""What stands before a name whose value came first; and the bytes in which it is looked for."""
_DECLARES = (b"ENV ", b"setenv ", b"setx ", b"set -x ", b"set -gx ", b"set -Ux ", b"set -xg ")
_LOGIN = re.compile(rb":\\?/\\?/[^\s@\"'<>]{0,600}\Z")
_WEAK = (
    r"(?i:token|auth|appid|cookie|bearer|basic|session|jwt|dsn|sig|signature|code|pat|pw|key)[\w-]{0,24}"
    r"[\"'`\\\]]{0,4}\s{0,4}(?:[:= >(：]|is )\s{0,4}[\"'`\\]{0,4}\w{16}"
)
"""Names whose value is a secret only when it looks like one."""
_PLAIN = re.compile(rb"[a-z0-9]+")
_DIGIT = re.compile(rb"\d")
_SEAM = b"\n\n"


def holding(texts: Sequence[bytes], *, thorough: bool = False) -> frozenset[int]:
    """Positions of the texts that hold a credential.

    Args:
        texts: In UTF-8.
        thorough: Also look for the logins of rarer commands; takes twice as long.
    """
    joined = _SEAM.join(texts)
    ends = list(accumulate(len(text) + len(_SEAM) for text in texts))
    found: set[int] = set()
    hints = sorted(set(_hints(joined, _literal() if thorough else _common())))
    for place, start, end in _windows(joined, ends, hints):
        if place not in found and find(joined[start:end].decode("utf-8", "replace")):
            found.add(place)
    told = (place for place, text in enumerate(texts) if any(unnamed(text.decode("utf-8", "replace"))))
    return frozenset(found.union(told))


def _windows(joined: bytes, ends: Sequence[int], hints: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """What to look at around hints: the place of the text, start and end; those that touch are one."""
    place = start = end = 0
    for at in hints:
        if end and at < ends[place] and at - _LEAD < end and at - start < _WIDEST:
            end = max(end, min(ends[place], _value_end(joined, at)))
            continue
        if end:
            yield place, start, end
        while ends[place] <= at:
            place += 1
        start = max(ends[place - 1] if place else 0, at - _LEAD)
        end = min(ends[place], _value_end(joined, at))
    if end:
        yield place, start, end


def redact_bulk(texts: Sequence[str]) -> list[str]:
    """Many texts without their credentials; only where a quick look finds any are they searched for."""
    each = list(dict.fromkeys(texts))  # what tools give back is often the same again
    held = holding([text.encode("utf-8", "replace") for text in each], thorough=True)
    clean = {text: redact_text(text) for at, text in enumerate(each) if at in held or KNOWN.held(text)}
    return [clean.get(text, text) for text in texts]


def _value_end(text: bytes, at: int) -> int:
    end = _VALUE_END.search(text, at + _BEHIND, at + _LONGEST)
    return end.end() if end is not None else at + _LONGEST


def _hints(text: bytes, literal: Iterable[bytes]) -> Iterator[int]:
    lower = text.lower()
    yield from _runs(text)
    yield from _names(text, lower)
    words = b"\n".join(set(_PLAIN.findall(lower)))  # each once: most beginnings are ruled out by them
    for needle in literal:
        if _longest(needle) in words:
            yield from _all(lower, needle)
    yield from (at for at in _all(text, b"@") if _LOGIN.search(text, max(0, at - 700), at))


@cache
def _longest(needle: bytes) -> bytes:
    """The longest word of a beginning."""
    return max(_PLAIN.findall(needle), key=len, default=b"")


@cache
def _common() -> tuple[bytes, ...]:
    """Places that hold no stem; a run tells those that want a random value, its `@` an address."""
    return tuple(hint.encode() for hint in hints())


@cache
def _literal() -> tuple[bytes, ...]:
    """What begins a place that holds no stem: logins on command lines, manifests."""
    begin = (
        needle
        for place in places()
        for needle in place.needles
        if place.kind == "login" or len(needle.strip()) >= _TELLING
    )
    rare = (needle for needle in (*begin, *manifests()) if "=" not in needle or ";" in needle)
    return tuple(dict.fromkeys((*_common(), *(needle.encode() for needle in rare))))


def _all(text: bytes, needle: bytes) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle))


def _names(text: bytes, lower: bytes) -> Iterator[int]:
    """Names that call a value a secret, where one may follow; and places that are called like one."""
    classes = text.translate(_NAMED)
    for stem in (*_STEMS, *_foreign_in(text)):
        for at in _all(lower, stem):
            start = classes.rfind(b" ", max(0, at - _FAR), at) + 1 or max(0, at - _FAR)
            end = classes.find(b" ", at, at + _FAR)
            end = at + _FAR if end < 0 else end
            if text[start - 1 : start] == b"\\" and text[start : start + 1] in b"nrt":
                start += 1  # a name behind `\n` in a JSON string
            name = text[start:end].partition(_WIDE_COLON)[0]
            told, placed = _told(name)
            there = placed and _placed().match(lower, max(0, start - 1))
            flag = name.startswith(b"-") or text.endswith(_DECLARES, max(0, start - 9), start)
            last = told >= Strength.LIKELY and _NAMED_LAST.search(text, max(0, start - _NEAR), start)
            if there or last or _follows(told, text, start + len(name), flag=flag):
                yield at


def _follows(told: Strength, text: bytes, end: int, *, flag: bool) -> bool:
    """Whether such a value may follow a name that ends here."""
    if told is Strength.NONE or not (flag or _GIVEN.match(text, end)):
        return False
    return told >= Strength.LIKELY or _RANDOM.match(text, end) is not None


@lru_cache(maxsize=4096)
def _told(name: bytes) -> tuple[Strength, bool]:
    """What a name says of its value, and whether a place is called like that."""
    return strength(name.decode("utf-8", "replace")), name.lower().endswith(_PLACES)


def _foreign_in(text: bytes) -> Iterator[bytes]:
    """Stems of other alphabets that may stand in a text; what is not ASCII rules most of them out at once."""
    rest = text.translate(None, _ASCII)
    return (form for form in _foreign() if rest and form.translate(None, _ASCII) in rest)


@cache
def _foreign() -> tuple[bytes, ...]:
    """Stems of other alphabets, as they are written."""
    stems = (stem for stem in names().stems if not stem.isascii())
    return tuple(
        dict.fromkeys(form.encode() for stem in stems for form in (stem, stem.upper(), stem.title()))
    )


@cache
def _placed() -> re.Pattern[bytes]:
    """A place whose needle holds a stem, from the character before it."""
    needles = (needle.encode() for place in places() for needle in place.needles)
    ours = (re.escape(needle) for needle in needles if any(stem in needle for stem in _STEMS))
    return re.compile(rb"(?s:.?)(?:" + b"|".join(ours) + rb")|[?&]key=")


def _runs(text: bytes) -> Iterator[int]:
    """Long words that begin, or stand, as a credential does."""
    classes = text.translate(_CLASSES)
    begins, starts, digit = _beginnings(), _starts(), _DIGIT
    word = b"W" * _RUN
    at = classes.find(word)
    while at >= 0:
        end = classes.find(b" ", at)
        end = len(text) if end < 0 else end
        first = at + (text[at - 1 : at] == b"\\")  # behind the letter of a `\n` in a JSON string
        if (
            text[at : at + 3] in starts
            or text[first : first + 3] in starts
            or (digit.search(text, at, end) and begins.search(text, max(0, at - _BEFORE), end))
            or (end - at >= _SHORTEST_ISSUED and _issued(text[max(0, at - _BEFORE) : at + _LEAD]))
        ):
            yield at
        at = classes.find(word, end)


def _issued(around: bytes) -> bool:
    """Whether a long word looks like the key of an issuer in no list."""
    return any(unlisted(around.decode("utf-8", "replace")))


@cache
def _starts() -> frozenset[bytes]:
    """The first letters of every beginning that needs no digit behind it."""
    return frozenset(needle[:3].encode() for kind in kinds() if not kind.opaque for needle in kind.needles)


@cache
def _beginnings() -> re.Pattern[bytes]:
    """Every literal beginning, and the whole of each kind that has none."""
    literal = _tree({needle for kind in kinds() for needle in kind.needles})
    whole = (f"(?:{_nameless(kind.source)})" for kind in kinds() if not kind.needles)
    return re.compile("|".join((literal, *whole, _WEAK)).encode())


def _tree(words: Set[str]) -> str:
    """An expression for any of some words, told apart letter by letter: faster than a list of them."""
    if "" in words:
        return ""
    rest: dict[str, set[str]] = {}
    for word in words:
        rest.setdefault(word[0], set()).add(word[1:])
    return f"(?:{'|'.join(re.escape(letter) + _tree(behind) for letter, behind in sorted(rest.items()))})"


def _nameless(source: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", source)
