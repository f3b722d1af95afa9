"""Credentials of issuers nobody listed: a short word, then letters and digits drawn at random.

Most issuers begin their keys with a word of their own and `_`, `-` or `.`. What follows changes between small
letters, capitals and digits far oftener than words do, and is longer than the ids that look alike. Words that
begin ids, hashes and file names are in the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from core.redact.spans import Hit
from core.redact.table import compiled, issuers

_ISSUED = (
    r"(?<![A-Za-z0-9+/._%-])(?<!sha\d\d\d=)(?<!sha\d=)(?<!md5=)"
    r"(?P<first>(?:[A-Z]?[a-z]{2,14}(?:[A-Z][a-z]{2,8}){0,3}|[a-z]\d?|[A-Z]{2,10})\d{0,2})(?P<dash>[_.-])"
    r"(?P<rest>[A-Za-z0-9_-]{20,240})(?![A-Za-z0-9_(\[-])"
)
_TAIL = r"[A-Za-z0-9+/=_-]{0,240}"
_FILE = re.compile(r"\.[a-z]{1,5}\d?(?![\w-])|/")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_SPLIT = re.compile(r"[_-]")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_SHORT, _LONG, _LONG_EVEN = 20, 30, 40
"""Characters at the least: behind a word that says key; of three classes; of two."""

_SHORTEST_WORD = 6
"""Letters at the most of a word before a run of two classes: longer ones name what is no key."""


def unlisted(text: str) -> Iterator[Hit]:
    """Every credential that is told by its shape alone."""
    for match in compiled(_ISSUED).finditer(text):
        if _is_key(text, match):
            start = match.start() + (
                text[match.start() - 1 : match.start()] == "\\" and match["first"][0] in "nrt"
            )
            end = compiled(_TAIL).match(text, match.end())
            yield Hit(start, end.end() if end else match.end(), "provider-key")


def scrambled(text: str, *, even: float = 0.24, mixed: float = 0.42) -> bool:
    """Whether letters and digits follow each other as when drawn at random.

    Of a random string of letters and digits 62 % of neighbours differ in class, of small letters and digits
    40 %, of hexadecimal 47 %; of words and numbers in a row hardly 20 %.

    Args:
        text: What is judged.
        even: The least share of such neighbours when there are capitals or small letters alone.
        mixed: The same when there are both.
    """
    classes = [_class(char) for char in text if char.isalnum()]
    if len(classes) < _SHORT or classes.count("d") < 2 or classes.count("d") > len(classes) - 4:
        return False
    changes = sum(one != other for one, other in pairwise(classes)) / (len(classes) - 1)
    both = "u" in classes and "l" in classes
    return changes >= (mixed if both else even) and len(set(text)) >= 10


def _class(char: str) -> str:
    return "d" if char.isdigit() else "u" if char.isupper() else "l"


def _is_key(text: str, match: re.Match[str]) -> bool:
    known = issuers()
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
    if not scrambled(core):
        return False
    if told:
        return both or len(core) >= _LONG
    if both:
        return len(core) >= _LONG
    return len(core) >= _LONG_EVEN and match["dash"] == "_" and len(match["first"]) <= _SHORTEST_WORD
