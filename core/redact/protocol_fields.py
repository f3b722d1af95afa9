"""Credentials in the place a protocol gives them: headers, cookies, addresses, command-line logins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from core.redact.manifests import manifest_values
from core.redact.secret_names import is_reference, looks_random
from core.redact.spans import Hit
from core.redact.table import Place, by_sign, places


def headers(text: str) -> Iterator[Hit]:
    """Every credential in a place a protocol or a command line gives it."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text.casefold() if len(text.casefold()) == len(text) else text
    for sign, found in _needles():
        if sign in lower:
            for place, needle in [one for one in found if one[1] in lower]:
                yield from _search(place, needle, text, lower)
    yield from manifest_values(text, lower)


@cache
def _needles() -> tuple[tuple[str, tuple[tuple[Place, str], ...]], ...]:
    """Every place and what it begins with, by something that a text with one of them holds."""
    beside = sorted({place.beside for place in places()} - {""})
    groups = [
        (sign, [(place, needle) for place in places() if place.beside == sign for needle in place.needles])
        for sign in beside
    ]
    alone = ((place, needle) for place in places() if not place.beside for needle in place.needles)
    return tuple((sign, tuple(group)) for sign, group in (*groups, *by_sign(alone, "=:\"'\t|")))


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
