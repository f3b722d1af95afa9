"""The words and patterns by which facts are recognised, read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from core.support.yaml_tables import load_table

_ANY_CASE = frozenset(
    ("constraint", "corrects", "courtesy", "decision", "remaining", "achieved", "intent", "offered", "passed")
)
_BY_LINE = frozenset(("gone", "moved"))
"""Patterns of which `^` and `$` are of a line."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Compiled forms of `lexicon.yaml`."""

    constraint: re.Pattern[str]
    decision: re.Pattern[str]
    remaining: re.Pattern[str]
    achieved: re.Pattern[str]
    intent: re.Pattern[str]
    courtesy: re.Pattern[str]
    offered: re.Pattern[str]
    injected: re.Pattern[str]
    observed: re.Pattern[str]
    no_rule: re.Pattern[str]
    error: re.Pattern[str]
    error_words: re.Pattern[str]
    corrects: re.Pattern[str]
    handoff: re.Pattern[str]
    harmless: re.Pattern[str]
    rejected: re.Pattern[str]
    passed: re.Pattern[str]
    gone: re.Pattern[str]
    moved: re.Pattern[str]
    manner: re.Pattern[str]
    device: re.Pattern[str]
    passing: re.Pattern[str]
    looking: re.Pattern[str]
    acting: frozenset[str]
    dull_units: frozenset[str]
    known_codes: frozenset[str]
    units: frozenset[str]
    file_name: re.Pattern[str]
    error_stems: tuple[str, ...]
    months: tuple[tuple[str, ...], ...]
    command_keys: tuple[str, ...]
    path_keys: tuple[str, ...]
    search_keys: tuple[str, ...]
    subject_keys: tuple[str, ...]
    effects: Mapping[str, frozenset[str]]


@cache
def lexicon() -> Lexicon:
    """The table, compiled."""
    table: dict[str, Any] = load_table("core/compress/facts/lexicon.yaml")
    extensions = "|".join(sorted(map(re.escape, table["extensions"]), key=len, reverse=True))
    made: dict[str, Any] = {
        "file_name": re.compile(rf"(?<![\w@+%~$.-])[\w@+%~$.-]*[\w@+%~$-]\.(?:{extensions})"),
        "effects": {effect: frozenset(words) for effect, words in table["effects"].items()},
    }
    rest = {one.name: str(one.type) for one in fields(Lexicon) if one.name not in made}
    return Lexicon(**made, **{name: _as(kind, name, table[name]) for name, kind in rest.items()})


def _as(kind: str, name: str, entries: list[str]) -> Any:
    if kind == "re.Pattern[str]":
        flags = re.IGNORECASE if name in _ANY_CASE else re.MULTILINE if name in _BY_LINE else 0
        return re.compile("|".join(f"(?:{pattern})" for pattern in entries), flags)
    return frozenset(entries) if kind == "frozenset[str]" else tuple(entries)
