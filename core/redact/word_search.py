"""What texts are searched with: many words at once (Aho and Corasick, 1975), expressions when needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

Value = TypeVar("Value")
Search = Callable[[str], Iterable[tuple[int, Value]]]
"""Gives, for every place of every word, its last character and what belongs to the word."""


def search_for(words: Mapping[str, Value]) -> Search[Value]:
    """A search for some words, each with what belongs to it."""
    if not words:
        return lambda text: ()
    try:
        from ahocorasick import Automaton
    except ImportError:  # it is written in C, for CPython: elsewhere word by word
        return lambda text: one_by_one(text, words)
    automaton = Automaton()
    for word, value in words.items():
        automaton.add_word(word, value)
    automaton.make_automaton()
    search: Search[Value] = automaton.iter
    return search


def one_by_one(text: str, words: Mapping[str, Value]) -> Iterator[tuple[int, Value]]:
    """The same for a few words, which need no preparation."""
    for word, value in words.items():
        at = text.find(word)
        while at >= 0:
            yield at + len(word) - 1, value
            at = text.find(word, at + 1)


class _Pattern:
    """Stands for an expression until it is used: most texts need few. It keeps what was asked of it."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:

    def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
        """An expression, as `re.compile` makes it."""

else:
    pattern = _Pattern
