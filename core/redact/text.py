"""Finds and masks the credentials of a text, also those identified by a protocol or manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from core.redact.assigned_values import named
from core.redact.key_formats import known
from core.redact.known_values import KNOWN, KnownValues
from core.redact.secret_names import is_reference, looks_random
from core.redact.spans import (
    BETWEEN,
    MASKED,
    OPENS_MASK,
    Hints,
    Hit,
    cut,
    hints_of,
    lowered,
    merge,
    pattern,
    rows,
    tally,
    unescaped,
)
from core.redact.table import Place, places
from core.redact.unnamed.arguments import arguments
from core.redact.unnamed.columns import collections, columns, inserts, siblings
from core.redact.unnamed.commands import calls, commands, files
from core.redact.unnamed.nearby import nearby
from core.redact.unnamed.shapes import could_be_password, is_password, looks_secret, shaped, unlisted
from core.redact.unnamed.spoken import paired, spoken_passwords

_TOGETHER = 50_000
"""Characters of short texts that are searched together."""
_MIN_CACHED = 1_000_000
"""Length in characters from which the result for a text is cached for the next query."""
_PASSES = 5
_BY_WORD: Mapping[str, Callable[[str, str, Sequence[int]], Iterator[Hit]]] = {
    "columns": columns,
    "inserts": inserts,
    "groups": collections,
    "calls": calls,
    "files": files,
    "said": spoken_passwords,
}
"""The function that searches at a rule's words, given the text and its lower case."""
_REACH = 8_000
"""Characters before and after the word Secret in which its values are searched for."""
_LINE = r"(?:\r?\n|\\{1,8}n)"
_VALUE = r"[^\n\\]{0,16384}(?:\\[^n\\][^\n\\]{0,16384}){0,8}"
_BLOCK = pattern(
    rf"(?:^|{_LINE}|[ -])(?:stringData|data):[ \t]{{0,8}}"
    rf"(?P<rows>(?:{_LINE}[ \t]{{1,24}}[\w.-]{{1,253}}:{_VALUE}){{1,64}})"
)
_ROW = pattern(r"[\w.-]{1,253}:[ \t]{1,8}\\{0,8}[\"']?(?P<value>[^\s\"'\\]{3,16384})")
_OBJECT = pattern(r"\"(?:stringData|data)\\{0,8}\"\s{0,8}:\s{0,8}\{(?P<rows>[^{}]{1,65536})\}")
_ENTRY = pattern(r":\s{0,8}\\{0,8}\"(?P<value>[^\"\\]{3,16384})")
_END = "\n---"
_VARIABLE = pattern(r"\$(?:[A-Z_]{3}|[({])")
"""A shell variable or substitution."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its credentials.

    Attributes:
        counts: How many credentials of each kind were masked.
    """

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


def find(text: str) -> list[Hit]:
    """Where the credentials of a text are, in order and disjoint."""
    return _merged(text, *_classified(text))


def learn_texts(texts: Iterable[str]) -> None:
    """Find the credentials of texts, so that all are masked wherever they occur."""
    each = dict.fromkeys(texts)
    KNOWN.learn([(text[hit.start : hit.end], hit.kind) for text in each for hit in _learned(text)])


def _learned(text: str) -> list[Hit]:
    """Like `find`, plus credentials found by their form inside longer ones, in case they occur alone."""
    explicit, inferred = _classified(text)
    return [*_merged(text, explicit, inferred), *(() if OPENS_MASK in text else explicit)]


def _merged(text: str, explicit: Sequence[Hit], inferred: Sequence[Hit]) -> list[Hit]:
    hits = merge((*explicit, *KNOWN.hits(text), *inferred))
    return merge(_outside(hits, text)) if hits and OPENS_MASK in text else hits


def _classified(text: str) -> tuple[list[Hit], list[Hit]]:
    return _classify(text) if len(text) < _MIN_CACHED else _classify_long(text)


def _classify(text: str) -> tuple[list[Hit], list[Hit]]:
    """What a text reveals by itself: explicit hits (form or name) and inferred ones (appearance)."""
    hints = hints_of(text)
    explicit = [*known(text, hints), *headers(text, hints), *named(text, hints)]
    inferred = [*unlisted(text, hints), *unnamed(text, hints)]
    inferred += siblings(text, (*explicit, *inferred))
    return explicit, [*inferred, *_repeats(text, [*merge((*explicit, *inferred)), *explicit])]


_classify_long = lru_cache(maxsize=2)(_classify)
"""A preview searches the same message of 30 MB ten times, at 3 s each."""


def _repeats(text: str, hits: Sequence[Hit]) -> Iterable[Hit]:
    """Other occurrences in a text of the credentials found in one place of it."""
    elsewhere = KnownValues()
    elsewhere.learn([(text[hit.start : hit.end], hit.kind) for hit in hits])
    return elsewhere.hits(text) if elsewhere.count else ()


def unnamed(text: str, hints: Hints) -> Iterator[Hit]:
    """Every credential that only its surroundings identify, also in a text in JSON."""
    plain = unescaped(text)  # each character keeps its offset, so the hints are still right
    lower = hints.lower if plain is text else lowered(plain)
    if hints.rows:
        yield from nearby(plain, hints.rows if plain is text else rows(plain))
    yield from commands(plain, hints)
    if hints.places("arguments"):
        yield from arguments(plain, _of_command)
    for rule, found in _BY_WORD.items():
        if where := hints.places(rule):
            yield from found(plain, lower, where)
    yield from paired(plain, hints)
    if around := sorted({*hints.places("stems"), *hints.places("said")}):
        yield from shaped(plain, around)


