"""What people and assistants said, and what edits put in whose place: what a claim can be held against."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.compress.facts.collect import LONGEST_REQUEST, sentences
from core.compress.facts.history import Outcome
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import View
from core.compress.facts.topic import forms_of, roots
from core.compress.facts.values import without_code
from core.model.transcript.message import Message

USER, ASSISTANT, DOCUMENT = "user", "assistant", "document"

_SHORT = 120
"""Characters of an answer that only takes up what was asked."""

_SAID = re.compile(r"\bthe user said:\s*", re.IGNORECASE)
"""Before what a person wrote when refusing a call; it comes back as the result of that call."""


@dataclass(frozen=True, slots=True)
class Account:
    """One sentence somebody said.

    Attributes:
        at: Index of its message.
        share: How much of what was asked for it speaks of, 0 to 1.
    """

    at: int
    speaker: str
    text: str
    share: float


class Accounts:
    """Answers who said what of something, and what an edit replaced.

    Args:
        read: The middle, read.
        known: Every message before the cut, whole.
        also: Further texts nobody of the middle said, such as the summary before.
        ended: Every call of the middle with its outcome.
    """

    def __init__(
        self, read: Sequence[View], known: Sequence[Message], also: Sequence[str], ended: Sequence[Outcome]
    ) -> None:
        self._read, self._known, self._also, self._ended = read, known, also, ended

    @cached_property
    def _texts(self) -> list[tuple[int, str, str, str]]:
        """Index, speaker, text and the same in lower case, of everything that was said."""
        spoken = [(-1, (DOCUMENT, text)) for text in self._also]
        spoken += [(view.index, said) for view in self._read if (said := _said(view))]
        plain = ((at, speaker, without_code(text)) for at, (speaker, text) in spoken)
        return [(at, speaker, text, text.lower()) for at, speaker, text in plain]

    @cached_property
    def spoken(self) -> list[tuple[int, str]]:
        """Everything that was said, in lower case, with the index of its message; -1 of other texts."""
        return [(at, lower) for at, _, _, lower in self._texts]

    def of(
        self, names: Sequence[str], words: Sequence[str], least: float, *, around: int = 0
    ) -> list[Account]:
        """Sentences that speak of names (in lower case) and roots, in order.

        Args:
            names: The names.
            words: The roots.
            least: Share of them a sentence must hold.
            around: Sentences before and behind that count too.
        """
        whole = len(names) + len(words)
        wanted, sought, most_absent = (
            frozenset(words),
            [forms_of(word) for word in words],
            (1 - least) * whole,
        )
        found = []
        for at, speaker, text, lower in self._texts if whole else ():
            absent = sum(name not in lower for name in names)
            if absent > most_absent or not _holds_enough(lower, sought, most_absent - absent):
                continue
            said = sentences(text)
            held = [_held(sentence, names, wanted) for sentence in said]
            for place, own in enumerate(held):
                near = frozenset().union(*held[max(0, place - around) : place + around + 1])
                if own and len(near) >= least * whole:
                    found.append(Account(at, speaker, said[place], len(near) / whole))
        return found

    def was_taken_up(self, at: int) -> bool:
        """Whether a message asked something that a person answered in a word or two."""
        place = next(place for place, text in enumerate(self._texts) if text[0] == at)
        answers = (text for _, speaker, text, _ in self._texts[place + 1 :][:1] if speaker == USER)
        return "?" in self._texts[place][2] and any(len(text) <= _SHORT for text in answers)

    def edits(self, *names: str) -> Iterator[tuple[str, str]]:
        """What edits that ended well put in the place of what, of those that name all of some names."""
        for message in self._known:
            for call in message.tool_calls:
                lower = call.arguments.lower()
                if call.id not in self._failed and all(name in lower for name in names):
                    yield from _pairs(_decoded(call.arguments))

    @cached_property
    def _failed(self) -> frozenset[str]:
        return frozenset(one.call.id for one in self._ended if one.error)


def _holds_enough(lower: str, sought: Sequence[Sequence[str]], most_absent: float) -> bool:
    absent = 0
    for forms in sought:
        absent += not any(form in lower for form in forms)
        if absent > most_absent:
            return False
    return True


def _held(text: str, names: Sequence[str], words: frozenset[str]) -> frozenset[str]:
    """Which of some names and roots a text holds."""
    lower = text.lower()
    return words.intersection(roots(text)).union(name for name in names if name in lower)


def _said(view: View) -> tuple[str, str] | None:
    """Who speaks in a message, and what; None of a tool's output."""
    if view.role == "assistant":
        return ASSISTANT, view.text
    if view.role == "tool":
        refused = lexicon().rejected.search(view.text[:600]) and _SAID.search(view.text)
        return (USER, view.text[refused.end() :]) if refused else None
    if view.request and len(view.text) <= LONGEST_REQUEST:
        return USER, view.text
    return None if lexicon().injected.match(view.text) else (DOCUMENT, view.text)


def _decoded(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None


def _pairs(data: Any) -> Iterator[tuple[str, str]]:
    """The old and the new text of every edit in the arguments of a call, in lower case."""
    if isinstance(data, list):
        for one in data:
            yield from _pairs(one)
    if not isinstance(data, dict):
        return
    strings = [(key, value.lower()) for key, value in data.items() if isinstance(value, str)]
    old, new = ([value for key, value in strings if key.startswith(start)] for start in ("old", "new"))
    yield from zip(old[:1], new, strict=False)
    for value in data.values():
        yield from _pairs(value)
