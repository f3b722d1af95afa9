"""The figures of a text as numbers: which are close to another, or equal to it in another unit."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

_ANY_FIGURE = re.compile(r"(?<![\w.,])(?:\d+(?:[.,]\d+)*|\.\d+)")
_SCALED_FIGURE = re.compile(
    r"(?<![\w.,])(\d+(?:[.,]\d+)?) ?(?:[kmgtw]i?b?|ms|s|sec|seconds?|min|minutes?|h|hours?|cores?"
    r"|thousand|million|mil|tsd|[万千])(?![a-z])"
)
_IN_WORD, IN_FIGURE = re.compile(r"[\w.,]"), re.compile(r"[\d.,]")
"""What a figure continues if it is before it: a word or figure; only a figure."""
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_SCALES = (1000, 0.001, 1024, 1 / 1024, 10_000)
"""How much larger or smaller the unit may be in which the messages state a figure: 1200m are 1.2 cores."""

_PERCENT = ("%", "％", "p")
"""How the unit of a percentage begins."""

_TINY = 1e-9
"""How far two equal numbers may differ after a multiplication, as a share."""

_EXACT, _ID_DIGITS = 3, 32
"""Digits by which a rounded figure is recognised; digits from which a number is an id."""

_COMMA = re.compile(r"\d{1,6},\d{1,2}")
"""A figure with a decimal comma."""

_DECIMAL = re.compile(r"\d{1,15}(?:\.\d{1,15})?")

_SMALL = 12
"""Numbers up to this may be counts made by the writer of a summary."""

_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_SPAN = re.compile(r"\b(\d{1,3}) ?(min|h)")


def plain_number(figure: str) -> str:
    """A figure without separators, with a decimal point: 4,06 is 4.06, and 12,000 is 12000."""
    return figure.replace(",", "." if _COMMA.fullmatch(figure) else "")


def is_small(figure: str) -> bool:
    """Whether a figure is a small whole number, which the writer of a summary may have counted."""
    return figure.isdigit() and int(figure) <= _SMALL


def alone(figure: str) -> re.Pattern[str]:
    """Matches a figure where it is no part of a longer one."""
    return re.compile(rf"(?<![\d.,]){re.escape(figure)}(?!\d|[.,]\d)")


def ends_of(figure: str, text: str, before: re.Pattern[str] = _IN_WORD) -> Iterator[int]:
    """Where a figure ends in a text that continues nothing before it; making a pattern would take longer."""
    at = text.find(figure)
    while at >= 0:
        if not at or not before.match(text, at - 1):
            yield at + len(figure)
        at = text.find(figure, at + 1)


class Figures:
    """Answers whether a text gives a figure, rounded or in another unit.

    Args:
        text: The text, in lower case.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def rounds_to(self, figure: str, times: float = 1) -> bool:
        """Whether a figure of the text is this one, rounded.

        Args:
            figure: The figure, without separators.
            times: Its factor: 1000 for `18.1k`.
        """
        value, step, exact = _precision(figure, times)
        if step == 1 or not (exact or times > 1):
            return False
        up = step if step > 1 else step / 2  # a whole number may be rounded down
        return _holds_between(self._figures, value - step / 2, value + up)

    def is_share(self, figure: str, unit: str) -> bool:
        """Whether a percentage is a fraction of the text, rounded: 74.2 % are 0.74204."""
        return unit[:1] in _PERCENT and self.rounds_to(figure, 0.01)

    def in_other_unit(self, figure: str, times: int = 1) -> bool:
        """Whether the text gives a figure, perhaps rounded, in a larger or smaller unit."""
        value, step, exact = _precision(figure, times)
        # A round figure says too little: 5 000 is a 5 only where that has a unit of its own.
        apart, figures = (step / 2, self._figures) if exact else (0.0, self._scaled_figures)
        return any(_holds_between(figures, (value - apart) * one, (value + apart) * one) for one in _SCALES)

    def in_another_scale(self, figure: str) -> bool:
        """The same for a figure without a unit: only one with a fraction, or in thousands, can be scaled."""
        return ("." in figure or figure.endswith("000")) and self.in_other_unit(figure)

    @cached_property
    def _figures(self) -> list[float]:
        """Every figure in the text, in ascending order, each as every number it can be."""
        return _numbers(_ANY_FIGURE.findall(self._text))

    @cached_property
    def _scaled_figures(self) -> list[float]:
        """The same, only those with a unit that has larger or smaller ones."""
        return _numbers(_SCALED_FIGURE.findall(self._text))


def _precision(figure: str, times: float) -> tuple[float, float, bool]:
    """The value of a figure, how far the next one like it is away, and whether its digits identify it."""
    if not _DECIMAL.fullmatch(figure):
        return math.nan, 1.0, False
    whole, _, places = figure.partition(".")
    step = times * (10.0 ** -len(places) if places else 10.0 ** (len(whole) - len(whole.rstrip("0"))))
    exact = len(places) > 1 or len(f"{whole}{places}".strip("0")) >= _EXACT
    return float(figure) * times, step, exact


def _numbers(figures: Iterable[str]) -> list[float]:
    return sorted({number for one in {*figures} if len(one) < _ID_DIGITS for number in _readings(one)})


def _holds_between(figures: Sequence[float], least: float, most: float) -> bool:
    """Whether one of some figures, in ascending order, lies between two numbers or equals one of them."""
    at = bisect_left(figures, least - abs(least) * _TINY)
    return at < len(figures) and figures[at] <= most + abs(most) * _TINY


def _readings(figure: str) -> Iterator[float]:
    """The numbers a figure can be: `1.234` is two, depending on the language."""
    integer, point, places = figure.replace(",", ".").rpartition(".")
    if not point or _GROUPED.fullmatch(figure):
        yield float(figure.replace(",", "").replace(".", ""))
    if point:
        yield float(f"{integer.replace('.', '')}.{places}")


def is_apart(time: str, sentence: str) -> bool:
    """Whether a time of day is as far from another one in its sentence as that says."""
    times = [60 * int(one[1]) + int(one[2]) for one in _CLOCK.finditer(sentence)]
    apart = {int(one[1]) * (60 if one[2][0] == "h" else 1) for one in _SPAN.finditer(sentence)}
    own = _CLOCK.fullmatch(time)
    return own is not None and any(abs(60 * int(own[1]) + int(own[2]) - one) in apart for one in times)
