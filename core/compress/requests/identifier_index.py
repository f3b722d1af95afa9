"""Exact identifiers of a middle, found by pattern and listed most frequent first (Hermes 0.22)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

from core.model.transcript.message import Message
from core.redact.text import redact_bulk, redact_text
from core.support.program_files import load_table

_TABLE = "core/compress/requests/identifiers.yaml"
_HEX = re.compile("[0-9a-f]{9}")
_IN_WORDS = re.compile(f"[#/@]|{_HEX.pattern}")
_IN_LINES = re.compile("Error|Exception|ENOSPC|EACCES|SIGKILL|Traceback")
_PATH = re.compile(r"[\w./-]+")
_NAMED = re.compile(r"\w")

Values = Iterator[tuple[int, str]]
"""Position and text of each value."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of identifier.

    Attributes:
        most: The most values listed.
        find: The values of this kind in a word, or in a line if `by_line`.
    """

    label: str
    most: int
    find: Callable[[str], Values]
    by_line: bool


def identifier_index(turns: Sequence[Message]) -> str:
    """One line for each kind of identifier; empty when there are none. At most 7,000 characters."""
    contents = (message.content for message in turns)
    # Masked first: the index lists values without the names that would reveal credentials.
    text = "\n".join(redact_bulk([content for content in contents if isinstance(content, str)]))
    words, rows = _Pieces(text.split(), _IN_WORDS.search), _Pieces(text.split("\n"), _IN_LINES.search)
    kinds, noise, room = _table()
    lines: list[str] = []
    for kind in kinds:
        line = _line(kind, rows if kind.by_line else words, noise)
        if len(line) > room:
            break
        if line:
            lines.append(line)
            room -= len(line)
    return redact_text("\n".join(lines))


class _Pieces:
    """The words or lines that may hold an identifier, each searched once however often it occurs.

    Attributes:
        counts: How often each occurs.
        newest: A number for each, larger if it occurs nearer to the end.
    """

    def __init__(self, pieces: Sequence[str], may_hold: Callable[[str], object]) -> None:
        pieces_to_index = set(filter(may_hold, set(pieces)))
        kept = list(filter(pieces_to_index.__contains__, pieces))
        self.counts = Counter(kept)
        self.newest = dict(zip(kept, count()))


def _line(kind: _Kind, pieces: _Pieces, noise: frozenset[str]) -> str:
    counts: Counter[str] = Counter()
    newest: dict[str, tuple[int, int]] = {}
    for piece, times in pieces.counts.items():
        for start, found in kind.find(piece):
            value = found.strip().rstrip(".,;:")
            if value.lower() not in noise:
                counts[value] += times
                newest[value] = max(newest.get(value, (-1, -1)), (pieces.newest[piece], start))
    if not counts:
        return ""
    ranked = sorted(counts, key=lambda value: (counts[value], newest[value]), reverse=True)[: kind.most]
    listed = (f"{value}(x{counts[value]})" if counts[value] > 1 else value for value in ranked)
    return f"{kind.label}: {', '.join(listed)}"


@cache
def _table() -> tuple[tuple[_Kind, ...], frozenset[str], int]:
    table = load_table(_TABLE)
    return tuple(map(_kind, table["kinds"])), frozenset(table["noise"]), table["most_characters"]


def _kind(entry: Mapping[str, Any]) -> _Kind:
    pattern = re.compile(entry["pattern"].replace("{words}", "|".join(entry.get("words", ()))))
    within, holds = entry.get("within", "word"), entry.get("holds", "")

    def found(piece: str) -> Values:
        if holds in piece:
            yield from ((match.start(), match[0]) for match in pattern.finditer(piece))

    def path(piece: str) -> Values:
        if holds in piece:
            yield from _paths(piece, pattern)

    return _Kind(entry["label"], entry["most"], path if within == "path" else found, within == "line")


def _paths(word: str, ending: re.Pattern[str]) -> Values:
    """The paths of a word, at most one in each run of path characters.

    A path starts at the first letter of its run, with any leading slashes and dots, and ends with the last
    part that has a wanted ending. The release uses one pattern for it, whose time is cubic in a run's length.
    """
    for run in _PATH.finditer(word):
        text = run[0]
        first = _NAMED.search(text)
        begin = len(text) if first is None else first.start()
        end = len(text)
        while (slash := text.rfind("/", begin + 1, end)) > begin:
            if match := ending.match(text, slash + 1, end):
                yield run.start() + begin, text[begin : match.end()]
                break
            end = slash
