"""What stands under a name of many secrets: a section `[passwords]`, `tokens:` and its list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.redact.key_formats import opaque
from core.redact.secret_names import is_likely
from core.redact.spans import Hit
from core.redact.table import compiled

_GROUP = (
    r"(?:passwords|passwds|tokens|secrets|credentials|creds|keys|basic_?auth|auths)"
    r"(?:\]\s*\n|[\"']?\s{0,4}[:=]>?\s{0,4}(?=[\[{(\n]))"
)
_NAMES = (
    "passwords",
    "passwds",
    "tokens",
    "secrets",
    "credentials",
    "creds",
    "keys",
    "basicauth",
    "basic_auth",
    "auths",
)
_OTHER = re.compile(
    r"(?:max|num|public|total|prompt|completion|input|output|foreign|primary|cache|hot)[_ -]?$|[^\W_]$"
)
"""What makes them another thing: `max_tokens`, `public_keys`, `foreign keys`."""
_END = re.compile(r"\x00|\n(?=\[)|\n\s*\n|\Z")
_INLINE = {"[": "]", "{": "}", "(": ")"}
_SCALAR = re.compile(
    r"(?:[:=]>?\s{0,4}|(?:^|\n)\s{0,40}-\s{1,4}|[\[(,]\s{0,40})[\"']?(?P<value>[^\s\"',;{}\[\]()]{6,512})(?=[\"',\s\]})]|$)"
)
_REACH = 2_000


def collections(text: str, lower: str) -> Iterator[Hit]:
    """Every value of a group of secrets that looks like one.

    Args:
        text: The text.
        lower: The same in lower case.
    """
    if not any(name in lower for name in _NAMES):
        return
    for match in compiled(_GROUP).finditer(lower):
        if _OTHER.search(lower, max(0, match.start() - 24), match.start()):
            continue
        end = _end(text, match.end(), match.start() - text.rfind("\n", 0, match.start()) - 1)
        for one in _SCALAR.finditer(text, match.end(), end):
            if opaque(one["value"]) and is_likely(one["value"]):
                yield Hit(*one.span("value"), "secret-value")


def _end(text: str, at: int, indent: int) -> int:
    """Where a group ends: at its bracket, at the next section, at a line no deeper than its name."""
    closes = _INLINE.get(text[at : at + 1])
    if closes:
        found = text.find(closes, at, at + _REACH)
        return found if found >= 0 else at
    section = _END.search(text, at, at + _REACH)
    limit = section.start() if section else min(len(text), at + _REACH)
    if text[at - 1 : at] == "\n":
        return limit
    shallow = re.compile(rf"\n {{0,{indent}}}(?![ \n-])").search(text, at + 1, limit)
    return shallow.start() if shallow else limit
