"""What a release does when no summary can be had: leave the list alone, or go on with one made by rule."""

from __future__ import annotations

from dataclasses import dataclass

from core.compress.summarise.base import FailureKind
from core.hermes.policy.output_rules import FailureRules

_OTHER = "other"
_LADDER = frozenset({FailureKind.TIMEOUT, FailureKind.RATE_LIMIT})


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows from a failed summary.

    Attributes:
        aborts: The list stays as it is; otherwise the middle goes and the fallback takes its place.
        cooldown: Seconds during which no other summary is tried.
    """

    aborts: bool
    cooldown: int


def consequence(
    kind: FailureKind, rules: FailureRules, *, in_a_row: int = 1, abort_configured: bool = False
) -> Consequence:
    """Decide by the release's rules."""
    configured = abort_configured and rules.abort_configurable
    return Consequence(configured or _aborts(kind, rules, in_a_row), _cooldown(kind, rules, in_a_row))


def is_accepted(kind: FailureKind, rules: FailureRules) -> bool:
    """Whether a release takes this answer for a summary all the same: until 0.17 an empty one."""
    return kind is FailureKind.EMPTY and not rules.empty_is_failure


def _aborts(kind: FailureKind, rules: FailureRules, in_a_row: int) -> bool:
    if kind.value not in rules.aborts:
        return False
    return kind is not FailureKind.OVERLOADED or in_a_row <= rules.overload_aborts


def _cooldown(kind: FailureKind, rules: FailureRules, in_a_row: int) -> int:
    escalates = kind in _LADDER or (kind is FailureKind.TRUNCATED and kind.value in rules.aborts)
    if escalates:
        return rules.ladder[min(in_a_row, len(rules.ladder)) - 1]
    seconds = dict(rules.cooldowns)
    return seconds.get(kind.value, seconds[_OTHER])
