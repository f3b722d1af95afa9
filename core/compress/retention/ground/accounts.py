"""What people and assistants said and did, and what edits replaced, for comparison with a claim."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from core.compress.facts.collect import MAX_REQUEST_CHARS
from core.compress.facts.history import Outcome, answers_of
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import View, views
from core.compress.facts.said import sentences
from core.compress.facts.topic import roots
from core.compress.facts.values import without_code
from core.compress.retention.ground.claim_words import reporting
from core.compress.retention.ground.voices import ASSISTANT, DOCUMENT, SYSTEM, USER, Voices
from core.model.transcript.message import Message

CALL = "call"

_ARGUMENTS, _RESULT = 1500, 600
"""How many characters of a call's arguments and of its result show what it was about."""

_NAMED, _MOST, _LEAST, _UNKNOWN, _REPORTING = 3.0, 3.0, 0.4, 0.7, 0.5
"""Weights of a name, of the rarest, the most common and an unused word; factor for reporting words."""

_MAX_TEXTS = 5
"""How many texts are searched for the line nearest to a claim."""

_MAX_CALL_CHARS = 600
"""A call longer than this says several things, line by line."""

_TINY = 1e-9
"""Tolerance for sums of shares."""

_PLANS = re.compile(r"todo|task|plan", re.IGNORECASE)
"""Tools that note what is to be done."""


@dataclass(frozen=True, slots=True)
class Account:
    """One sentence that somebody said, or one call with its result.

    Attributes:
        at: Index of its message; -1 if it is no longer in a message.
        share: How much of the searched names and roots it holds, 0 to 1.
        held: The names and roots it holds.
    """

    at: int
    text: str
    share: float
    held: frozenset[str]


