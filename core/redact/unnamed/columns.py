"""Passwords under one name for many: a column of a table or of inserted rows, a section, a list.

`keys = a,b` and `[passwords]` name many values as a column does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from core.redact.key_formats import is_scrambled, is_unlike_words, mixes_letters_and_digits
from core.redact.secret_names import (
    Strength,
    is_code,
    is_likely,
    is_path,
    is_reference,
    looks_random,
    strength,
)
from core.redact.spans import Hit, pattern
from core.redact.table import compiled, unnamed_words
from core.redact.unnamed.shapes import is_password, is_thought_up

_SIGNS = ("|", "│", "┃", "\t", ";", ",")
"""Separators of a line's cells; without any of them, two blanks separate."""
_RULE = pattern(r"[\s|:+=─-╿-]*")
"""A line drawn under a table's head."""
_BETWEEN_BLANKS = pattern(r"\S+(?: \S+)*")
_QUOTED = r'"(?:[^"\n]|"")*"'
_OPENS_JSON, _ENDS_JSON = pattern(r'" {0,8}: {1,8}"'), pattern(r' {0,8}" {0,8}\}[ "}]{0,16}$')
"""The text before the head and after the last cell of a table within JSON."""
_MAX_ROWS, _MAX_HEAD = 2_000, 400
_STRING = r"'(?:[^']|'')*'|\"[^\"]*\""
_ROW = rf"\((?:[^()'\"]|{_STRING}){{1,4000}}\)"
_VALUES_IN_BRACKETS = pattern(_ROW)
_TABLE = r"[\w.\"`\[\]]{1,120}"
_INSERT = pattern(
    rf"(?:insert|replace)\s+into\s+{_TABLE}\s*\((?P<head>[^()]{{3,1000}})\)"
    rf"\s*values\s*(?P<rows>(?:{_ROW}[\s,]*){{1,200}})"
)
_VALUE = pattern(rf"\s*(?:{_STRING}|[^,]*)")
_NAME = pattern(r"[^\W\d_][\w ./#*?-]{0,40}(?:\([\w ]{1,16}\))?")
_AROUND = " \t\r\"'`*"
_MIN_LENGTH, _MIN_DIGITS = 4, 6
"""Minimum characters of a secret in a cell, and minimum digits of a numeric one."""
_OPENS = r"(?:\]\s*\n|[\"']?\s{0,4}[:=]>?\s{0,4}(?=[\[{(\n])|\s(?=\{))"
"""The end of a section's head, or the opening of a list or mapping."""
_CLOSES = {"[": "]", "{": "}", "(": ")"}
_SECTION_END = pattern(r"\x00|\n(?=\[)|\n\s*\n|\Z")
_BEFORE_SCALAR = r"(?:[:=]>?\s{0,4}|(?:^|\n)\s{0,40}-\s{1,4}|[\[(,]\s{0,40})[\"']?"
_SCALAR = pattern(rf"{_BEFORE_SCALAR}(?P<value>[^\s\"',;{{}}\[\]()]{{6,512}})(?=[\"',\s\]}})]|$)")
_REACH, _BEFORE = 2_000, 24
_NEXT = pattern(
    r"[\"'`]?(?:, ?|,? (?:and|or|und|et|y|e) | ?[;|] ?)[\"'`]?(?P<value>[A-Za-z0-9+/=_.-]{8,512})(?![\w@(/-])"
)
_CHARACTER = pattern(r"[A-Za-z0-9]")


