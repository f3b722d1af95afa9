"""A summary prepared for looking up facts, as a whole and line by line."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from core.compress.facts.collect import endings
from core.compress.facts.lexicon import dates, day_of, days_as_written, lexicon
from core.compress.facts.said import flat, stands_alone
from core.compress.facts.topic import root, roots, share_that_tells, terms
from core.compress.facts.values import measures, parts_of, values

STRICT_SHARE, LOOSE_SHARE, LONG_SHARE = 0.6, 0.5, 0.4
"""Share of a sentence's words that identify it: a rule or an error, others, those over `_LONG_SENTENCE`."""

_LONG_SENTENCE = 14
_READ_TOGETHER = 3
"""How many lines form one passage."""

_MAX_TERMS = 40
KEPT, PARAPHRASED, LOST = "kept", "paraphrased", "lost"
_HEX = re.compile(r"[0-9a-f]{7,64}")
_PARTS = re.compile(r"[.=]['\"]?")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_ALONE = re.compile(r"(?<![\w.,\-/#])\d[\d,]*(?:\.\d+)?(?!\w)")
_ITEM = re.compile(r"^\s*\d+[.)] ")
_ELLIPSIS = re.compile(r"(?:…|\.\.\.)$")
_SHORT_SUMMARY = 60
"""A summary up to this many lines is one passage: it may mention a request in several places."""
_SHORTEST_PREFIX = 40
_HASH_PREFIX = 7
_TELLING = 4
"""A figure with this many characters identifies itself; a shorter one needs its unit."""


