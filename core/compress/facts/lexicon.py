"""The words and patterns by which facts are recognised, and how figures, times and days are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from core.support.program_files import load_table

_ANY_CASE = frozenset(
    ("constraint", "corrects", "courtesy", "decision", "remaining", "achieved", "intent", "offered", "passed")
)
_BY_LINE = frozenset(("gone", "moved"))
"""Patterns in which `^` and `$` match at each line."""

_DAY = re.compile(
    r"(?<![\d-])\d{4}-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?![\d-])"
    r"|(?<![\d.])(?P<day2>0?[1-9]|[12]\d|3[01])\.(?P<month2>0?[1-9]|1[0-2])\.\d{4}(?!\d)"
    r"|(?<!\d)(?P<month3>0?[1-9]|1[0-2])(?:月|월 ?)(?P<day3>0?[1-9]|[12]\d|3[01])[日号일]"
)
"""A day in figures."""

FIGURES = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
FIGURE = rf"(?<![\w.,/#:$-])(\d[\d,]*(?:\.\d+)?|{'|'.join(FIGURES)})"
"""A figure in digits or words."""

_ONES = ("", "one", *FIGURES)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_LONGEST_SPOKEN = 5
"""Digits of the longest number that is put in words."""

_DIGIT = re.compile(r"\d")
_CLOCK, _HOURS = re.compile(r"(\d{1,2})[:h.]([0-5]\d)"), 24
_TIME = re.compile(r"\d{1,2}(?:\.(?:0?[1-9]|1[0-2])\.(?!\d)|:\d\d)")
_MAY = "may"
"""In English months have a capital, so this is a verb: `LOD-0 may`."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The compiled `lexicon.yaml`."""

    constraint: re.Pattern[str]
    decision: re.Pattern[str]
    remaining: re.Pattern[str]
    achieved: re.Pattern[str]
    intent: re.Pattern[str]
    courtesy: re.Pattern[str]
    offered: re.Pattern[str]
    injected: re.Pattern[str]
    added: re.Pattern[str]
    told: re.Pattern[str]
    observed: re.Pattern[str]
    printed: re.Pattern[str]
    no_rule: re.Pattern[str]
    error: re.Pattern[str]
    error_words: re.Pattern[str]
    corrects: re.Pattern[str]
    handoff: re.Pattern[str]
    harmless: re.Pattern[str]
    rejected: re.Pattern[str]
    passed: re.Pattern[str]
    gone: re.Pattern[str]
    moved: re.Pattern[str]
    manner: re.Pattern[str]
    device: re.Pattern[str]
    passing: re.Pattern[str]
    looking: re.Pattern[str]
    zone: re.Pattern[str]
    acting: frozenset[str]
    dull_units: frozenset[str]
    known_codes: frozenset[str]
    units: frozenset[str]
    weekdays: frozenset[str]
    days_between: tuple[str, ...]
    days_before: tuple[str, ...]
    scales: Mapping[str, int]
    file_name: re.Pattern[str]
    error_stems: tuple[str, ...]
    months: tuple[tuple[str, ...], ...]
    command_keys: tuple[str, ...]
    path_keys: tuple[str, ...]
    search_keys: tuple[str, ...]
    subject_keys: tuple[str, ...]
    effects: Mapping[str, frozenset[str]]


@cache
def lexicon() -> Lexicon:
    """The table, compiled."""
    table: dict[str, Any] = load_table("core/compress/facts/lexicon.yaml")
    extensions = "|".join(sorted(map(re.escape, table["extensions"]), key=len, reverse=True))
    made: dict[str, Any] = {
        "file_name": re.compile(rf"(?<![\w@+%~$.-])[\w@+%~$.-]*[\w@+%~$-]\.(?:{extensions})"),
        "effects": {effect: frozenset(words) for effect, words in table["effects"].items()},
        "scales": table["scales"],
    }
    rest = {field.name: str(field.type) for field in fields(Lexicon) if field.name not in made}
    return Lexicon(**made, **{name: _as(kind, name, table[name]) for name, kind in rest.items()})


def _as(kind: str, name: str, entries: list[str]) -> Any:
    if kind == "re.Pattern[str]":
        flags = re.IGNORECASE if name in _ANY_CASE else re.MULTILINE if name in _BY_LINE else 0
        return re.compile("|".join(f"(?:{pattern})" for pattern in entries), flags)
    return frozenset(entries) if kind == "frozenset[str]" else tuple(entries)


def figure_of(text: str) -> str:
    """A figure in digits without separators, even if it was written as a word."""
    lower = text.lower().replace(",", "")
    return str(FIGURES.index(lower) + 2) if lower in FIGURES else lower


def spellings(figure: str) -> Sequence[str]:
    """A number as it is, and as programs and languages write it: 1,234.5, 1.234,5 and 1 234,5 are 1234.5."""
    return tuple(dict.fromkeys((figure, *_spellings(figure))))


