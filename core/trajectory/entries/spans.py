"""JSON read together with where its parts stand, so that one can be replaced and every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, NamedTuple

_decoder = json.JSONDecoder()
_blank = re.compile(r"[ \t\n\r]*")


class Span(NamedTuple):
    """A value of a JSON text and the characters it takes."""

    value: Any
    start: int
    end: int


class Object(NamedTuple):
    """An object by its members; of equal keys the last counts.

    Attributes:
        elements: Of the members that were asked for and are lists, each element for itself.
    """

    members: dict[str, Span]
    elements: dict[str, list[Span]]


def skip_blank(text: str, at: int) -> int:
    """The first character from `at` on that is no blank of JSON."""
    found = _blank.match(text, at)
    return at if found is None else found.end()


def read_object(text: str, at: int = 0, lists: Collection[str] = ()) -> Object:
    """The object that fills a text from `at` to its end.

    Args:
        text: JSON.
        at: Where it begins, or blanks in front of it.
        lists: Members whose elements are wanted one by one.

    Raises:
        json.JSONDecodeError: The text is no JSON, or goes on behind the value.
        TypeError: It is JSON, but no object.
    """
    at = skip_blank(text, at)
    if text[at : at + 1] != "{":
        json.loads(text[at:])
        raise TypeError
    members: dict[str, Span] = {}
    elements: dict[str, list[Span]] = {}
    at = skip_blank(text, at + 1)
    while text[at : at + 1] != "}" or members:
        key, start = _key(text, at)
        elements.pop(key, None)
        if key in lists and text[start : start + 1] == "[":
            elements[key], end = read_list(text, start)
            members[key] = Span([one.value for one in elements[key]], start, end)
        else:
            value, end = _decoder.raw_decode(text, start)
            members[key] = Span(value, start, end)
        at, more = _next(text, end, "}")
        if not more:
            break
    _expect_end(text, at + 1)
    return Object(members, elements)


def read_list(text: str, at: int) -> tuple[list[Span], int]:
    """The elements of the list that begins at `at`, and where it ends.

    Raises:
        json.JSONDecodeError: The text is no JSON.
    """
    found: list[Span] = []
    at = skip_blank(text, at + 1)
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


def _expect_end(text: str, at: int) -> None:
    at = skip_blank(text, at)
    if at != len(text):
        raise json.JSONDecodeError("Extra data", text, at)