class Passages:
    """Answers which lines of a summary mention something.

    Args:
        lines: The lines that are not blank.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def hold(self, words: frozenset[str]) -> bool:
        """Whether one passage holds all of some roots."""
        return any(words <= passage for passage in self._passages)

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [frozenset((*terms(line), *terms(line.lower()))) for line in self._lines]

    @cached_property
    def _passages(self) -> list[frozenset[str]]:
        """The words of each line and the next few, as sentences may span several lines."""
        own = [frozenset((*roots(line), *roots(line.lower()))) for line in self._lines]
        return [frozenset().union(*own[at : at + _READ_TOGETHER]) for at in range(len(own))]

    @cached_property
    def _postings(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, words in enumerate(self._passages):
            for word in words:
                found[word].append(at)
        return found

    def coverage(self, words: Sequence[str]) -> float:
        """Share of some roots that the summary holds anywhere, 0 to 1."""
        return sum(word in self._postings for word in words) / len(words) if words else 0.0

    def hold_command(self, value: str) -> bool:
        """Whether one line holds every word of a command: one other word makes it another command."""
        needed = frozenset(terms(value)[:_MAX_TERMS])
        return len(needed) > 1 and any(needed <= words for words in self._words)

    def sharing(self, value: str, *, strict: bool) -> Iterator[str]:
        """Passages that hold a share of a sentence's words, and its figures: case 12 is not case 41.

        A passage with `enough` of `n` known words holds at least one of the `n - enough + 1` rarest.
        """
        needed = roots(value)[:_MAX_TERMS]
        share = STRICT_SHARE if strict else LONG_SHARE if len(needed) > _LONG_SENTENCE else LOOSE_SHARE
        enough = max(2, math.ceil(share_that_tells(needed, share) * len(needed)))
        words = self._postings.keys() & needed
        if len(words) < enough:
            return
        rarest = sorted(words, key=lambda term: len(self._postings[term]))
        figures = frozenset(filter(str.isdigit, needed)) if strict else frozenset[str]()
        for at in {at for term in rarest[: max(0, len(words) - enough + 1)] for at in self._postings[term]}:
            if figures <= self._passages[at] and len(words & self._passages[at]) >= enough:
                yield "\n".join(self._lines[at : at + _READ_TOGETHER])


class SummaryIndex:
    """Answers whether a summary keeps a fact."""

    def __init__(self, summary: str) -> None:
        self._lines = [line for line in summary.lower().splitlines() if line.strip()]
        self.raw_lines = [line for line in summary.splitlines() if line.strip()]
        self._flat = flat(summary)

    @cached_property
    def paths(self) -> list[str]:
        """The paths and addresses of the summary, in lower case."""
        found = values(self._flat, errors=False, limit=len(self._flat))
        return [value for category, value in found if category in ("paths", "urls")]

    @cached_property
    def _suffixes(self) -> set[str]:
        """Every path of the summary, with each of its endings at a folder."""
        return {ending for path in self.paths for ending in endings(path)}

    @cached_property
    def _bare_names(self) -> set[str]:
        """The files the summary names without a folder; with another folder it would be another file."""
        return {ending for path in self.paths for ending in endings(path)[:1] if "/" not in ending}

    @cached_property
    def _hex_prefixes(self) -> set[str]:
        return {match[:_HASH_PREFIX] for match in _HEX.findall(self._flat)}

    @cached_property
    def _measures(self) -> set[str]:
        return {_measure(text) for line in self.raw_lines for text in measures(line)}

    @cached_property
    def _numbers(self) -> dict[str, list[str]]:
        """Figures without a unit, with the lines they are in; item numbers of lists are left out."""
        found: dict[str, list[str]] = defaultdict(list)
        for line in self._lines:
            for number in _ALONE.findall(_ITEM.sub("", line)):
                found[number.replace(",", "")].append(line)
        return found

    @cached_property
    def _flat_words(self) -> frozenset[str]:
        return frozenset(self._flat.split(" "))

    @cached_property
    def _sorted_words(self) -> list[str]:
        return sorted(self._flat_words)

    @cached_property
    def passages(self) -> Passages:
        """The summary by its lines and their words."""
        return Passages(self.raw_lines)

    @cached_property
    def _days(self) -> set[tuple[int, int] | None]:
        return {day_of(date) for line in self.raw_lines for date in dates(line)}

    @cached_property
    def _amounts(self) -> set[float]:
        figures = (match.replace(",", "").rstrip(".") for match in _NUMBER.findall(self._flat))
        return {float(figure) for figure in figures if figure.count(".") <= 1}

    def fate(self, category: str, value: str, key_words: tuple[str, ...] = ()) -> str:
        """`kept`, `paraphrased` or `lost`.

        Args:
            category: What kind of fact it is.
            value: The fact, as the messages have it.
            key_words: For a long text the roots of the words that identify it.
        """
        lower = flat(value)
        match category:
            case "paths":
                return self._path(lower)
            case "hashes":
                return KEPT if lower.removeprefix("sha256:")[:_HASH_PREFIX] in self._hex_prefixes else LOST
            case "numbers":
                return self._number(lower)
            case "dates":
                return KEPT if self._names_day(value) else LOST
            case "ids":
                return self._id(lower)
            case "names":
                return self._name(value, lower)
            case "urls":
                return self._url(lower)
            case _:
                return self._sentence(category, value, lower, key_words)

    def _names_day(self, date: str) -> bool:
        """Whether it names the same day, in whatever form, without its year too."""
        day = day_of(date)
        written = (form for form in days_as_written(*day) if form in self._flat) if day else ()
        return day in self._days or any(
            re.search(rf"(?<![\w.]){re.escape(form)}(?!\d)", self._flat) for form in written
        )

    def lines_with(self, value: str) -> list[str]:
        """The lines of the summary, in lower case, that hold a value."""
        lower = value.lower()
        return [line for line in self._lines if lower in line]

    def _path(self, lower: str) -> str:
        left = endings(lower)
        if not left:
            return KEPT if self._stands(lower) else LOST
        if left[0] in self._suffixes or any(
            "/" in ending and ending in self._suffixes for ending in left[1:]
        ):
            return KEPT
        return PARAPHRASED if left[-1] in self._bare_names else LOST

    def _id(self, lower: str) -> str:
        """An id, also by its words if it has several, or its host: `gift_card_3166319` is the gift card."""
        if self._stands(lower):
            return KEPT
        host = lower.partition("@")[2]
        if host and not host.strip("0123456789.") and self._stands(host):
            return PARAPHRASED
        words = [word for word in lower.split("_") if word.isalpha()]
        return PARAPHRASED if len(words) > 1 and self._stands(" ".join(words)) else LOST

    def _name(self, value: str, lower: str) -> str:
        """A name in code, its last part or what is assigned to it, or its words side by side."""
        if self._stands(lower.removesuffix("()")):
            return KEPT
        last = _PARTS.split(lower.strip("'\""))[-1]
        if len(last) > _TELLING and self._stands(last):
            return PARAPHRASED
        words = frozenset(map(root, parts_of(value)))
        is_held = len(words) > 1 and self.passages.hold(words)
        return PARAPHRASED if is_held else LOST

    def _url(self, lower: str) -> str:
        address = lower.partition("?")[0].rstrip("/")
        if self._stands(lower) or self._stands(address):
            return KEPT
        last = address.rpartition("/")[2]
        return PARAPHRASED if "." in last and self._stands(last) else LOST

    def _number(self, lower: str) -> str:
        if _measure(lower) in self._measures:
            return KEPT
        if lower[:1] in "$€£¥" and float(lower[1:].replace(",", "") or 0) in self._amounts:
            return KEPT
        number = _NUMBER.search(lower)
        if number is None:
            return LOST
        figure = number.group().replace(",", "")
        unit = lower[number.end() :].strip()
        lines = (line for line in self._numbers.get(figure, ()) if len(figure) >= _TELLING or unit in line)
        return PARAPHRASED if any(lines) else LOST

    def _stands(self, lower: str) -> bool:
        """Whether a value occurs in the summary, not inside a longer word."""
        return stands_alone(lower, self._flat)

    def _sentence(self, category: str, value: str, lower: str, key_words: tuple[str, ...]) -> str:
        start = _ELLIPSIS.sub("", lower).strip()
        if self._opens_with(start[: max(_SHORTEST_PREFIX, len(start) * 2 // 3)]):
            return KEPT
        return PARAPHRASED if self._is_paraphrased(category, value, key_words) else LOST

    def _is_paraphrased(self, category: str, value: str, key_words: tuple[str, ...]) -> bool:
        """Whether the summary says a sentence in other words."""
        passages = self.passages
        if category == "commands":
            return passages.hold_command(value)
        if key_words:
            return passages.coverage(key_words) >= share_that_tells(key_words, LOOSE_SHARE)
        if category == "asks" and len(self.raw_lines) <= _SHORT_SUMMARY:
            words = roots(lexicon().courtesy.sub(" ", value)) or roots(value)
            figures = [word for word in words if word.isdigit()]
            known = not figures or passages.coverage(figures) > 0
            return known and passages.coverage(words) >= share_that_tells(words, LOOSE_SHARE)
        bound = category == "constraints"
        found = passages.sharing(value, strict=bound or category == "errors")
        return any(not bound or lexicon().constraint.search(text) for text in found)

    def _opens_with(self, start: str) -> bool:
        """Whether the summary holds a text; its words are checked first, as most texts are not there."""
        words = start.split(" ")
        if len(words) > 1 and not self._begins_word(words[-1]):
            return False
        return self._flat_words.issuperset(words[1:-1]) and start in self._flat

    def _begins_word(self, start: str) -> bool:
        at = bisect_left(self._sorted_words, start)
        return at < len(self._sorted_words) and self._sorted_words[at].startswith(start)


def _measure(text: str) -> str:
    return text.replace(",", "").replace(" ", "").lower()
