"""Whether the messages name a day, however they write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from core.compress.facts.lexicon import day_of, days_as_written, lexicon
from core.compress.retention.ground.evidence import Evidence

_LEAP_YEAR = 2024
_DAY_ONLY = re.compile(r"(?P<day>\d\d)\.(?P<month>0\d|1[0-2])")
_LAST_WORD = re.compile(r"([^\W\d_]+),? $")


def is_named_day(value: str, sentence: str, evidence: Evidence) -> bool:
    """Whether the messages name a day, or the weekday that a sentence gives it."""
    day = day_of(value)
    if day is None or _occurs_as_day(*day, evidence):
        return True
    if lexicon().zone.search(sentence) and any(_occurs_as_day(*other, evidence) for other in _beside(*day)):
        return True
    before = _LAST_WORD.search(sentence, 0, max(0, sentence.find(value)))
    weekday = before[1].lower() if before else ""
    return weekday in lexicon().weekdays and evidence.mentions(weekday)


def _beside(month: int, day: int) -> Iterator[tuple[int, int]]:
    """Month and day of the day before and of the next day."""
    try:
        own = date(_LEAP_YEAR, month, day)
    except ValueError:
        return
    for apart in (-1, 1):
        other = own + timedelta(apart)
        yield other.month, other.day


def is_day(figure: str, evidence: Evidence) -> bool:
    """Whether a figure is a day in the German form, such as `30.09`, which the messages name."""
    day = _DAY_ONLY.fullmatch(figure)
    return day is not None and _occurs_as_day(int(day["month"]), int(day["day"]), evidence)


def _occurs_as_day(month: int, day: int, evidence: Evidence) -> bool:
    """Whether a day occurs in the messages: as written, in a range of days, or without its month."""
    written = days_as_written(month, day)
    if any((evidence.holds if form[0] in "-/" else evidence.mentions)(form) for form in written):
        return True
    names = lexicon().months[month - 1]
    name, alone = f"(?:{'|'.join(names)})", rf"(?<!\d){day}(?!\d)"
    among = re.compile(rf"{alone}{_later_days()}{name}|\b{name}\.? [\d,–-]{{0,8}}{alone}")
    ranged = any(among.search(near) for one in names for near in evidence.near(one))
    stamp = re.compile(rf"(?<!\d)20\d\d{month:02}{day:02}(?:\d{{6}})?(?!\d)")  # 20230529071650
    stamped = any(map(stamp.search, evidence.lines(f"{month:02}{day:02}")))
    return ranged or stamped or day in evidence.accounts.voices.days


@cache
def _later_days() -> str:
    """Between a day and the month of a later day: `28–29 August`."""
    return rf"(?:\.?\s?(?:[–—/,-]|{'|'.join(lexicon().days_between)})\s?\d{{1,2}}){{1,3}}\.?\s(?:de\s)?"