def _of_command(line: str) -> Iterator[Hit]:
    """The credentials of a command line."""
    hints = hints_of(line)
    yield from headers(line, hints)
    yield from commands(line, hints)


def redact(text: str) -> Redacted:
    """Mask every credential of a text.

    The time is linear in the length of the text. A second run changes nothing: since a mask changes the
    surroundings of other values, the result is searched again, at most four times (except for texts so
    long that their result is cached).
    """
    counts: Counter[str] = Counter()
    for _ in range(_PASSES if len(text) < _MIN_CACHED else 1):
        if not (hits := find(text)):
            break
        text = cut(text, hits)
        counts.update(tally(hits))
    return Redacted(text, counts)


def redact_text(text: str) -> str:
    """The text with every credential masked."""
    return redact(text).text


def redact_bulk(texts: Sequence[str]) -> list[str]:
    """Mask many texts, searching each distinct one once, because tools often return the same text.

    Short ones are searched together, which is faster; what one of them reveals is masked in all.
    """
    clean = dict.fromkeys(texts, "")
    fresh = (text for text in clean if not KNOWN.is_clean(text))
    if not any(find(BETWEEN.join(group)) for group in _groups(fresh)):
        return list(texts)
    for group in _groups(clean):
        redacted = redact_text(BETWEEN.join(group)).split(BETWEEN)
        clean.update(
            zip(group, redacted if len(redacted) == len(group) else map(redact_text, group), strict=True)
        )
    return [clean[text] for text in texts]


def _groups(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts in order, short ones grouped."""
    group, size = list[str](), 0
    for text in texts:
        if group and size + len(text) > _TOGETHER:
            yield group
            group, size = [], 0
        group.append(text)
        size += len(text)
    if group:
        yield group


def _outside(hits: Iterable[Hit], text: str) -> Iterator[Hit]:
    """Drop hits that are already masked; a hit that is more than a mask includes the masks it overlaps."""
    done = [match.span() for match in MASKED.finditer(text)]
    for hit in hits:
        touched = [span for span in done if span[0] < hit.end and hit.start < span[1]]
        start = min((hit.start, *(span[0] for span in touched)))
        end = max((hit.end, *(span[1] for span in touched)))
        if not touched or any(map(str.isalnum, MASKED.sub("", text[start:end]))):
            yield Hit(start, end, hit.kind)


def manifest_values(text: str, saying: Iterable[int]) -> Iterator[Hit]:
    """Every value of every Secret in a text, as YAML or JSON, also escaped in JSON.

    `saying` are the offsets at which the text says that something is a Secret.
    """
    found: list[tuple[int, int]] = []
    for at in saying:
        start, end = _manifest_around(text, at)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))  # read once, however often Secret occurs
        else:
            found.append((start, end))
    for start, end in found:
        yield from _values(text, start, end)


def _manifest_around(text: str, at: int) -> tuple[int, int]:
    """The manifest around an offset: YAML separates several by a line of dashes."""
    start, end = max(0, at - _REACH), min(len(text), at + _REACH)
    before, after = text.rfind(_END, start, at), text.find(_END, at, end)
    return (start if before < 0 else before + len(_END)), (end if after < 0 else after)


def _values(text: str, start: int, end: int) -> Iterator[Hit]:
    for block, entry in ((_BLOCK, _ROW), (_OBJECT, _ENTRY)):
        for found in block.finditer(text, start, end):
            for one in entry.finditer(text, *found.span("rows")):
                if not is_reference(one["value"]) and one["value"] not in "|->":
                    yield Hit(*one.span("value"), "kubernetes-secret")


def headers(text: str, hints: Hints) -> Iterator[Hit]:
    """Every credential in a place that a protocol or a command line has for it."""
    for number, found in hints.by_word("places"):
        place, needle = _needles()[number]
        if place.requires in hints.lower:
            yield from _found_in_place(place, len(needle), text, hints.lower, found)
    yield from manifest_values(text, hints.places("manifests"))


@cache
def _needles() -> Sequence[tuple[Place, str]]:
    """Each needle with its place."""
    return [(place, needle) for place in places() for needle in place.needles]


def _found_in_place(place: Place, length: int, text: str, lower: str, found: Sequence[int]) -> Iterator[Hit]:
    done = 0
    for at in found:
        if at < done:
            continue
        done = at + length
        match = place.found(text, at, done) or place.found(lower, at, done)
        if match and _is_secret_in(place, text[match.start("secret") : match.end("secret")]):
            yield Hit(*match.span("secret"), place.kind)
            done = max(done, match.end("secret"))


def _is_secret_in(place: Place, value: str) -> bool:
    if is_reference(value) or (place.kind == "login" and _VARIABLE.search(value)):
        return False
    if place.sure:
        return is_password(value) or looks_random(value)
    if place.odd:
        return could_be_password(value) or looks_random(value)
    if place.likely:
        return looks_secret(value)
    return not place.random or looks_random(value)
