"""JSON read together with where its parts stand, so that one can be replaced and every other byte stays."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_decoder = json.JSONDecoder()
_blank = re.compile(r"[ \t\n\r]*")


class Span(NamedTuple):
    """A value of a JSON text and the characters it takes."""

    value: Any
    start: int
    end: int


def skip_blank(text: str, at: int) -> int:
    """The first character from `at` on that is no blank of JSON."""
    found = _blank.match(text, at)
    return at if found is None else found.end()


def read_object(text: str, at: int = 0) -> dict[str, Span]:
    """The members of the object that fills a text from `at` to its end; of equal keys the last counts.

    Raises:
        json.JSONDecodeError: The text is no JSON.
    """
    found: dict[str, Span] = {}
    at = skip_blank(text, skip_blank(text, at) + 1)
    more = text[at : at + 1] != "}"
    while more:
        key, start = _key(text, at)
        value, end = _decoder.raw_decode(text, start)
        found[key] = Span(value, start, end)
        at, more = _next(text, end, "}")
    return found


def read_list(text: str) -> tuple[list[Span], int]:
    """The elements of the list a text begins with, and where it ends.

    Raises:
        json.JSONDecodeError: The text is no JSON.
    """
    found: list[Span] = []
    at = skip_blank(text, 1)
    if text[at : at + 1] == "]":
        return found, at + 1
    while True:
        value, end = _decoder.raw_decode(text, at)
        found.append(Span(value, at, end))
        at, more = _next(text, end, "]")
        if not more:
            return found, at + 1


def written(value: Any) -> str:
    """A value as JSON, text readable as it is; a lone surrogate, which no file can hold, is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _key(text: str, at: int) -> tuple[str, int]:
    """A key, and where its value begins."""
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    key, end = _decoder.raw_decode(text, at)
    at = skip_blank(text, end)
    if text[at : at + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
    return key, skip_blank(text, at + 1)


def _next(text: str, end: int, closing: str) -> tuple[int, bool]:
    """Where the next part begins, or where the closing mark stands."""
    at = skip_blank(text, end)
    mark = text[at : at + 1]
    if mark == closing:
        return at, False
    if mark != ",":
        raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    return skip_blank(text, at + 1), True
