"""A summary laid out for looking anchors up in it."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from core.compress.facts.lexicon import lexicon
from core.compress.facts.topic import terms
from core.compress.facts.values import measures, values

KEPT, PARAPHRASED, LOST = "kept", "paraphrased", "lost"

_HEX = re.compile(r"[0-9a-f]{7,64}")
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_ALONE = re.compile(r"(?<![\w.,\-/#])\d[\d,]*(?:\.\d+)?(?!\w)")
_ITEM = re.compile(r"^\s*\d+[.)] ")
_ELLIPSIS = re.compile(r"(?:…|\.\.\.)$")
_TOLD = 0.6
"""Share of a text's words that tell it; of a command all do: those alike but for one do different things."""

_MOST_TERMS = 40
_SHORTEST_PREFIX = 40
_HASH_PREFIX = 7
_TELLING = 4
"""Characters from which a figure tells by itself what it is; shorter ones need their unit beside them."""


class SummaryIndex:
    """Answers what became of an anchor in one summary."""

    def __init__(self, summary: str) -> None:
        self._lines = [line for line in summary.lower().splitlines() if line.strip()]
        self._raw_lines = [line for line in summary.splitlines() if line.strip()]
        self._flat = _SPACE.sub(" ", summary.lower())

    @cached_property
    def paths(self) -> list[str]:
        """The paths and addresses of the summary, in lower case."""
        found = (values(line, errors=False) for line in self._lines)
        return [value for anchors in found for category, value in anchors if category in ("paths", "urls")]

    @cached_property
    def _suffixes(self) -> set[str]:
        """Every path of the summary by every ending it has at a folder."""
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
        return {_measure(text) for line in self._raw_lines for text in measures(line)}

    @cached_property
    def _numbers(self) -> dict[str, list[str]]:
        """The figures that stand alone, by the lines they stand in; what counts a list's items is none."""
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
    def _words(self) -> list[frozenset[str]]:
        return [frozenset((*terms(line), *terms(line.lower()))) for line in self._raw_lines]

    @cached_property
    def _postings(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, words in enumerate(self._words):
            for word in words:
                found[word].append(at)
        return found

    def fate(self, category: str, value: str) -> str:
        """`kept`, `paraphrased` or `lost`."""
        lower = _SPACE.sub(" ", value.lower())
        match category:
            case "paths":
                return self._path(lower)
            case "hashes":
                return KEPT if lower.removeprefix("sha256:")[:_HASH_PREFIX] in self._hex_prefixes else LOST
            case "numbers":
                return self._number(lower)
            case "ids" | "urls":
                return KEPT if self._stands(lower) else LOST
            case _:
                return self._sentence(category, value, lower)

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

    def _number(self, lower: str) -> str:
        if _measure(lower) in self._measures:
            return KEPT
        number = _NUMBER.search(lower)
        if number is None:
            return LOST
        figure = number.group().replace(",", "")
        unit = lower[number.end() :].strip()
        told = (line for line in self._numbers.get(figure, ()) if len(figure) >= _TELLING or unit in line)
        return PARAPHRASED if any(told) else LOST

    def _stands(self, lower: str) -> bool:
        """Whether a value stands in the summary and not inside a longer word."""
        at = self._flat.find(lower)
        while at >= 0:
            before, after = self._flat[at - 1 : at], self._flat[at + len(lower) : at + len(lower) + 1]
            if not (before.isalnum() or after.isalnum()):
                return True
            at = self._flat.find(lower, at + 1)
        return False

    def _sentence(self, category: str, value: str, lower: str) -> str:
        start = _ELLIPSIS.sub("", lower).strip()
        if self._opens_with(start[: max(_SHORTEST_PREFIX, len(start) * 2 // 3)]):
            return KEPT
        lines = self._lines_sharing(value, 1.0 if category == "commands" else _TOLD)
        bound = category == "constraints"
        told = any(not bound or lexicon().constraint.search(line) for line in lines)
        return PARAPHRASED if told else LOST

    def _opens_with(self, start: str) -> bool:
        """Whether the summary holds a text; most it does not, which its words tell faster."""
        words = start.split(" ")
        if len(words) > 1 and not self._begins_word(words[-1]):
            return False
        return self._flat_words.issuperset(words[1:-1]) and start in self._flat

    def _begins_word(self, start: str) -> bool:
        at = bisect_left(self._sorted_words, start)
        return at < len(self._sorted_words) and self._sorted_words[at].startswith(start)

    def _lines_sharing(self, value: str, share: float) -> Iterator[str]:
        """Lines that hold a share of a sentence's words and all its figures: case 12 is not case 41.

        A line with `enough` of the `n` words known at all holds one of the `n - enough + 1` rarest.
        """
        wanted = terms(value)[:_MOST_TERMS]
        enough = max(2, math.ceil(share * len(wanted)))
        words = self._postings.keys() & wanted
        rarest = sorted(words, key=lambda term: len(self._postings[term]))
        figures = frozenset(filter(str.isdigit, wanted))
        for at in {at for term in rarest[: max(0, len(words) - enough + 1)] for at in self._postings[term]}:
            if figures <= self._words[at] and len(words & self._words[at]) >= enough:
                yield self._raw_lines[at]


def endings(path: str) -> list[str]:
    """A path and what is left of it when leading folders go, longest first."""
    clean = path.replace("\\", "/").split("://", 1)[-1].lstrip("~./").rstrip("/")
    parts = [part for part in clean.split("/") if part]
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _measure(text: str) -> str:
    return text.replace(",", "").replace(" ", "").lower()
