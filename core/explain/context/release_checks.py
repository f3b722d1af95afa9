"""Which checks a release makes, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.support.yaml_tables import load_table


@dataclass(frozen=True, slots=True)
class CheckRules:
    """When one release looks at the size of a conversation.

    Attributes:
        preflight_guarded: Strikes stop the check at the start of a turn.
        pre_api: There is a check before each model call.
        anchored: Stored usage plus what came since is compared, where it still fits the transcript.
        huge_counts: Few but huge messages pass the count gate.
        tool_schemas: Tools are counted by name, description and parameters, not by their repr.
        live_turn: Rows of the running turn are counted without their timestamps.
    """

    preflight_guarded: bool
    pre_api: bool
    anchored: bool
    huge_counts: bool
    tool_schemas: bool
    live_turn: bool


@cache
def check_rules(release: str) -> CheckRules:
    """The checks of a release, by the name of its policy."""
    values: dict[str, Any] = {}
    for first, changes in _table()["releases"].items():
        if _order(first) <= _order(release):
            values |= changes
    return CheckRules(**values)


def is_local(source: str | None) -> bool:
    """Whether a session of this source runs without the gateway; unknown sources count as local."""
    return source is None or source in _table()["local_sources"]


def tolerance(*, tools_known: bool) -> float:
    """How far a recomputed number may fall short of a threshold and still explain it."""
    return float(_table()["tolerance"]["tools_known" if tools_known else "tools_unknown"])


def _order(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_table("core/explain/context/checks.yaml")
    return table
