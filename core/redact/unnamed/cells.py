"""Which cells of a table hold credentials: those below, or beside, the name of a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.redact.key_formats import gibberish, jumbled, opaque, scrambled
from core.redact.secret_names import Strength, is_code, is_path, is_reference, looks_random, strength
from core.redact.spans import Hit

Cell = tuple[int, int]
"""Where one begins and ends in its text."""

_NAME = re.compile(r"[^\W\d_][\w ./#*?-]{0,40}(?:\([\w ]{1,16}\))?")
_AROUND = " \t\r\"'`*"
_LEAST, _LEAST_NUMBER = 4, 6
"""Characters of a secret in a cell; and digits of one that is a number."""


def trimmed(text: str, start: int, end: int) -> Cell:
    """A cell without blanks, quotes and stars around it."""
    while start < end and text[start] in _AROUND:
        start += 1
    while end > start and text[end - 1] in _AROUND:
        end -= 1
    return start, end


def secret_columns(text: str, head: Sequence[Cell]) -> Mapping[int, Strength]:
    """Which columns of a head are of secrets; none where a cell is no name."""
    names = [text[start:end] for start, end in head]
    if len(head) < 2 or not any(names) or not all(_NAME.fullmatch(name) for name in names if name):
        return {}
    forces = {place: strength(re.sub(r"\W+", "_", name)) for place, name in enumerate(names)}
    return {place: force for place, force in forces.items() if force}


def secrets(text: str, row: Sequence[Cell], columns: Mapping[int, Strength]) -> Iterator[Hit]:
    """The cells of a row that stand in such a column and look like a secret."""
    for place, force in columns.items():
        start, end = row[place]
        if _is_secret(text[start:end], force):
            yield Hit(start, end, "secret-value")


def _is_secret(value: str, force: Strength) -> bool:
    plain = is_reference(value) or is_code(value) or is_path(value)
    if len(value) < _LEAST or re.search(r"\s", value) or plain:
        return False
    if force is Strength.WEAK:
        return looks_random(value) or scrambled(value)
    if value.isdigit():
        return force is Strength.STRONG and len(value) >= _LEAST_NUMBER
    word = value.replace("-", "").replace("_", "").isalpha()
    return not word or opaque(value) or jumbled(value) or gibberish(value)
