"""What stands in a list behind a credential and is made like it: `keys = a,b`, `the codes are a, b and c`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.redact.key_formats import opaque
from core.redact.spans import Hit
from core.redact.word_search import pattern

_NEXT = pattern(
    r"[\"'`]?(?:, ?|,? (?:and|or|und|et|y|e) | ?[;|] ?)[\"'`]?(?P<value>[A-Za-z0-9+/=_.-]{8,512})(?![\w@(/-])"
)
_CHARACTER = pattern(r"[A-Za-z0-9]")


def siblings(text: str, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Every value that follows a credential in a list and has its length, signs and mixture.

    Args:
        text: The text.
        hits: The credentials found in it.
    """
    for hit in hits:
        form, end = _form(text[hit.start : hit.end]), hit.end
        while (match := _NEXT.match(text, end)) and _form(match["value"]) == form and opaque(match["value"]):
            yield Hit(*match.span("value"), hit.kind)
            end = match.end()


def _form(value: str) -> str:
    """A value with one letter for all letters and digits."""
    return _CHARACTER.sub("x", value)