class Accounts:
    """Answers who said what about something, and what an edit replaced.

    Args:
        read: The middle, as read.
        around: Other messages of that time that the summary may mention, each with its index.
        also: Further texts, such as the previous summary.
        ended: Every call of the middle with its outcome.
        added: What gateways told by themselves.
    """

    def __init__(
        self,
        read: Sequence[View],
        around: Sequence[tuple[int, Message]],
        also: Sequence[str],
        ended: Sequence[Outcome],
        added: Sequence[str] = (),
    ) -> None:
        self._read, self._around, self._also, self._ended = read, around, also, ended
        self._added = added
        self._weighed: dict[tuple[Sequence[str], ...], Mapping[str, float]] = {}

    @cached_property
    def _texts(self) -> list[tuple[int, str, str, str]]:
        """Index, speaker, text and text in lower case, of everything that was said."""
        spoken = [(-1, (DOCUMENT, text)) for text in self._also]
        spoken += [(-1, (SYSTEM, text)) for text in self._added]
        others = [(at, one) for at, one in self._around if one.role in (USER, ASSISTANT)]
        views_of_others = views([one for _, one in others])
        spoken += [(others[view.index][0], said) for view in views_of_others if (said := _said(view))]
        spoken += [(view.index, said) for view in self._read if (said := _said(view))]
        plain = ((at, speaker, without_code(text)) for at, (speaker, text) in spoken)
        return [(at, speaker, text, text.lower()) for at, speaker, text in plain]

    @cached_property
    def voices(self) -> Voices:
        """What people said."""
        return Voices(self._texts, self.weigh)

    @cached_property
    def spoken(self) -> list[tuple[int, str]]:
        """Everything said, in lower case, with the index of its message; -1 for other texts."""
        return [(at, lower) for at, _, _, lower in self._texts]

    def uses(self, word: str) -> bool:
        """Whether anybody uses a root."""
        return word in self._places

    def nearest(self, names: Sequence[str], words: Sequence[str], least: float) -> tuple[int, str] | None:
        """The line that holds most of some names (in lower case) and roots, with the index of its message.

        Args:
            names: The names.
            words: The roots.
            least: The share of them that a text must hold.
        """
        terms = [*names, *words]
        found = sorted(self.of(names, words, least), key=lambda one: -one.share)[:_MAX_TEXTS]
        lines = [(one.at, line) for one in found for line in one.text.splitlines()]
        at, line = max(lines, key=lambda one: self.share(terms, roots(one[1])), default=(-1, ""))
        return (at, line) if line and self.share(terms, roots(line)) >= least else None

    def lines(self, words: Sequence[str], least: float) -> Mapping[str, frozenset[str]]:
        """Sentences, and lines of calls, that hold a share of some roots, each once, with those roots.

        Args:
            words: The roots.
            least: The share, 0 to 1.
        """
        weights = self.weigh((), words)
        least *= sum(weights.values())
        shares: dict[int, float] = {}
        said, places = self._once
        for word, weight in weights.items():
            for number in places.get(word, ()):
                shares[number] = shares.get(number, 0.0) + weight
        found: dict[str, frozenset[str]] = {}
        for sentence, held in (said[number] for number, share in shares.items() if share >= least - _TINY):
            if len(sentence) <= _MAX_CALL_CHARS:
                found[sentence] = held
            else:
                lines = ((line, frozenset(roots(line))) for line in sentence.splitlines())
                found |= {line: held for line, held in lines if _weight_of(held, weights) >= least - _TINY}
        return found

    def share(self, words: Sequence[str], held: Collection[str], without: str = "") -> float:
        """The share of some roots that a text holds, 0 to 1.

        Args:
            words: The roots.
            held: The roots of the text.
            without: Roots that begin with this are left out.
        """
        weights = self.weigh((), words)
        counted = [word for word in weights if not (without and word.lstrip("=").startswith(without))]
        total = sum(weights[word] for word in counted)
        return sum(weights[word] for word in counted if word in held) / total if total else 0.0

    @cached_property
    def _calls(self) -> list[tuple[int, str, str, str]]:
        """The same as `_texts` of every call, except those that only note what is to be done."""
        found = []
        for one in self._ended:
            if not _PLANS.search(one.call.name):
                called = f"{one.call.name} {one.call.target} {one.call.strings[:_ARGUMENTS]}"
                text = f"{called}\n{one.text[:_RESULT]}"
                found.append((one.at, CALL, text, text.lower()))
        return found

    def of(self, names: Sequence[str], words: Sequence[str], least: float) -> list[Account]:
        """Sentences and calls that mention names (in lower case) and roots; rare ones count more.

        Args:
            names: The names.
            words: The roots.
            least: The share of them that a sentence must hold.
        """
        weights = self.weigh(names, words)
        total = sum(weights.values())
        found: list[Account] = []
        for number in self._holding(weights, names, least * total) if total else ():
            for sentence, roots_of in zip(*self._parts[number], strict=True):
                lower = sentence.lower() if names else ""
                held = roots_of.intersection(words).union(name for name in names if name in lower)
                share = math.fsum(map(weights.__getitem__, held)) / total  # in any order the same
                if share >= least:
                    found.append(Account(self._all[number][0], sentence, share, held))
        return found

    def _holding(self, weights: Mapping[str, float], names: Sequence[str], least: float) -> list[int]:
        """The numbers of the texts that hold enough of some weighted names and roots."""
        shares: dict[int, float] = {}
        for term, weight in weights.items():
            for number in self._naming(term) if term in names else self._places.get(term, ()):
                shares[number] = shares.get(number, 0.0) + weight
        return sorted(number for number, share in shares.items() if share >= least - _TINY)

    def _naming(self, name: str) -> list[int]:
        """The numbers of the texts that contain a name."""
        text, offsets = self._whole
        numbers: list[int] = []
        at = text.find(name)
        while at >= 0:
            numbers.append(bisect_right(offsets, at) - 1)
            at = text.find(name, offsets[numbers[-1] + 1])
        return numbers

    @cached_property
    def _whole(self) -> tuple[str, list[int]]:
        """All texts in lower case as one string, and where each begins."""
        sizes = (len(one[3]) + 1 for one in self._all)
        return "\n".join(one[3] for one in self._all), list(accumulate(sizes, initial=0))

    @cached_property
    def _places(self) -> Mapping[str, list[int]]:
        """The numbers of the texts that contain each root."""
        places: dict[str, list[int]] = defaultdict(list)
        for number, (_, spoken_of) in enumerate(self._parts):
            for word in frozenset().union(*spoken_of):
                places[word].append(number)
        return places

    @cached_property
    def _parts(self) -> list[tuple[Sequence[str], Sequence[frozenset[str]]]]:
        """The sentences of each text (a call is one sentence), and the roots of each."""
        split = [(text,) if speaker == CALL else sentences(text) for _, speaker, text, _ in self._all]
        return [(group, [frozenset(roots(one)) for one in group]) for group in split]

    @cached_property
    def _once(self) -> tuple[list[tuple[str, frozenset[str]]], Mapping[str, list[int]]]:
        """Every distinct sentence and call with its roots; and where each root occurs."""
        said = list({one: held for part in self._parts for one, held in zip(*part, strict=True)}.items())
        places: dict[str, list[int]] = defaultdict(list)
        for number, (_, held) in enumerate(said):
            for word in held:
                places[word].append(number)
        return said, places

    @cached_property
    def _all(self) -> list[tuple[int, str, str, str]]:
        return [*self._texts, *self._calls]

    def weigh(self, names: Sequence[str], words: Sequence[str]) -> Mapping[str, float]:
        """The weights of names and roots: the rarer a word, the more; reporting words count less."""
        both = tuple(names), tuple(words)
        if both not in self._weighed:
            rarities = {word: self._weight(word) for word in words}
            self._weighed[both] = dict.fromkeys(names, _NAMED) | rarities
        return self._weighed[both]

    def _weight(self, word: str) -> float:
        holding = len(self._places.get(word, ()))
        if not holding:
            return _UNKNOWN
        rarity = math.log(1 + len(self._all) / holding) - 1
        return min(_MOST, max(_LEAST, rarity)) * (_REPORTING if word in reporting() else 1)


def _weight_of(held: frozenset[str], weights: Mapping[str, float]) -> float:
    return math.fsum(map(weights.__getitem__, held & weights.keys()))


def _said(view: View) -> tuple[str, str] | None:
    """Who speaks in a message and what they say; None for tool output."""
    if view.role == "assistant":
        return ASSISTANT, view.text
    if view.role == "tool":
        answers = answers_of(view)
        return (USER, "\n".join(answers)) if answers else None
    if view.request and len(view.text) <= MAX_REQUEST_CHARS:
        return USER, view.text
    speaker = DOCUMENT if view.role == USER else SYSTEM
    return None if lexicon().injected.match(view.text) else (speaker, view.text)
