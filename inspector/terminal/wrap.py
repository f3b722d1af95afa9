"""Wraps lines to the terminal's width: between words, and inside a word only if it is wider than a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from inspector.terminal.text import cell_len, crop

_WORDS = re.compile(r"\S+|\s+")
_JOINTS = re.compile(r"(?<=[/\\._,:;=&?|)\]}-])(?=.)")
HANG = 2
"""Cells by which continuation rows are indented further than the first."""

Slice = tuple[int, int]


def broken(line: str, width: int, hang: int = HANG) -> Iterator[tuple[str, Slice]]:
    """Split a cleaned line into rows: the indent of each, and its slice of the line.

    All rows but the first are indented by `hang` more cells.
    """
    if cell_len(line) <= width:
        yield "", (0, len(line))
        return
    blanks = len(line) - len(line.lstrip())
    indent = " " * min(blanks + hang, width // 3)
    start = end = used = 0
    before, room = "", width
    for first, last in _pieces(line, width - len(indent)):
        cells = cell_len(line[first:last])
        blank = line[first:last].isspace()
        if used + cells > room and end > start:
            yield before, (start, end)
            before, room, used = indent, width - len(indent), 0
            start = end = last if blank else first
        if not (blank and start == last):
            used += cells
            end = end if blank else last
    if end > start:
        yield before, (start, end)


def _pieces(line: str, room: int) -> Iterator[Slice]:
    """Words and the blanks between them; a word longer than a row comes in pieces."""
    for match in _WORDS.finditer(line):
        first, last = match.span()
        if match[0].isspace() or cell_len(match[0]) <= room:
            yield first, last
        else:
            yield from _parts(line, first, last, room)


def _parts(line: str, first: int, last: int, room: int) -> Iterator[Slice]:
    """Cut a word too long for any row: at its joints (`/`, `.`, `-`), else where the row ends."""
    joints = [first, *(first + found.start() for found in _JOINTS.finditer(line[first:last])), last]
    for start, stop in pairwise(joints):
        at = start
        while cell_len(line[at:stop]) > room:
            cut = max(len(crop(line[at:stop], room + 1)) - 1, 1)
            yield at, at + cut
            at += cut
        if at < stop:
            yield at, stop
