"""Where the members of an object and the elements of a list stand: what is not replaced is copied."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from core.trajectory.entries.spans import Span, read_list, read_object

_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_elements = msgspec.json.Decoder(list[msgspec.Raw])
_to_value = re.compile(rb'[\s,{]*"(?:[^"\\]|\\.)*"\s*:\s*')
_to_element = re.compile(rb"[\s,]*")

MARK = "\ufeff"

Place = tuple[int, int]
"""First byte, and the one behind the last."""


def members(line: bytes) -> Mapping[str, Place]:
    """The places of the values of an object; of equal keys the last counts."""
    try:
        raws = _members.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _members_of_odd(line)
    places = _walked(line, raws.values(), _to_value, 0)
    whole = places and line[places[-1][1] :].strip() == b"}"
    return dict(zip(raws, places, strict=True)) if whole else _members_of_odd(line)


def elements(data: bytes, place: Place, count: int) -> Sequence[Place]:
    """The places of the first elements of the list that fills a place but for blanks in front of it."""
    at = data.index(b"[", *place)
    try:
        raws = _elements.decode(memoryview(data)[at : place[1]])
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = data[at : place[1]].decode("utf-8", "surrogatepass")
        spans, _ = read_list(text)
        return [(at + start, at + end) for start, end in _in_bytes(text, spans[:count])]
    return _walked(data, raws[:count], _to_element, at + 1)


def _walked(data: bytes, raws: Iterable[msgspec.Raw], between: re.Pattern[bytes], at: int) -> Sequence[Place]:
    """The places of values that follow each other; none when something else stands between two."""
    places = []
    for raw in raws:
        found = between.match(data, at)
        if found is None:
            return ()
        at = found.end() + memoryview(raw).nbytes
        places.append((found.end(), at))
    return places


def _members_of_odd(line: bytes) -> Mapping[str, Place]:
    """What the quick reader refuses: endless numbers, halves of characters, keys that come twice."""
    text = line.decode()
    found = read_object(text, len(MARK) if text.startswith(MARK) else 0)
    return dict(zip(found, _in_bytes(text, found.values()), strict=True))


def _in_bytes(text: str, spans: Collection[Span]) -> Sequence[Place]:
    """Where spans of a text stand once it is encoded."""
    behind, at, last = {}, 0, 0
    for mark in sorted(mark for span in spans for mark in (span.start, span.end)):
        at += len(text[last:mark].encode("utf-8", "surrogatepass"))
        behind[mark] = at
        last = mark
    return [(behind[span.start], behind[span.end]) for span in spans]
