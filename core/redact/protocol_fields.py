"""Credentials in the place a protocol gives them: headers, cookies, addresses, command-line logins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from core.redact.secret_names import is_reference, looks_random
from core.redact.spans import Hit
from core.redact.table import Place, places


def headers(text: str) -> Iterator[Hit]:
    """Every credential in a place a protocol or a command line gives it."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text.casefold() if len(text.casefold()) == len(text) else text
    for place, needle in [found for found in _needles() if found[1] in lower]:
        yield from _search(place, needle, text, lower)


@cache
def _needles() -> tuple[tuple[Place, str], ...]:
    return tuple((place, needle) for place in places() for needle in place.needles)


def _search(place: Place, needle: str, text: str, lower: str) -> Iterator[Hit]:
    at = lower.find(needle)
    while at >= 0:
        end = at + len(needle)
        match = place.pattern.match(text, at)
        if match and _counts(place, match["secret"]):
            yield Hit(*match.span("secret"), place.kind)
            end = match.end("secret")
        at = lower.find(needle, end)


def _counts(place: Place, value: str) -> bool:
    if is_reference(value):
        return False
    return not place.random or looks_random(value)
