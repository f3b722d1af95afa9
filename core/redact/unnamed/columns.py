"""Whole columns of credentials: tables whose head calls a column a password, and the rows of an INSERT.

A head is a line of names, parted as the lines below it, of which one is the name of a secret. It holds for
the lines below as long as they have as many cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.redact.key_formats import gibberish, jumbled, opaque, scrambled
from core.redact.secret_names import Strength, is_code, is_path, is_reference, looks_random, strength
from core.redact.spans import Hit
from core.redact.table import compiled

Cell = tuple[int, int]

_NAMED_CELL = (
    r"(?:pass|pwd|secret|token|cred|key|psk|passwort|пароль|密码|パスワード)\w{0,12}(?: \w{1,8})?"
    r"[\"'`*]{0,3} {0,24}(?:[,;|│┃\t]|  |\r?\n)"
)
"""The name of a secret with the end of a cell behind it, in lower case."""
_SIGNS = ("|", "│", "┃", "\t", ";", ",")
_HEAD_CELL = re.compile(r"[^\W\d_][\w ./#*?-]{0,40}(?:\([\w ]{1,16}\))?")
_RULE = re.compile(r"[\s|:+=│┃┼├┤─━═╪╞╡-]*")
_QUOTED = r'"(?:[^"\n]|"")*"'
_WIDE = re.compile(r"\S+(?: \S+)*")
_INSERT = (
    r"(?:insert|replace)\s+into\s+[\w.\"`\[\]]{1,120}\s*\((?P<head>[^()]{3,1000})\)\s*values\s*"
    r"(?P<rows>(?:\((?:[^()'\"]|'[^']*'|\"[^\"]*\"){1,4000}\)[\s,]*){1,200})"
)
_IN_JSON, _JSON_END = re.compile(r'": {1,8}"'), re.compile(r'[ ]{0,8}"\}[ "}]{0,16}$')
_ROW = re.compile(r"\((?:[^()'\"]|'[^']*'|\"[^\"]*\")*\)")
_VALUE = re.compile(r"\s*(?:'(?:[^']|'')*'|\"[^\"]*\"|[^,]*)")
_AROUND = " \t\r\"'`*"
_MOST_ROWS, _LONGEST_HEAD, _NUMBER = 2_000, 400, 6


def columns(text: str, lower: str) -> Iterator[Hit]:
    """Every cell below the name of a secret.

    Args:
        text: The text.
        lower: The same in lower case.
    """
    done = 0
    for match in compiled(_NAMED_CELL).finditer(lower):
        if match.start() >= done:
            start, end = _line(text, match.start())
            done = end
            if end - start <= _LONGEST_HEAD:
                yield from _below(text, start, end)
    if "insert into" in lower or "replace into" in lower:
        for match in compiled(_INSERT).finditer(lower):
            yield from _inserted(text, match)


def _line(text: str, at: int) -> Cell:
    """The line around a place."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _below(text: str, start: int, end: int) -> Iterator[Hit]:
    """The cells below a head, when this line is one; within JSON it begins behind the name."""
    for opened in _IN_JSON.finditer(text, start, end):
        start = opened.end()
    sign = next((sign for sign in _SIGNS if sign in text[start:end]), "  ")
    head = _cells(text, start, end, sign)
    called = _secret_columns(text, head)
    if len(head) < 2 or not called:
        return
    for _ in range(_MOST_ROWS):
        if end >= len(text):
            return
        start, end = _line(text, end + 1)
        if _RULE.fullmatch(text, start, end):
            continue
        row = _cells(text, start, end, sign)
        if len(row) != len(head):
            return
        yield from _secrets(text, row, called)


def _secret_columns(text: str, head: Sequence[Cell]) -> dict[int, Strength]:
    """Which columns of a head are of secrets; none where a cell is no name."""
    names = [text[start:end] for start, end in head]
    if not all(_HEAD_CELL.fullmatch(name) for name in names if name) or not any(names):
        return {}
    forces = {place: strength(re.sub(r"\W+", "_", name)) for place, name in enumerate(names)}
    return {place: force for place, force in forces.items() if force}


def _secrets(text: str, row: Sequence[Cell], called: dict[int, Strength]) -> Iterator[Hit]:
    for place, force in called.items():
        start, end = row[place]
        if _is_secret(text[start:end], force):
            yield Hit(start, end, "secret-value")


def _is_secret(value: str, force: Strength) -> bool:
    if len(value) < 4 or re.search(r"\s", value) or is_reference(value) or is_code(value) or is_path(value):
        return False
    if force is Strength.WEAK:
        return looks_random(value) or scrambled(value)
    if value.isdigit():
        return force is Strength.STRONG and len(value) >= _NUMBER
    return (
        opaque(value)
        or jumbled(value)
        or gibberish(value)
        or not value.replace("-", "").replace("_", "").isalpha()
    )


def _cells(text: str, start: int, end: int, sign: str) -> list[Cell]:
    """The cells of a line without blanks, quotes and stars around them."""
    if sign == "  ":
        return [match.span() for match in _WIDE.finditer(text, start, end)]
    part = re.escape(sign)
    cell = compiled(rf"\s*{_QUOTED}\s*(?={part}|\Z)|[^\n{part}]*")
    parts: list[Cell] = []
    at = start
    while at <= end and (match := cell.match(text, at, end)):
        parts.append(_trimmed(text, *match.span()))
        at = match.end() + 1
    return parts


def _trimmed(text: str, start: int, end: int) -> Cell:
    while start < end and text[start] in _AROUND:
        start += 1
    if last := _JSON_END.search(text, start, end):
        end = last.start()  # the last cell of a table within JSON
    while end > start and text[end - 1] in _AROUND:
        end -= 1
    return start, end


def _inserted(text: str, match: re.Match[str]) -> Iterator[Hit]:
    head = _cells(text, *match.span("head"), ",")
    called = _secret_columns(text, head)
    for row in _ROW.finditer(text, *match.span("rows")):
        cells = _values(text, row.start() + 1, row.end() - 1) if called else []
        if len(cells) == len(head):
            yield from _secrets(text, cells, called)


def _values(text: str, start: int, end: int) -> list[Cell]:
    """The values of a row of an INSERT, quotes off."""
    cells: list[Cell] = []
    while start <= end and (match := _VALUE.match(text, start, end)):
        cells.append(_trimmed(text, *match.span()))
        start = match.end() + 1
    return cells
