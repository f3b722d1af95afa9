"""Reads JSON with the positions of its parts, so that one can be replaced and other bytes are unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

_decoder = json.JSONDecoder()
_blank = re.compile(r"[ \t\n\r]*")
MARK = "\ufeff"


class Span(NamedTuple):
    """A value of a JSON text, with its character range."""

    value: Any
    start: int
    end: int


def skip_blank(text: str, at: int) -> int:
    """The first index from `at` on that is not JSON whitespace."""
    found = _blank.match(text, at)
    return at if found is None else found.end()


def read_object(text: str, at: int = 0) -> dict[str, Span]:
    """The members of the object that fills a text from `at` to its end; of equal keys the last counts.

    Raises:
        json.JSONDecodeError: The text is not JSON.
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
    """The elements of the list that a text begins with, and where it ends.

    Raises:
        json.JSONDecodeError: The text is not JSON.
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
    """A value as JSON with readable text; a lone surrogate, which no file can contain, is escaped.

    What JSON has no type for, such as the times of a parquet file, becomes a text.
    """
    text = json.dumps(value, ensure_ascii=False, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=str)
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
    """Where the next part begins, or where the closing bracket is."""
    at = skip_blank(text, end)
    mark = text[at : at + 1]
    if mark == closing:
        return at, False
    if mark != ",":
        raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    return skip_blank(text, at + 1), True


_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_elements = msgspec.json.Decoder(list[msgspec.Raw])
_to_value = re.compile(rb'[\s,{]*"(?:[^"\\]|\\.)*"\s*:\s*')
_to_element = re.compile(rb"[\s,]*")


Place = tuple[int, int]
"""First byte, and the byte after the last."""


def members(line: bytes) -> Mapping[str, Place]:
    """The places of an object's values; of equal keys the last counts."""
    try:
        raws = _members.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _members_of_odd(line)
    places = _walked(line, raws.values(), _to_value, 0)
    is_complete = places and line[places[-1][1] :].strip() == b"}"
    return dict(zip(raws, places, strict=True)) if is_complete else _members_of_odd(line)


def elements(data: bytes, place: Place, count: int) -> Sequence[Place]:
    """The places of the first elements of the list that fills a place, apart from leading blanks."""
    at = data.index(b"[", *place)
    try:
        raws = _elements.decode(memoryview(data)[at : place[1]])
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = data[at : place[1]].decode("utf-8", "surrogatepass")
        spans, _ = read_list(text)
        return [(at + start, at + end) for start, end in _in_bytes(text, spans[:count])]
    return _walked(data, raws[:count], _to_element, at + 1)


def _walked(data: bytes, raws: Iterable[msgspec.Raw], between: re.Pattern[bytes], at: int) -> Sequence[Place]:
    """The places of consecutive values; empty if anything else is between two."""
    places = []
    for raw in raws:
        found = between.match(data, at)
        if found is None:
            return ()
        at = found.end() + memoryview(raw).nbytes
        places.append((found.end(), at))
    return places


def _members_of_odd(line: bytes) -> Mapping[str, Place]:
    """The members of a line the fast reader refuses: infinite numbers, lone surrogates, duplicate keys."""
    text = line.decode()
    found = read_object(text, len(MARK) if text.startswith(MARK) else 0)
    return dict(zip(found, _in_bytes(text, found.values()), strict=True))


def _in_bytes(text: str, spans: Collection[Span]) -> Sequence[Place]:
    """The byte ranges of spans once the text is encoded."""
    byte_places, at, last = {}, 0, 0
    for mark in sorted(mark for span in spans for mark in (span.start, span.end)):
        at += len(text[last:mark].encode("utf-8", "surrogatepass"))
        byte_places[mark] = at
        last = mark
    return [(byte_places[span.start], byte_places[span.end]) for span in spans]
