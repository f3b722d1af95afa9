"""The words and patterns by which facts are recognised, read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.support.yaml_tables import load_table


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
    return Lexicon(
        constraint=_any(table["constraint"], re.IGNORECASE),
        decision=_any(table["decision"], re.IGNORECASE),
        remaining=_any(table["remaining"], re.IGNORECASE),
        achieved=_any(table["achieved"], re.IGNORECASE),
        intent=_any(table["intent"], re.IGNORECASE),
        courtesy=re.compile(rf"\b{table['courtesy']}\b|###\w+###", re.IGNORECASE),
        offered=_any(table["offered"], re.IGNORECASE),
        injected=_any(table["injected"]),
        observed=_any(table["observed"]),
        no_rule=_any(table["no_rule"]),
        error=_any(table["error"]),
        error_words=_any(table["error_words"]),
        handoff=_any(table["handoff"]),
        harmless=_any(table["harmless"]),
        rejected=_any(table["rejected"]),
        passed=_any(table["passed"], re.IGNORECASE),
        gone=_any(table["gone"], re.MULTILINE),
        moved=_any(table["moved"], re.MULTILINE),
        manner=_any(table["manner"]),
        device=_any(table["device"]),
        passing=_any(table["passing"]),
        looking=_any(table["looking"]),
        acting=frozenset(table["acting"]),
        dull_units=frozenset(table["dull_units"]),
        known_codes=frozenset(table["known_codes"]),
        units=frozenset(table["units"]),
        file_name=re.compile(rf"[\w@+%~$.-]*[\w@+%~$-]\.(?:{extensions})"),
        error_stems=tuple(table["error_stems"]),
        command_keys=tuple(table["command_keys"]),
        path_keys=tuple(table["path_keys"]),
        search_keys=tuple(table["search_keys"]),
        subject_keys=tuple(table["subject_keys"]),
        effects={effect: frozenset(words) for effect, words in table["effects"].items()},
    )


def _any(patterns: list[str], flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)
