"""Where the parts of a JSON text stand, so that one can be replaced and every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_decoder = json.JSONDecoder()
_blank = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class Span:
    """A value of a JSON text and the characters it takes."""

    value: Any
    start: int
    end: int


def skip_blank(text: str, at: int) -> int:
    """The first character from `at` on that is no blank of JSON."""
    found = _blank.match(text, at)
    return at if found is None else found.end()


def elements(text: str, at: int) -> Iterator[Span]:
    """The elements of the list that begins at `at`, in a text known to be JSON."""
    at = skip_blank(text, at + 1)
    while text[at] != "]":
        value, end = _decoder.raw_decode(text, at)
        yield Span(value, at, end)
        at = skip_blank(text, end)
        if text[at] == ",":
            at = skip_blank(text, at + 1)


def members(text: str, at: int) -> dict[str, Span]:
    """The members of the object that begins at `at`, in a text known to be JSON; of equal keys the last."""
    found: dict[str, Span] = {}
    at = skip_blank(text, at + 1)
    while text[at] != "}":
        key, end = _decoder.raw_decode(text, at)
        start = skip_blank(text, skip_blank(text, end) + 1)
        value, end = _decoder.raw_decode(text, start)
        found[key] = Span(value, start, end)
        at = skip_blank(text, end)
        if text[at] == ",":
            at = skip_blank(text, at + 1)
    return found


def written(value: Any) -> str:
    """A value as JSON, text readable as it is; a lone surrogate, which no file can hold, is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text