def columns(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every cell under the name of a secret."""
    done = 0
    for at in places:
        if at >= done and _named_cell().match(lower, at):
            start, done = _line(text, at)
            if done - start <= _MAX_HEAD:
                yield from _below(text, start, done)


@cache
def _named_cell() -> re.Pattern[str]:
    """The name of a secret followed by the end of a cell, in lower case."""
    stems = "|".join(unnamed_words()["columns"])
    closes = r"[\"'`*]{0,3} {0,24}"
    return pattern(rf"(?:{stems})\w{{0,12}}(?: \w{{1,8}})?{closes}(?:[{''.join(_SIGNS)}]|  |\r?\n)")


def _line(text: str, at: int) -> Cell:
    """The line around an offset."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _below(text: str, start: int, end: int) -> Iterator[Hit]:
    """The secrets under a head, if this line is one; within JSON it begins after the name."""
    for opened in _OPENS_JSON.finditer(text, start, end):
        start = opened.end()
    sign = next((sign for sign in _SIGNS if sign in text[start:end]), "")
    head = _cells(text, start, end, sign)
    if named := secret_columns(text, head):
        yield from _rows(text, end, sign, len(head), named)


def _rows(text: str, end: int, sign: str, width: int, named: Mapping[int, Strength]) -> Iterator[Hit]:
    """The secrets of the lines after a head, up to the first with other cells."""
    for _ in range(_MAX_ROWS):
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


def inserts(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every value inserted into a column with the name of a secret."""
    for match in filter(None, (_INSERT.match(lower, at) for at in places)):
        head = _values(text, *match.span("head"))
        named = secret_columns(text, head)
        for row in _VALUES_IN_BRACKETS.finditer(text, *match.span("rows")) if named else ():
            cells = _values(text, row.start() + 1, row.end() - 1)
            if len(cells) == len(head):
                yield from secrets(text, cells, named)


def _values(text: str, start: int, end: int) -> list[Cell]:
    """The values of a row, or the names of a head, without quotes."""
    found: list[Cell] = []
    while start <= end and (match := _VALUE.match(text, start, end)):
        found.append(trimmed(text, *match.span()))
        start = match.end() + 1
    return found


Cell = tuple[int, int]
"""Start and end of a cell in its text."""


def trimmed(text: str, start: int, end: int) -> Cell:
    """A cell without surrounding blanks, quotes and asterisks."""
    while start < end and text[start] in _AROUND:
        start += 1
    while end > start and text[end - 1] in _AROUND:
        end -= 1
    return start, end


def secret_columns(text: str, head: Sequence[Cell]) -> Mapping[int, Strength]:
    """Which columns of a head are for secrets; none if a cell is not a name."""
    names = [text[start:end] for start, end in head]
    if len(head) < 2 or not any(names) or not all(_NAME.fullmatch(name) for name in names if name):
        return {}
    forces = {place: strength(re.sub(r"\W+", "_", name)) for place, name in enumerate(names)}
    return {place: force for place, force in forces.items() if force}


def secrets(text: str, row: Sequence[Cell], columns: Mapping[int, Strength]) -> Iterator[Hit]:
    """The cells of a row that are in such a column and look like a secret."""
    for place, force in columns.items():
        start, end = row[place]
        if _is_secret(text[start:end], force):
            yield Hit(start, end, "secret-value")


def _is_secret(value: str, force: Strength) -> bool:
    plain = is_reference(value) or is_code(value) or is_path(value)
    if len(value) < _MIN_LENGTH or re.search(r"\s", value) or plain:
        return False
    if force is Strength.WEAK:
        return looks_random(value) or is_scrambled(value)
    if value.isdigit():
        return force is Strength.STRONG and len(value) >= _MIN_DIGITS
    word = value.replace("-", "").replace("_", "").isalpha()
    return not word or is_unlike_words(value)


def collections(text: str, lower: str, places: Iterable[int]) -> Iterator[Hit]:
    """Every value of a group of secrets that looks like one."""
    for at in places:
        match = _group_opening().match(lower, at)
        if match is None or _other_meaning().search(lower, max(0, at - _BEFORE), at):
            continue
        for one in _SCALAR.finditer(text, match.end(), _group_end(text, match.start(), match.end())):
            if _is_secret_of_group(match[0], one["value"]):
                yield Hit(*one.span("value"), "secret-value")


def _is_secret_of_group(group: str, value: str) -> bool:
    """Whether a value is a secret of its group; in groups about people most values are not."""
    if group.startswith(tuple(unnamed_words()["people"])):
        return is_password(value) or (group[-1] == "\n" and is_thought_up(value))
    return mixes_letters_and_digits(value) and is_likely(value)


@cache
def _group_opening() -> re.Pattern[str]:
    return pattern(f"(?:{'|'.join(unnamed_words()['groups'])}){_OPENS}")


@cache
def _other_meaning() -> re.Pattern[str]:
    """Text that gives the word another meaning: `max_tokens`, `foreign keys`, or the end of a longer word."""
    return pattern(rf"(?:{'|'.join(unnamed_words()['other'])})[_ -]?$|[^\W_]\Z")


def _group_end(text: str, name: int, at: int) -> int:
    """The end of the group whose name is at `name` and whose values begin at `at`."""
    if closes := _CLOSES.get(text[at : at + 1]):
        return max(at, text.find(closes, at, at + _REACH))
    section = _SECTION_END.search(text, at, at + _REACH)
    limit = section.start() if section else min(len(text), at + _REACH)
    if text[at - 1 : at] == "\n":  # after the head of a section
        return limit
    indent = name - text.rfind("\n", 0, name) - 1
    shallow = pattern(rf"\n {{0,{indent}}}(?![ \n-])").search(text, at + 1, limit)
    return shallow.start() if shallow else limit


def siblings(text: str, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Every value that follows a credential in a list and has its length, signs and mixture."""
    for hit in hits:
        form, end = _form(text[hit.start : hit.end]), hit.end
        while (
            (match := _NEXT.match(text, end))
            and _form(match["value"]) == form
            and mixes_letters_and_digits(match["value"])
        ):
            yield Hit(*match.span("value"), hit.kind)
            end = match.end()


def _form(value: str) -> str:
    """A value with `x` for all letters and digits."""
    return _CHARACTER.sub("x", value)
