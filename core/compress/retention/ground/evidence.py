"""What the messages before a cut support: values that occur in them, and acts that happened."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, islice

from core.compress.facts.importance import WeighedFacts
from core.compress.facts.lexicon import FIGURE, clock_times, figure_of, spellings
from core.compress.facts.readable import View
from core.compress.facts.topic import forms_of
from core.compress.retention.ground.accounts import Accounts
from core.compress.retention.ground.acts import Acts
from core.compress.retention.ground.claim_words import claim_words
from core.model.transcript.message import Message

_AGAIN = re.compile(r"^(?:re|un)(\w{4,})")
_BEHIND = re.compile(r"[^\w\n]{0,12}(\d(?:[\d.,:]*\d)?)(?![\w-])")
_COUNT = re.compile(rf"{FIGURE}[\s-]+(?:[a-z][\w-]*[\s-]+){{0,2}}$")
_COUNTED = re.compile(r"s?(?![a-z])(?:[^\w-]{1,3}(\d[\d,]*)\b(?!-))?")
_ANY_FIGURE = re.compile(r"(?<![\w.,])(?:\d+(?:[.,]\d+)*|\.\d+)")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_SCALES = (1000, 0.001, 1024, 1 / 1024, 10_000)
"""How much larger or smaller the unit may be in which the messages state a figure: 1200m are 1.2 cores."""

_TINY = 1e-9
"""How far two equal numbers may differ after a multiplication, as a share."""

_FAR = 60
_BETWEEN = "\n\x1e\n"
"""Separates two messages."""

_MAX_PLACES = 300
"""How many occurrences of a value are checked; one inside longer words more often counts as known."""

_SIZE = re.compile("[kmgt]i?b")
"""A unit that listings abbreviate to its first letter."""

_BESIDE, _MAX_OCCURRENCES = 80, 30
"""Words within this many characters are said together; how many occurrences of one word are checked."""

_EXACT, _ID_DIGITS = 3, 32
"""Digits by which a rounded figure is recognised; digits from which a number is an id."""

_MAX_LINES, _NEAR = 80, 2000
_RECORD = re.compile(r"\W*(?:[A-Z][\w ]{0,20}: )?([\w.-]+)\b(?:\] |.* -> )")
_DECIMAL = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_COMMA = re.compile(r"\d{1,6},\d{1,2}")
"""A figure with a decimal comma."""

_NEW_LINE = re.compile(r"\\[nrt]")
"""A line break or tab as JSON writes it: a word begins after it."""


class Evidence:
    """Answers what of a summary the messages support.

    Args:
        read: The middle, as read.
        known: Every message before the cut, whole.
        also: Further texts the summary may use, such as the previous summary.
        weighed: The middle's facts.
        around: The messages outside the middle, each with its index; -1 for old ones.
    """

    def __init__(
        self,
        read: Sequence[View],
        known: Sequence[Message],
        facts: WeighedFacts,
        also: Sequence[str] = (),
        *,
        around: Sequence[tuple[int, Message]] = (),
    ) -> None:
        self._read, self._known, self._also, self._around = read, known, also, around
        self._values, self._ended = facts.values, facts.ended
        self._windows: dict[str, list[str]] = {}

    @cached_property
    def _text(self) -> str:
        """All texts in lower case; an assistant's text and calls are together with their results."""
        parts: list[str] = []
        for message in self._known:
            parts.append("\n" if message.role == "tool" else _BETWEEN)
            calls = (f"\n{call.name} {call.arguments}" for call in message.tool_calls)
            parts += [message.text, *calls]
        text = "".join((*parts, *(f"{_BETWEEN}{text}" for text in self._also)))
        return text.lower().replace("\\\\", "/").replace("\\/", "/")

    def found(self, value: str) -> bool:
        """Whether a value is one of those found in the middle; this is the cheapest test."""
        return value.lower() in self._values

    def mentions(self, value: str) -> bool:
        """Whether a value occurs, not inside a longer word or figure."""
        lower = value.lower()
        if lower in self._values:
            return True
        text, at = self._text, self._text.find(lower)
        for _ in range(_MAX_PLACES):
            if at < 0:
                return False
            before = "" if _NEW_LINE.fullmatch(text, max(0, at - 2), at) else text[max(0, at - 1) : at]
            after = text[at + len(lower) : at + len(lower) + 1]
            if not (_joins(before, lower[0]) or _joins(after, lower[-1])):
                return True
            at = text.find(lower, at + 1)
        return True

    def holds(self, part: str) -> bool:
        """Whether a text occurs, even inside a longer word."""
        lower = part.lower()
        return lower in self._values or lower in self._text

    def beside(self, rare: str, other: str) -> bool:
        """Whether two names or roots occur within a dozen words of each other; the rarer is searched."""
        near, forms = self.near(rare), forms_of(other)
        return any(form in text for text in near for form in forms)

    def near(self, term: str) -> Sequence[str]:
        """The text around each occurrence of a name or root; for a frequent one, only the first ones."""
        if term not in self._windows:
            places = islice(chain.from_iterable(map(self._begins, forms_of(term))), _MAX_OCCURRENCES)
            ends = ((max(0, at - _BESIDE), at + _BESIDE) for at in places)
            self._windows[term] = [self._text[start:end] for start, end in ends]
        return self._windows[term]

    def _begins(self, form: str) -> Iterator[int]:
        """Positions at which a word begins with some letters."""
        text, at = self._text, self._text.find(form)
        while at >= 0:
            if not _joins(text[max(0, at - 1) : at], form[0]):
                yield at
            at = text.find(form, at + len(form))

    def tells(self, figure: str) -> bool:
        """Whether a figure occurs in any form: as a version, grouped or not, more exactly, hexadecimal."""
        plain = figure.replace(",", "." if _COMMA.fullmatch(figure) else "")
        forms = [figure, plain, f"v{plain}", *spellings(figure), *clock_times(figure)]
        held = any(map(self.mentions, dict.fromkeys(forms)))
        return held or self.codes(plain) or self.rounds_to(plain) or self.in_other_unit(plain)

    def codes(self, figure: str) -> bool:
        """Whether a whole number occurs in hexadecimal."""
        return figure.isdecimal() and self.mentions(hex(int(figure)))

    def rounds_to(self, figure: str, times: int = 1) -> bool:
        """Whether a figure of the messages is this one, rounded.

        Args:
            figure: The figure, without separators.
            times: Its factor: 1000 for `18.1k`.
        """
        value, step, exact = _precision(figure, times)
        up = step if step > 1 else step / 2  # a whole number may be rounded down
        return (exact or times > 1) and step != 1 and self._holds_between(value - step / 2, value + up)

    def in_other_unit(self, figure: str, times: int = 1) -> bool:
        """Whether the messages give a figure, perhaps rounded, in a larger or smaller unit."""
        value, step, exact = _precision(figure, times)
        apart = step / 2 if exact else 0.0
        return any(self._holds_between((value - apart) * one, (value + apart) * one) for one in _SCALES)

    def _holds_between(self, least: float, most: float) -> bool:
        """Whether a figure of the messages lies between two numbers, or equals one of them."""
        at = bisect_left(self._figures, least - abs(least) * _TINY)
        return at < len(self._figures) and self._figures[at] <= most + abs(most) * _TINY

    @cached_property
    def _figures(self) -> list[float]:
        """Every figure in the messages, in ascending order, each as every number it can be."""
        found = (one for one in _ANY_FIGURE.findall(self._text) if len(one) < _ID_DIGITS)
        return sorted({number for one in found for number in _readings(one)})

    def is_record(self, line: str) -> bool:
        """Whether a line of a summary records a call that was made, with its result."""
        match = _RECORD.match(line)
        return match is not None and match[1] in self._called

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset(call.name for message in self._known for call in message.tool_calls)

    def counts(self, things: Sequence[str]) -> set[str]:
        """How many of a thing (given as synonyms) the messages count, each time they count it."""
        counts: set[str] = set()
        for thing in things:
            text, at = self._text, self._text.find(thing)
            while at >= 0:
                end = at + len(thing)
                count = _COUNTED.match(text, end)
                before = _COUNT.search(text, max(0, at - _FAR), at) if count else None
                counts.update(figure_of(one[1]) for one in (before, count) if one and one[1])
                at = text.find(thing, end)
        return counts

    def behind(self, label: str) -> list[str]:
        """The figures right after a word or two."""
        found = (_BEHIND.match(self._text, at + len(label)) for at in self._begins(label))
        return [match[1] for match in found if match]

    def labels(self, figure: str, unit: str) -> bool:
        """Whether a figure follows what it counts, or its unit: `tokens: 59`, `cutoff_hz=10.0`."""
        return figure in (one.removesuffix(".0") for one in self.behind(unit))

    @cached_property
    def accounts(self) -> Accounts:
        """Who said what, and what edits replaced."""
        return Accounts(self._read, self._around, self._also, self._ended)

    @cached_property
    def acts(self) -> Acts:
        """What was done."""
        return Acts(self._ended, self.accounts)

    def lines(self, part: str) -> Iterator[str]:
        """The lines that contain a text, in lower case; of long lines the part around it."""
        text, at = self._text, self._text.find(part)
        for _ in range(_MAX_LINES):
            if at < 0:
                return
            end = text.find("\n", at)
            end = min(len(text) if end < 0 else end, at + _NEAR)
            yield text[max(text.rfind("\n", 0, at) + 1, at - _NEAR) : end]
            at = text.find(part, end)

    def measures(self, figure: str, unit: str) -> bool:
        """Whether a figure occurs with its unit, even if more exactly or with a word or two between."""
        unit = unit.lower()
        short = f"{figure}{unit[0]}" if _SIZE.fullmatch(unit) else f"{figure}{unit}"
        forms = (f"{figure} {unit}", f"{figure}{unit}", short)
        if any(form in self._values or self.mentions(form) for form in forms) or self.labels(figure, unit):
            return True
        units = claim_words().units
        others = units.get(unit) or units.get(unit.removesuffix("s"), ())
        if any(self.holds(f"{figure}{space}{other}") for other in others for space in (" ", "")):
            return True
        start = re.escape(unit[: max(1, len(unit) - 1)][:4])
        near = tuple(self.lines(f"{figure}." if len(figure) > 1 else f"{figure} *"))
        exact = rf"(?<![\w.,]){re.escape(figure)}(?:\.\d+)?(?: ?\* ?\w+\.| ?){start}"
        if near and any(map(re.compile(exact).search, near)):
            return True
        texts = [text for _, text in self.accounts.spoken if figure in text]
        pattern = rf"(?<![\d.,]){re.escape(figure)}\W{{0,3}}(?:[a-z]+\W{{1,3}}){{0,2}}{start}"
        return bool(texts) and any(map(re.compile(pattern).search, texts))

    def knows(self, word: str) -> bool:
        """Whether a root or a synonym of it occurs in the messages."""
        uses = self.accounts.uses(word)
        return uses or any(form in self._text for form in (*forms_of(word), *_AGAIN.findall(word)))


def _precision(figure: str, times: int) -> tuple[float, float, bool]:
    """The value of a figure, how far the next one like it is away, and whether its digits identify it."""
    if not _DECIMAL.fullmatch(figure):
        return math.nan, 1.0, False
    whole, _, places = figure.partition(".")
    step = times * (10.0 ** -len(places) if places else 10.0 ** (len(whole) - len(whole.rstrip("0"))))
    exact = len(places) > 1 or len(f"{whole}{places}".strip("0")) >= _EXACT
    return float(figure) * times, step, exact


def _readings(figure: str) -> Iterator[float]:
    """The numbers a figure can be: `1.234` is two, depending on the language."""
    integer, point, places = figure.replace(",", ".").rpartition(".")
    if not point or _GROUPED.fullmatch(figure):
        yield float(figure.replace(",", "").replace(".", ""))
    if point:
        yield float(f"{integer.replace('.', '')}.{places}")


def _joins(neighbour: str, edge: str) -> bool:
    """Whether two characters belong to the same word or figure."""
    if not neighbour:
        return False
    return neighbour.isalnum() and edge.isalnum() and neighbour.isascii() and edge.isascii()
