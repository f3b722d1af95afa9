"""The words by which claims of a summary are known, and what bears them out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from core.compress.facts.topic import roots
from core.support.yaml_tables import load_table


@dataclass(frozen=True, slots=True)
class ClaimedAct:
    """One thing a summary can claim to have happened.

    Attributes:
        says: Finds the claim.
        did: Finds what bears it out, in text in lower case.
        file: The same of a file.
        whole: It is done to the work as a whole, whatever else the claim names.
    """

    says: re.Pattern[str]
    did: str
    file: str
    whole: bool


@dataclass(frozen=True, slots=True)
class CheckKind:
    """A kind of check: how a summary names it, and what it is run by."""

    says: re.Pattern[str]
    ran: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """Compiled forms of `claims.yaml`."""

    acts: Mapping[str, ClaimedAct]
    checks: re.Pattern[str]
    ran: re.Pattern[str]
    told: re.Pattern[str]
    unreal: re.Pattern[str]
    proposed: re.Pattern[str]
    rule: re.Pattern[str]
    by_people: re.Pattern[str]
    states_rule: re.Pattern[str]
    kinds: tuple[CheckKind, ...]
    thorough: re.Pattern[str]
    denied: re.Pattern[str]
    untouched: re.Pattern[str]
    reported: re.Pattern[str]


@cache
def claim_words() -> ClaimWords:
    """The table, compiled."""
    table: dict[str, Any] = load_table("core/compress/retention/claims.yaml")
    acts = {
        name: ClaimedAct(
            re.compile(rf"\b(?:{entry['says']})\b", re.IGNORECASE),
            entry["did"],
            entry.get("file", entry["did"]),
            entry.get("whole", False),
        )
        for name, entry in table["acts"].items()
    }
    checks = table["checks"]
    return ClaimWords(
        acts,
        checks=re.compile(checks["says"], re.IGNORECASE),
        ran=re.compile(checks["ran"]),
        told=re.compile(checks["told"]),
        unreal=_any(table["unreal"]),
        proposed=_any(table["proposed"]),
        rule=_any(table["rule"]),
        by_people=_any(table["by_people"]),
        states_rule=_any(table["states_rule"]),
        kinds=tuple(
            CheckKind(re.compile(kind["says"], re.IGNORECASE), re.compile(kind["ran"]))
            for kind in table["kinds"]
        ),
        thorough=re.compile(table["thorough"], re.IGNORECASE),
        denied=re.compile(table["denied"]),
        untouched=_any(table["untouched"]),
        reported=_any(table["reported"]),
    )


def _any(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


@cache
def reporting() -> frozenset[str]:
    """The roots of words that whoever reports uses of themselves, whatever was said."""
    text = files("core.compress.retention").joinpath("reporting.txt").read_text(encoding="utf-8")
    return frozenset(roots(text))
