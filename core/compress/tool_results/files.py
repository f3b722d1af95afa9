"""Where the full text of a replaced tool result lies, and by which name."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from core.hermes.policy.defence_rules import ResultRules

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_ENDS = "._-"
_LONGEST = 120
_DIGITS = 12
_NAMELESS = "tool_result"
_TEMPORARY = "/tmp"
"""A terminal's temporary folder."""
ENVIRONMENTS = ("local", "none")


@dataclass(frozen=True, slots=True)
class Storage:
    """The folder results are saved in; None where none can be saved."""

    folder: str | None


def storage(rules: ResultRules, environment: str, *, home: str) -> Storage:
    """Where a release saves results.

    Args:
        rules: Of the release.
        environment: `local`, or `none` while no terminal has been used in the task: releases that save to a
            terminal's temporary folder then have none, and the rest of the result is lost.
        home: The Hermes home.
    """
    if rules.storage == "home":
        return Storage(f"{home.rstrip('/')}/{rules.folder}")
    if environment == "none":
        return Storage(None)
    return Storage(f"{_TEMPORARY}/{rules.folder}")


def file_name(rules: ResultRules, call: str) -> str:
    """The file of one call; before 0.18 its id as it is, wherever that leads."""
    if not rules.safe_names:
        return f"{call}.txt"
    raw = call or _NAMELESS
    safe = _UNSAFE.sub("_", raw).strip(_ENDS)
    stem = safe or _NAMELESS
    if safe != raw or len(stem) > _LONGEST:
        digest = hashlib.sha256(raw.encode()).hexdigest()[:_DIGITS]
        stem = f"{stem[:_LONGEST].rstrip(_ENDS) or _NAMELESS}_{digest}"
    return f"{stem}.txt"
