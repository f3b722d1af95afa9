"""Whole columns of credentials: tables whose head calls a column a password.

A head is a line of names, parted as the lines below it, of which one is the name of a secret. It holds for
the lines below as long as they have as many cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from core.redact.secret_names import Strength
from core.redact.spans import Hit
from core.redact.table import compiled, unnamed_words
from core.redact.unnamed.cells import Cell, secret_columns, secrets, trimmed

_SIGNS = ("|", "│", "┃", "\t", ";", ",")
"""What parts the cells of a line; without any of them two blanks do."""
_RULE = re.compile(r"[\s|:+=─-╿-]*")
"""A line drawn below a head."""
_BETWEEN_BLANKS = re.compile(r"\S+(?: \S+)*")
_QUOTED = r'"(?:[^"\n]|"")*"'
_OPENS_JSON, _ENDS_JSON = re.compile(r'" {0,8}: {1,8}"'), re.compile(r' {0,8}" {0,8}\}[ "}]{0,16}$')
"""What stands before the head and behind the last cell of a table within JSON."""
_MOST_ROWS, _LONGEST_HEAD = 2_000, 400


def columns(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every cell below the name of a secret."""
    done = 0
    for at in places:
        if at >= done and _named_cell().match(lower, at):
            start, done = _line(text, at)
            if done - start <= _LONGEST_HEAD:
                yield from _below(text, start, done)


@cache
def _named_cell() -> re.Pattern[str]:
    """The name of a secret with the end of a cell behind it, in lower case."""
    stems = "|".join(unnamed_words()["columns"])
    closes = r"[\"'`*]{0,3} {0,24}"
    return re.compile(rf"(?:{stems})\w{{0,12}}(?: \w{{1,8}})?{closes}(?:[{''.join(_SIGNS)}]|  |\r?\n)")


def _line(text: str, at: int) -> Cell:
    """The line around a place."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _below(text: str, start: int, end: int) -> Iterator[Hit]:
    """The secrets below a head, when this line is one; within JSON it begins behind the name."""
    for opened in _OPENS_JSON.finditer(text, start, end):
        start = opened.end()
    sign = next((sign for sign in _SIGNS if sign in text[start:end]), "")
    head = _cells(text, start, end, sign)
    if named := secret_columns(text, head):
        yield from _rows(text, end, sign, len(head), named)


def _rows(text: str, end: int, sign: str, width: int, named: Mapping[int, Strength]) -> Iterator[Hit]:
    """The secrets of the lines behind a head, up to the first that has other cells."""
    for _ in range(_MOST_ROWS):
        if end >= len(text):
            return
        start, end = _line(text, end + 1)
        if _RULE.fullmatch(text, start, end):
            continue
        row = _cells(text, start, end, sign)
        if len(row) != width:
            return
        yield from secrets(text, row, named)


def _cells(text: str, start: int, end: int, sign: str) -> list[Cell]:
    """The cells of a line."""
    if not sign:
        return [match.span() for match in _BETWEEN_BLANKS.finditer(text, start, end)]
    part = re.escape(sign)
    cell = compiled(rf"\s*{_QUOTED}\s*(?={part}|\Z)|[^\n{part}]*")
    found: list[Cell] = []
    while start <= end and (match := cell.match(text, start, end)):
        last = _ENDS_JSON.search(text, *match.span())
        found.append(trimmed(text, match.start(), last.start() if last else match.end()))
        start = match.end() + 1
    return found
