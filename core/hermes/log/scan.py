"""One pass over a log file: the lines that matter, each with what stands below it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

_CHUNK, _LEAST = 16 * 1024 * 1024, 64 * 1024
_CONTINUED = 12
_LONGEST = 20_000
NEEDLES = (
    b"ompress",
    b"ompact",
    b": conversation turn: ",
    b": API call ",
    b": Turn ended: ",
    b": Session hygiene",
    b": Session split detected",
    b": Summarizing turns ",
    b": Summary ",
    b"Failed to generate context summary",
    b": Cached context length ",
    b": Context limit detected",
    b": Context length exceeded",
    b": Context overflow",
    b": Context engine ",
    b": Plugin '",
    b": 413 payload",
    b": Stored system prompt for session ",
    b": Engine-driven preflight",
    b": Error classified: ",
    b": Error during API call ",
    b": Fallback activated: ",
    b": No .env file found",
    b": Loaded environment variables",
    b": Plugin discovery complete",
)
"""Every line form of `lines.yaml` holds one of these; searching a whole chunk for each costs far less than
looking at every line."""


class Hit(NamedTuple):
    """A line worth parsing.

    Attributes:
        number: 1-based in its file.
        line: Its bytes without the newline.
        continued: Lines below it without a head of their own, at most a dozen.
    """

    number: int
    line: bytes
    continued: bytes = b""


class Scan(NamedTuple):
    """What one pass found and how far it went.

    Attributes:
        offset: Bytes read, up to the last newline: a line still being written is left for the next pass.
        lines: Newlines before `offset`.
    """

    hits: list[Hit]
    offset: int
    lines: int


def scan(stream: BinaryIO, offset: int = 0, lines: int = 0) -> Scan:
    """Read complete lines from an offset to the end.

    An earlier pass stopped at `offset`, after so many lines.
    """
    hits: list[Hit] = []
    size = stream.seek(0, os.SEEK_END)
    stream.seek(offset)
    rest = b""
    # Room is made for what there is: chunks of the greatest size, let go of again, leave the heap in pieces.
    while block := stream.read(min(_CHUNK, max(size - stream.tell(), _LEAST))):
        chunk = rest + block
        end = chunk.rfind(b"\n") + 1
        rest = chunk[end:]
        if len(rest) > 4 * _CHUNK:  # a file without newlines is no log
            break
        hits.extend(_hits(chunk[:end], lines))
        lines += chunk.count(b"\n", 0, end)
        offset += end
    return Scan(hits, offset, lines)


def _hits(chunk: bytes, lines: int) -> Iterator[Hit]:
    counted, number = 0, lines + 1
    for start in line_starts(chunk, NEEDLES):
        number += chunk.count(b"\n", counted, start)
        counted = start
        end = chunk.find(b"\n", start)
        yield Hit(number, chunk[start : min(end, start + _LONGEST)].rstrip(b"\r"), _below(chunk, end + 1))


def line_starts(text: bytes, words: Iterable[bytes], begin: int = 0) -> list[int]:
    """Where the lines begin that hold one of some words, in order."""
    starts = set()
    for word in words:
        found = text.find(word, begin)
        while found >= 0:
            starts.add(text.rfind(b"\n", 0, found) + 1)
            found = text.find(word, text.find(b"\n", found))
    return sorted(starts)


def _below(chunk: bytes, start: int) -> bytes:
    """The headless lines that follow: a traceback, or the rest of a text with newlines in it."""
    end = start
    for _ in range(_CONTINUED):
        if end >= len(chunk) or _has_head(chunk, end):
            break
        end = chunk.find(b"\n", end) + 1
    return chunk[start : min(end, start + _LONGEST)].rstrip(b"\r\n")


def _has_head(chunk: bytes, at: int) -> bool:
    return (
        chunk[at : at + 4].isdigit() and chunk[at + 4 : at + 5] == b"-" and chunk[at + 10 : at + 11] == b" "
    )
