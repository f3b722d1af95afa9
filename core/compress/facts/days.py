"""The days a text names: in figures, or by months in the languages of `lexicon.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from core.compress.facts.lexicon import lexicon

_FIGURES = re.compile(
    r"(?<![\d-])\d{4}-(?P<month>\d{2})-(?P<day>\d{2})(?![\d-])"
    r"|(?<![\d.])(?P<day2>\d{1,2})\.(?P<month2>0?[1-9]|1[0-2])\.\d{4}(?!\d)"
    r"|(?P<month3>\d{1,2})月(?P<day3>\d{1,2})[日号]"
)


_MAY = "may"
"""In English months have a capital, so this is a verb: `LOD-0 may`."""


def dates(text: str) -> Iterator[str]:
    """The days a text names, as it names them."""
    yield from (match.group() for match in _FIGURES.finditer(text))
    lower = text.lower()
    if any(stem in lower for stem in _stems()):
        yield from (match.group() for match in _spoken().finditer(text) if _MAY not in match.groups())


def without_figures(text: str) -> str:
    """A text in which the days written in figures are blank: they count nothing."""
    return _FIGURES.sub(lambda match: " " * len(match.group()), text)


def day_of(date: str) -> tuple[int, int] | None:
    """Month and day of a date in any form it is written in; the year is often left out."""
    match = _FIGURES.search(date) or _spoken().search(date)
    if match is None:
        return None
    named = {name.rstrip("23"): value for name, value in match.groupdict().items() if value}
    month = named["month"].lower().rstrip(".")
    return (int(month) if month.isdigit() else _months()[month]), int(named["day"])


@cache
def _months() -> dict[str, int]:
    return {name: place for place, names in enumerate(lexicon().months, 1) for name in names}


@cache
def _stems() -> frozenset[str]:
    return frozenset(name[:3] for name in _months())


@cache
def _spoken() -> re.Pattern[str]:
    """A month by its name, before or behind the day."""
    month = "|".join(sorted(_months(), key=len, reverse=True))
    return re.compile(
        rf"\b(?P<month>{month})\b\.?\s(?P<day>\d{{1,2}})(?:[snrt][tdh])?\b(?:,?\s\d{{4}})?"
        rf"|(?<![\w.-])(?P<day2>[12]\d|3[01]|0?[1-9])\.?\s(?:de\s)?(?P<month2>{month})\b\.?(?:\s\d{{4}})?",
        re.IGNORECASE,
    )
