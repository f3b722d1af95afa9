"""The table of credentials, read once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """One form of credential.

    Attributes:
        needles: Literal beginnings; empty when the pattern is searched for.
        back: Characters of the credential before its needle.
        bound: The needle must not continue a word.
        opaque: The match must hold a letter and a digit behind its prefix.
    """

    name: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    back: int = 0
    bound: bool = True
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """The words that make the name of a value the name of a secret."""

    strong: frozenset[str]
    pairs: Mapping[str, frozenset[str]]
    weak: frozenset[str]
    noise: frozenset[str]
    placeholders: frozenset[str]
    stems: tuple[str, ...]


@cache
def kinds() -> tuple[Kind, ...]:
    """Every form of credential that can be told by its own text."""
    return tuple(_kind(entry) for entry in _table()["known"])


@cache
def names() -> Names:
    """The words of secret names."""
    table = _table()["names"]
    return Names(
        strong=_words(table["strong"]),
        pairs={last: _words(before) for last, before in table["pairs"].items()},
        weak=_words(table["weak"]),
        noise=_words(table["noise"]),
        placeholders=_words(table["placeholders"]),
        stems=tuple(table["stems"]),
    )


def _kind(entry: Mapping[str, Any]) -> Kind:
    return Kind(
        name=entry["kind"],
        needles=tuple(entry.get("needles", ())),
        pattern=re.compile(entry["pattern"]),
        back=entry.get("back", 0),
        bound=entry.get("bound", True),
        opaque=entry.get("opaque", False),
    )


def _words(values: Iterable[object]) -> frozenset[str]:
    return frozenset(str(value) for value in values)


@cache
def _table() -> dict[str, Any]:
    import yaml

    text = files("core.compress.redact").joinpath("kinds.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return table
