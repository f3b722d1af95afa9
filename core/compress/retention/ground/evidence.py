"""What the messages before a cut support: values that occur in them, and acts that happened."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache, wraps
from itertools import islice
from typing import Any, TypeVar

from core.compress.facts.importance import WeighedFacts
from core.compress.facts.lexicon import FIGURE, clock_times, figure_of, spellings
from core.compress.facts.readable import View
from core.compress.facts.said import added_by_gateway, without_colours
from core.compress.facts.topic import forms_of
from core.compress.retention.ground.accounts import Accounts
from core.compress.retention.ground.acts import Acts
from core.compress.retention.ground.claim_words import claim_words
from core.compress.retention.ground.figures import IN_FIGURE, Figures, ends_of, plain_number
from core.model.transcript.message import Message

_AGAIN = re.compile(r"^(?:re|un)(\w{4,})")
_BEHIND = r"[^\w\n]{0,12}(\d(?:[\d.,:]*\d)?)(?![\w-])"
_COUNT = re.compile(rf"{FIGURE}[\s-]+(?:[a-z][\w-]*[\s-]+){{0,2}}$")
_COUNTED = re.compile(r"s?(?![a-z])(?:[^\w-]{1,3}(\d[\d,]*)\b(?!-))?")
_FAR = 60
_BETWEEN = "\n\x1e\n"
"""Separates two messages."""

_MAX_PLACES, _MAX_DIGITS = 300, 20
"""How many occurrences of a value are checked; one inside longer words more often counts as known."""

_STEM = 6
"""How many letters show that a word occurs in another form."""

_SIZE = re.compile("[kmgt]i?b")
"""A unit that listings abbreviate to its first letter."""

_LISTING = 4000
"""Characters of a listing in which a file is looked for."""

_BESIDE, _MAX_OCCURRENCES = 80, 30
"""Words within this many characters are said together; how many occurrences of one word are checked."""

_CODE = 3
"""Letters of the code of an airport or a currency."""

_EXACT = 3
"""A figure with more characters than this is no mere count."""

_MAX_LINES, _NEAR = 80, 2000
_RECORD = re.compile(r"\W*(?:[A-Z][\w ]{0,20}: )?([\w.-]+)\b(?:\] |.* -> )")
_NEW_LINE = re.compile(r"\\[nrt]")
"""A line break or tab as JSON writes it: a word begins after it."""


_Asked = TypeVar("_Asked")
_Answer = TypeVar("_Answer")


def _once(method: Callable[[Evidence, _Asked], _Answer]) -> Callable[[Evidence, _Asked], _Answer]:
    """Search all messages once for each question, as the forms of a figure ask the same many times."""

    @wraps(method)
    def answer(self: Evidence, asked: _Asked) -> _Answer:
        question = (method, asked)
        if question not in self._answers:
            self._answers[question] = method(self, asked)
        found: _Answer = self._answers[question]
        return found

    return answer


class Evidence:
    """Answers what of a summary the messages support.

    Args:
        read: The middle, as read.
        known: Every message before the cut, whole.
        facts: The middle's facts.
        also: Further texts the summary may use, such as the previous summary.
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
        self._answers: dict[object, Any] = {}

    @cached_property
    def _text(self) -> str:
        """All texts in lower case; an assistant's text and calls are together with their results."""
        parts: list[str] = []
        for message in self._known:
            parts.append("\n" if message.role == "tool" else _BETWEEN)
            calls = (f"\n{call.name} {call.arguments}" for call in message.tool_calls)
            parts += [without_colours(message.text), *calls]
        text = "".join((*parts, *(f"{_BETWEEN}{text}" for text in self._also)))
        return text.lower().replace("\\\\", "/").replace("\\/", "/")

    def found(self, value: str) -> bool:
        """Whether a value is one of those found in the middle; this is the cheapest test."""
        return value.lower() in self._values

    @_once
    def mentions(self, value: str) -> bool:
        """Whether a value occurs, not inside a longer word or figure."""
        lower = value.lower()
        if lower in self._values:
            return True
        text, at = self._text, self._text.find(lower)
        for _ in range(_MAX_PLACES):
            if at < 0:
                return False
            after = text[at + len(lower) : at + len(lower) + 1]
            if not (_joins(self._before(at), lower[0]) or _joins(after, lower[-1])):
                return True
            at = text.find(lower, at + 1)
        return True

    def _before(self, at: int) -> str:
        """The character before a position; empty after a line break, even as JSON writes it."""
        text = self._text
        return "" if _NEW_LINE.fullmatch(text, max(0, at - 2), at) else text[max(0, at - 1) : at]

    def holds(self, part: str) -> bool:
        """Whether a text occurs, even inside a longer word."""
        lower = part.lower()
        return lower in self._values or lower in self._text

    def names_otherwise(self, first: str, last: str) -> bool:
        """Whether one of two capitalised words occurs only with others: Yusuf Rossi, never Ahmed."""
        known = [self.holds(word[:_STEM]) for word in (first, last)]
        if known[0] == known[1]:
            return False
        there = re.escape(first if known[0] else last)
        other = rf"\b{there} [A-Z][a-z]+" if known[0] else rf"\b[A-Z][a-z]+ {there}\b"
        return any(re.search(other, message.text) for message in self._known)

    def codes_as(self, initials: str) -> bool:
        """Whether a code of three letters begins with the initials of a name: SFO for San Francisco."""
        code = re.compile(rf"\b{initials}[A-Z]\b")
        return len(initials) < _CODE and any(code.search(message.text) for message in self._known)

    def writes_as_two(self, first: str, last: str) -> bool:
        """Whether two words of a name are written apart: `sveltejs/kit` for SvelteKit."""
        together = rf"{re.escape(first)}\w{{0,3}}\W{{1,2}}{re.escape(last)}"
        return self.holds(first) and re.search(together, self._text) is not None

    def near(self, word: str, *, behind: bool = False) -> Iterator[str]:
        """The text around each occurrence of a word, or all behind it; for a frequent one, only the first."""
        for at in islice(self._begins(word), _MAX_OCCURRENCES):
            end = self._text.find(_BETWEEN, at) if behind else at + _BESIDE
            yield self._text[max(0, at - _BESIDE) : min(end if end >= 0 else at + _LISTING, at + _LISTING)]

    def _begins(self, form: str) -> Iterator[int]:
        """Positions at which a word begins with some letters."""
        text, at = self._text, self._text.find(form)
        while at >= 0:
            if not _joins(self._before(at), form[0]):
                yield at
            at = text.find(form, at + len(form))

    def tells(self, figure: str) -> bool:
        """Whether a figure occurs in any form: as a version, grouped or not, more exactly, hexadecimal."""
        plain = plain_number(figure)
        forms = [*spellings(figure), plain, f"v{plain}", *clock_times(figure)]
        held = any(map(self.mentions, dict.fromkeys(forms))) or self._numbers_a_name(plain)
        held = held or (":" in figure and self.holds(f"t{figure}"))  # 2026-02-03T09:12:00.116
        rounded = self.figures.rounds_to(plain) or self.figures.in_another_scale(plain)
        return held or self.codes(plain) or rounded

    @cached_property
    def figures(self) -> Figures:
        """The figures of the messages, compared as numbers."""
        return Figures(self._text)

    def _numbers_a_name(self, figure: str) -> bool:
        """Whether a figure ends a word: python3.13, mayer2015."""
        whole = rf"[a-z]{{3}}{re.escape(figure)}(?!\w|\.\d)"
        return (
            (len(figure) > _EXACT or "." in figure)
            and figure in self._text
            and re.search(whole, self._text) is not None
        )

    def codes(self, figure: str) -> bool:
        """Whether code has a whole number: in hexadecimal, or assigned to a name."""
        readable = figure.isdecimal() and len(figure) <= _MAX_DIGITS
        return readable and (self.mentions(f"= {figure}") or self.mentions(hex(int(figure))))

    def is_record(self, line: str) -> bool:
        """Whether a line of a summary records a call that was made, with its result."""
        match = _RECORD.match(line)
        return match is not None and match[1] in self._called

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset(call.name for message in self._known for call in message.tool_calls)

    @_once
    def counts(self, things: tuple[str, ...]) -> set[str]:
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

    @_once
    def behind(self, label: str) -> frozenset[str]:
        """The figures right after a word or two."""
        found = re.finditer(re.escape(label) + _BEHIND, self._text)
        return frozenset(match[1] for match in found if not _joins(self._before(match.start()), label[0]))

    def labels(self, figure: str, unit: str) -> bool:
        """Whether a figure follows what it counts, or its unit: `tokens: 59`, `cutoff_hz=10.0`."""
        behind = self.behind(unit)
        return f"{figure}.0" in behind or (figure in behind and not figure.endswith(".0"))

    @cached_property
    def accounts(self) -> Accounts:
        """Who said what, and what edits replaced."""
        told = (added_by_gateway(message.text) for message in self._known if message.role == "user")
        return Accounts(self._read, self._around, self._also, self._ended, tuple(filter(None, told)))

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
        if not self.holds(figure):
            return False
        unit = unit.lower()
        short = f"{figure}{unit[0]}" if _SIZE.fullmatch(unit) else f"{figure}{unit}"
        forms = (f"{figure} {unit}", f"{figure}{unit}", short)
        if any(form in self._values or self.mentions(form) for form in forms) or self.labels(figure, unit):
            return True
        units = claim_words().units
        others = units.get(unit) or units.get(unit.removesuffix("s"), ())
        spaced = (f"{figure}{space}{other}" for other in others for space in (" ", ""))
        if any(map(self.holds, spaced)) or any(self.labels(figure, other) for other in others):
            return True
        start = re.escape(unit[: max(1, len(unit) - 1)][:4])
        near = tuple(self.lines(f"{figure}." if len(figure) > 1 else f"{figure} *"))
        exact, beside = _behind_figure(start)
        if any(exact.match(line, end) for line in near for end in ends_of(figure, line)):
            return True
        texts = (text for _, text in self.accounts.spoken)
        return any(beside.match(text, end) for text in texts for end in ends_of(figure, text, IN_FIGURE))

    def knows(self, word: str) -> bool:
        """Whether a root or a synonym of it occurs in the messages."""
        uses = self.accounts.uses(word)
        return uses or any(form in self._text for form in (*forms_of(word), *_AGAIN.findall(word)))


@lru_cache(maxsize=256)
def _behind_figure(unit: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands between a figure and its unit: where it is given exactly, and where people say it."""
    exact = re.compile(rf"(?:\.\d+)?(?: ?\* ?\w+\.| ?){unit}")
    return exact, re.compile(rf"\W{{0,3}}(?:[a-z]+\W{{1,3}}){{0,2}}{unit}")


def _joins(neighbour: str, edge: str) -> bool:
    """Whether two characters belong to the same word or figure."""
    if not neighbour:
        return False
    return neighbour.isalnum() and edge.isalnum() and neighbour.isascii() and edge.isascii()
