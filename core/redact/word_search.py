"""Many words looked for in a text at once, however many they are (Aho and Corasick, 1975)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

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
