"""What was masked in one place of a conversation is masked wherever else it stands, without its name too.

A session says `DB_PASSWORD=...` once and the bare value ten messages later; only the first gives it away. So
whoever shows a conversation has its credentials learned first, and every search for credentials finds them
again. They are kept in memory for as long as the process runs, and nowhere else.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Hashable, Iterable, Iterator, Mapping
from threading import Lock
from typing import TypeVar
from urllib.parse import quote

from core.redact.spans import Hit

Item = TypeVar("Item", bound=Hashable)

_LEAST, _LEAST_INSIDE = 8, 16
"""Characters of a value that is looked for on its own; and of one that is found inside longer words too."""

_LEAST_PART = 24
"""Characters of a line of a key block that is looked for."""

_MOST = 4_096
_BLANK = re.compile(r"(?:\s|\\+[nrt])+")
_LETTER = re.compile(r"[^\W\d_]")
_SIGN = re.compile(r"[^\w\s./:,\-]")


class KnownValues:
    """Credentials seen in this process, each with its kind; threads may learn and look at the same time."""

    def __init__(self) -> None:
        self._kinds: Mapping[str, str] = {}
        self._read: set[Hashable] = set()
        self._lock = Lock()

    @property
    def count(self) -> int:
        """How many are known; it only grows, until all are forgotten."""
        return len(self._kinds)

    def learn(self, found: Iterable[tuple[str, str]]) -> None:
        """Remember credentials and their kinds; what could be an ordinary word is left out."""
        new = {part: kind for value, kind in found for part in _parts(value)}
        with self._lock:
            if new.keys() - self._kinds.keys() and len(self._kinds) < _MOST:
                self._kinds = {**new, **self._kinds}

    def unread(self, items: Iterable[Item]) -> list[Item]:
        """Those of some places nobody asked about before; from now on they count as read.

        Following a conversation that grows, its first ten thousand messages need not be searched each time.
        """
        with self._lock:
            fresh = [item for item in dict.fromkeys(items) if item not in self._read]
            self._read.update(fresh)
        return fresh

    def forget(self) -> None:
        """Know nothing again."""
        with self._lock:
            self._kinds = {}
            self._read.clear()

    def held(self, text: str) -> bool:
        """Whether a text may hold one."""
        return any(value in text for value in self._kinds)

    def hits(self, text: str) -> Iterator[Hit]:
        """Where they stand in a text."""
        for value, kind in self._kinds.items():
            at = text.find(value)
            while at >= 0:
                end = at + len(value)
                if len(value) >= _LEAST_INSIDE or _stands_alone(text, at, end):
                    yield Hit(at, end, kind)
                at = text.find(value, end)


KNOWN = KnownValues()


def _parts(value: str) -> Iterator[str]:
    """What of a credential is looked for: all of it, of several lines each long one; and as it is encoded."""
    pieces = _BLANK.split(value)
    least = _LEAST if len(pieces) == 1 else _LEAST_PART
    for piece in pieces:
        if len(piece) >= least and is_distinct(piece):
            yield from dict.fromkeys((piece, *_spellings(piece)))


def _spellings(value: str) -> Iterator[str]:
    """The same value inside JSON, in an address, and as Kubernetes keeps it."""
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield quote(value, safe="", errors="replace")
    yield b64encode(value.encode("utf-8", "replace")).decode().rstrip("=")
    if "\\" in value:
        yield value.replace('\\"', '"').replace("\\\\", "\\")


def is_distinct(value: str) -> bool:
    """Whether a value can hardly stand for anything else: no word, number, path, code or placeholder."""
    from core.redact.known_formats import opaque  # the quick look at every line does without these
    from core.redact.secret_names import is_code, is_path, is_reference

    if is_reference(value) or is_code(value) or is_path(value) or "[redacted:" in value:
        return False
    return opaque(value) or bool(_LETTER.search(value) and _SIGN.search(value))


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, behind = text[max(0, start - 1) : start], text[end : end + 1]
    escaped = text[max(0, start - 2) : start - 1] == "\\" and before in "nrt"
    return (escaped or not before.isalnum()) and not behind.isalnum()
