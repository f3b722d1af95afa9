"""Keys of issuers nobody listed: they mostly begin with a word of their own and `_`, `-` or `.`.

What follows changes between small letters, capitals and digits far oftener than words do, and is longer than
the ids that look alike. Words that begin ids, hashes and file names are in the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.redact.hints import Hints
from core.redact.key_formats import drawn
from core.redact.spans import Hit, pattern
from core.redact.table import compiled, issuers

_BEFORE_DOT = pattern(r"[A-Za-z0-9]{1,48}\.\Z")
"""What may stand before a row as the first part of a key."""
_ISSUED = (
    r"(?<![A-Za-z0-9+/._%-])(?<!sha\d\d\d=)(?<!sha\d=)(?<!md5=)"
    r"(?P<first>(?:[A-Z]?[a-z]{2,14}(?:[A-Z][a-z]{2,8}){0,3}|[a-z]\d?|[A-Z]{2,10})\d{0,2})(?P<dash>[_.-])"
    r"(?P<rest>[A-Za-z0-9_-]{20,240})(?![A-Za-z0-9_(\[-])"
)
_TAIL = r"[A-Za-z0-9+/=_-]{0,240}"
_FILE = pattern(r"\.[a-z]{1,5}\d?(?![\w-])|/")
_WORDS = pattern(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_SPLIT = pattern(r"[_-]")
_UUID = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_SHORT, _LONG, _LONG_DASHED, _LONG_EVEN, _LONG_HEX = 20, 26, 30, 32, 40
"""Characters at the least: behind a word for a key; of three classes; behind a dash; of two; of hex."""
_HEX = pattern(r"[0-9a-f]+|[0-9A-F]+")

_SHORTEST_WORD = 6
"""Letters at the most of a word before a run of two classes: longer ones name what is no key."""


def unlisted(text: str, hints: Hints) -> Iterator[Hit]:
    """Every credential that is told by its shape alone."""
    for at, _ in hints.rows:
        dotted = text.startswith(".", at - 1) if at else False
        before = _BEFORE_DOT.search(text, max(0, at - 49), at) if dotted else None
        match = compiled(_ISSUED).match(text, before.start() if before else at)
        if match and _is_key(text, match):
            start = match.start() + (
                text[match.start() - 1 : match.start()] == "\\" and match["first"][0] in "nrt"
            )
            end = compiled(_TAIL).match(text, match.end())
            yield Hit(start, end.end() if end else match.end(), "provider-key")


_NAMED = pattern(r"([A-Za-z]{2,24})[\"']?\s?[=:]\s?[\"']?$")
"""The last word of what a run is assigned to."""


def _is_key(text: str, match: re.Match[str]) -> bool:
    known = issuers()
    named = _NAMED.search(text, max(0, match.start() - 30), match.start())
    if named and named[1].lower() in known.ids:
        return False
    parts = _SPLIT.split(match["rest"])
    core = max(parts, key=len)
    before = [match["first"], *parts[: parts.index(core)]]
    words = {word.lower() for part in before for word in (part, *_WORDS.findall(part))}
    if words & known.harmless:
        return False
    told = bool(words & known.telling) or any(word.endswith(("key", "token", "secret")) for word in words)
    if _FILE.match(text, match.end()) and (not told or match["dash"] == "."):
        return False
    if told and _UUID.search(match["rest"]) and words & known.secret:
        return True
    if len(core) < _LONG and len(parts) <= 1 + len(match["rest"]) // 10:
        core = match["rest"]  # `-` and `_` are letters of base64 too
    both = any(map(str.isupper, core)) and any(map(str.islower, core))
    if not drawn(core):
        return False
    if told:
        return both or len(core) >= _LONG_DASHED
    if both:
        return len(core) >= (_LONG if match["dash"] == "_" else _LONG_DASHED)
    least = _LONG_HEX if _HEX.fullmatch(core) else _LONG_EVEN
    return (
        len(core) >= least and match["dash"] == "_" and (len(before) > 1 or len(before[0]) <= _SHORTEST_WORD)
    )