def _spellings(figure: str) -> Iterator[str]:
    yield from spoken(figure.replace(",", ""))
    for thousands, decimal in ((",", "."), (".", ",")):
        grouped = rf"\d{{1,3}}(?:\{thousands}\d{{3}})+"
        if re.fullmatch(rf"(?:{grouped}|\d+)(?:\{decimal}\d+)?", figure):
            integer, _, places = figure.replace(thousands, "").partition(decimal)
            shorter = places if places == "000" else places.rstrip("0")  # 12,000 is not a precise 12
            for group, point in (("", "."), ("", ","), (",", "."), (".", ","), (" ", ","), ("_", ".")):
                start = f"{int(integer):,}".replace(",", group)
                yield from (f"{start}{point}{part}".rstrip(point) for part in (places, shorter))


def spoken(figure: str) -> Iterator[str]:
    """A whole number of hundreds below 100,000 in English words, as people say it in a call."""
    number = int(figure) if figure.isdigit() and len(figure) <= _LONGEST_SPOKEN else 0
    if not number or number % 100:
        return
    thousands, hundreds = divmod(number // 100, 10)
    if number < 10_000:
        yield from (f"{words} hundred" for words in _below_hundred(number // 100))
    rest = f" {_ONES[hundreds]} hundred" if hundreds else ""
    yield from (f"{words} thousand{rest}" for words in _below_hundred(thousands))


def _below_hundred(number: int) -> Iterator[str]:
    """A number from 1 to 99 in words; none for any other."""
    tens, ones = divmod(number, 10)
    if 0 < number < len(_ONES):
        yield _ONES[number]
    elif number:
        yield from dict.fromkeys(f"{_TENS[tens - 2]}{sign}{_ONES[ones]}".rstrip("- ") for sign in "- ")


def clock_times(figure: str) -> Iterator[str]:
    """A time of day as languages write it, in 12 or 24 hours: 2:30, 14:30 and 14h30 may be the same."""
    match = _CLOCK.fullmatch(figure)
    if match is None or int(match[1]) >= _HOURS:
        return
    hour, minutes = int(match[1]), match[2]
    for same in (hour, (hour + _HOURS // 2) % _HOURS):
        for hour_text in {str(same), f"{same:02}"}:
            yield from (f"{hour_text}{sign}{minutes}" for sign in (":", "h", " h ", "."))
            if minutes == "00":
                yield from (f"{hour_text}{word}" for word in ("h", " h", " uhr", "am", " am", "pm", " pm"))


def is_time(text: str, at: int) -> bool:
    """Whether there is a time at a position, or a day as German writes it without the year: `16.10.`."""
    return _TIME.match(text, at) is not None


def dates(text: str) -> Iterator[str]:
    """The days a text names, as written."""
    if not _DIGIT.search(text):
        return
    yield from (match.group() for match in _DAY.finditer(text))
    lower = text.lower()
    if any(stem in lower for stem in _stems()):
        yield from (match.group() for match in _day_by_name().finditer(text) if _MAY not in match.groups())


def without_figures(text: str) -> str:
    """A text with days in figures blanked, as they do not count anything."""
    return _DAY.sub(lambda match: " " * len(match.group()), text)


def day_of(date: str) -> tuple[int, int] | None:
    """Month and day of a date in any form; the year is ignored, as it is often left out."""
    match = _DAY.search(date) or _day_by_name().search(date)
    if match is None:
        return None
    named = {name.rstrip("23"): value for name, value in match.groupdict().items() if value}
    month = named["month"].lower().rstrip(".")
    return (int(month) if month.isdigit() else _months()[month]), int(named["day"])


def days_as_written(month: int, day: int) -> Iterator[str]:
    """A day as programs and languages write it, in lower case and without the year."""
    for name in lexicon().months[month - 1]:
        yield from (
            f"{name} {day}",
            f"{name} {day:>2}",  # as programs align it
            *(f"{day}{joint}{name}" for joint in (" ", ". ", " de ")),
        )
    yield from (f"-{month:02}-{day:02}", f"/{month:02}/{day:02}", f"{day:02}/{month:02}")
    yield from (f"{month}/{day}", f"{day}/{month}", f"{day:02}.{month:02}", f"{day}.{month}.")
    yield from (f"{month}月{day}", f"{month} 月 {day}", f"{month}월 {day}일", f"{month}월{day}일")


@cache
def _months() -> dict[str, int]:
    return {name: place for place, names in enumerate(lexicon().months, 1) for name in names}


@cache
def _stems() -> frozenset[str]:
    return frozenset(name[:3] for name in _months())


@cache
def _day_by_name() -> re.Pattern[str]:
    """Matches a named month before or after a day."""
    names = sorted(_months(), key=lambda name: (name[0], -len(name)))
    rests = ((letter, (name[1:] for name in found)) for letter, found in groupby(names, itemgetter(0)))
    month = "|".join(f"{letter}(?:{'|'.join(some)})" for letter, some in rests)  # one letter decides: faster
    return re.compile(
        rf"\b(?P<month>{month})\b\.?\s(?P<day>\d{{1,2}})(?:[snrt][tdh])?\b(?:,?\s\d{{4}})?"
        rf"|(?<![\w.-])(?P<day2>[12]\d|3[01]|0?[1-9])\.?\s(?:de\s)?(?P<month2>{month})\b\.?(?:\s\d{{4}})?",
        re.IGNORECASE,
    )
