"""Breaking cleaned text into lines of a width in cells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, split_graphemes

TAB = 4
_WORDS = re.compile(r"\s+|\S+")


def wrap(text: str, width: int) -> Iterator[str]:
    """The lines of a text, none wider than `width` cells; words stay whole where they fit.

    Args:
        text: Cleaned text; its own line breaks are kept, tabs become blanks.
        width: Cells a line may have; at least 1.
    """
    width = max(1, width)
    for line in text.expandtabs(TAB).split("\n"):
        if (len(line) if line.isascii() else cell_len(line)) <= width:
            yield line.rstrip()
        else:
            yield from _wrapped(line, width)


def _wrapped(line: str, width: int) -> Iterator[str]:
    row, used = "", 0
    for word in _WORDS.findall(line):
        for piece in _chopped(word, width) if cell_len(word) > width else (word,):
            cells = cell_len(piece)
            if used + cells > width:
                if row.strip():
                    yield row.rstrip()
                row, used = "", 0
                if piece.isspace():
                    continue
            row, used = row + piece, used + cells
    if row.strip():
        yield row.rstrip()


def _chopped(word: str, width: int) -> Iterator[str]:
    """A word too long for any line, cut between graphemes."""
    start, used = 0, 0
    for begin, _end, cells in split_graphemes(word)[0]:
        if used and used + cells > width:
            yield word[start:begin]
            start, used = begin, 0
        used += cells
    yield word[start:]
