"""Exact identifiers of a middle, found by pattern and listed most frequent first (Hermes 0.22)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from core.model.transcript.message import Message
from core.redact.text import redact_text

_MOST = 7000
_READ = 1_000_000


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of identifier.

    Attributes:
        pattern: Matches within one word, or within one line where `by_line` says so.
        may_hold: Whether a word or line can hold one at all; most cannot, which is quick to see.
        by_line: It is looked for in lines rather than in words.
    """

    label: str
    pattern: re.Pattern[str]
    most: int
    may_hold: Callable[[str], object]
    ends: re.Pattern[str] | None = None
    by_line: bool = False


_HEX = re.compile("[0-9a-f]{9}")
_IN_WORDS = re.compile(f"[#/]|{_HEX.pattern}")


def _names_error(line: str) -> bool:
    return "Error" in line or "Exception" in line


_KINDS = (
    _Kind("issues", re.compile(r"(?<![\w#])#\d{3,6}\b"), 120, lambda word: "#" in word),
    _Kind("commits", re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{9,40}\b"), 40, _HEX.search),
    _Kind(
        "files",
        re.compile(r"(?<![\w./~-])[\w.~-]*+(?:/[\w.~-]++)++"),
        80,
        lambda word: "/" in word,
        ends=re.compile(r"\.[A-Za-z]\w{0,4}$"),
    ),
    _Kind(
        "errors",
        re.compile(r"\b[A-Z][A-Za-z]{2,40}(?:Error|Exception)\b[^\n]{0,90}"),
        40,
        _names_error,
        by_line=True,
    ),
    _Kind("urls", re.compile(r"https?://[^\s)\"'<>]{6,110}"), 30, lambda word: "://" in word),
)


def identifier_index(turns: Sequence[Message]) -> str:
    """One line a kind of identifier; empty when the turns name none. At most 7,000 characters.

    A very long middle is read from its newest message back to a million characters.
    """
    text = "\n".join(_newest_texts(turns))
    words, rows = _Pieces(text.split(), _IN_WORDS.search), _Pieces(text.split("\n"), _names_error)
    lines: list[str] = []
    room = _MOST
    for kind in _KINDS:
        line = _line(kind, rows if kind.by_line else words)
        if len(line) > room:
            break
        if line:
            lines.append(line)
            room -= len(line)
    return redact_text("\n".join(lines))


class _Pieces:
    """Words or lines that may hold anything, each looked at once however often it stands in the text.

    Attributes:
        counts: How often each stands there.
        newest: A number for each, larger where it stands nearer to the end.
    """

    def __init__(self, pieces: Sequence[str], may_hold: Callable[[str], object]) -> None:
        wanted = set(filter(may_hold, set(pieces)))
        kept = list(filter(wanted.__contains__, pieces))
        self.counts = Counter(kept)
        self.newest = dict(zip(kept, count()))


def _newest_texts(turns: Sequence[Message]) -> list[str]:
    texts: list[str] = []
    room = _READ
    for message in reversed(turns):
        if room <= 0:
            break
        if isinstance(content := message.content, str):
            texts.append(content[:room])
            room -= len(content)
    return texts[::-1]


def _line(kind: _Kind, pieces: _Pieces) -> str:
    counts: Counter[str] = Counter()
    newest: dict[str, tuple[int, int]] = {}
    for piece in filter(kind.may_hold, pieces.counts):
        for match in kind.pattern.finditer(piece):
            value = match[0].strip().rstrip(".,;:")
            if kind.ends is None or kind.ends.search(value):
                counts[value] += pieces.counts[piece]
                newest[value] = max(newest.get(value, (-1, -1)), (pieces.newest[piece], match.start()))
    if not counts:
        return ""
    ranked = sorted(counts, key=lambda value: (counts[value], newest[value]), reverse=True)[: kind.most]
    listed = (f"{value}(x{counts[value]})" if counts[value] > 1 else value for value in ranked)
    return f"{kind.label}: {', '.join(listed)}"
