"""Requests that correct a figure, and the statements they replace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import View, one_line
from core.compress.facts.said import sentences
from core.compress.facts.topic import roots

_MAX_CORRECTION_CHARS, _EXCERPT_CHARS = 600, 160
"""Characters of a request that corrects something, and of its excerpt."""

_EXCHANGE = 4
"""How many messages before a correction show what it is about."""

_ALIKE = 2
"""How many words a statement and the exchange must share."""

_MEASURE = re.compile(r"([$€£¥]?)(?<![\w.,/#:-])(\d[\d,]*(?:\.\d+)?)(?![\w/-])\s?([^\W\d_]*)")
_Measure: TypeAlias = tuple[str, str]
"""A figure and its unit, as a root or a currency."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A request that gives another figure.

    Attributes:
        at: Index of its message.
        text: The sentence with the figure. Untrusted.
        given: The figures it gives.
        before: The figures of the answer it corrects.
        about: What the exchange is about, as roots.
    """

    at: int
    text: str
    given: frozenset[_Measure]
    before: frozenset[_Measure]
    about: frozenset[str]

    def replaces(self, statement: str) -> bool:
        """Whether it gives another figure with the same unit for what a statement says."""
        stated = [measure for measure in _measures(statement) if measure[1]]
        shared = self.about.intersection(roots(statement)).difference(*stated)
        return len(shared) >= _ALIKE and any(map(self._is_other, stated))

    def _is_other(self, stated: _Measure) -> bool:
        figure, unit = stated
        figures = {given for given, of in self.given if of in ("", unit)}
        named = stated in self.before or figure in {given for given, _ in self.given}
        return named and bool(figures - {figure})

    def is_stated_in(self, line: str) -> bool:
        """Whether a line of a summary has the new figure."""
        return bool({figure for figure, _ in self.given} & {figure for figure, _ in _measures(line)})


def corrections(views: Sequence[View]) -> list[Correction]:
    """The requests of a middle that correct a figure, in order."""
    found = []
    for at, view in enumerate(views):
        brief = (
            view.request and len(view.text) <= _MAX_CORRECTION_CHARS and lexicon().corrects.search(view.text)
        )
        given = frozenset(_measures(view.text)) if brief else frozenset[_Measure]()
        if given:
            exchange = [one.text for one in views[max(0, at - _EXCHANGE) : at] if one.role != "tool"]
            statement = next(sentence for sentence in sentences(view.text) if any(_measures(sentence)))
            about = frozenset(roots("\n".join((*exchange, view.text))))
            before = frozenset(_measures("\n".join(exchange[-1:])))
            found.append(Correction(view.index, one_line(statement, _EXCERPT_CHARS), given, before, about))
    return found


def correction_of(statement: str, at: int, corrections: Sequence[Correction]) -> Correction | None:
    """The last correction that replaces what a message stated."""
    return next((one for one in reversed(corrections) if one.at > at and one.replaces(statement)), None)


def with_correction(statement: str, at: int, corrections: Sequence[Correction]) -> str:
    """A statement, followed by what a person said instead."""
    found = correction_of(statement, at, corrections)
    return statement if found is None else f"{statement} (changed since: {found.text})"


def _measures(text: str) -> Iterator[_Measure]:
    for currency, figure, word in _MEASURE.findall(text):
        unit = next((root for root in roots(word) if not root.startswith("=")), "")  # `12 instead` has none
        yield figure.replace(",", ""), currency or unit
