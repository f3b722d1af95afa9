"""Which turns of a trajectory a summary replaces."""

from __future__ import annotations

from collections.abc import Sequence

from core.hermes.policy.output_rules import TrajectoryRules
from core.model.compaction.plan import Span
from core.trajectory.compress.settings import Settings

_TOOL = "tool"


def protected_turns(roles: Sequence[str], settings: Settings) -> frozenset[int]:
    """Positions of the first turn of every protected role and of the last turns."""
    heads = {roles.index(role) for role in settings.protected_roles if role in roles}
    return frozenset(heads | set(range(max(0, len(roles) - settings.protect_last), len(roles))))


def find_region(
    roles: Sequence[str], tokens: Sequence[int], settings: Settings, rules: TrajectoryRules
) -> Span | None:
    """The turns to summarise so that the trajectory fits its target.

    Turns are taken from the front of the middle until what they hold covers the excess and the summary that
    replaces them. What cannot be covered takes the whole middle: the trajectory then stays over its target.

    Args:
        roles: ShareGPT role of each turn.
        tokens: Tokens of each turn.
        settings: Target, summary and protection.
        rules: Of the release.

    Returns:
        None when the trajectory fits already or nothing between its protected turns can be taken.
    """
    excess = sum(tokens) - settings.target
    if excess <= 0:
        return None
    start, end = _middle(protected_turns(roles, settings), len(roles))
    if rules.snaps:
        start = snap(roles, start, start, end)
    if start >= end:
        return None
    until = _covering(tokens, start, end, excess + settings.summary_target)
    if rules.snaps:
        until = snap(roles, until, start, end)
    if until <= start:
        return None
    if rules.least_region and sum(tokens[start:until]) <= settings.summary_target:
        return None
    return Span(start, until)


def snap(roles: Sequence[str], index: int, least: int, most: int) -> int:
    """A boundary moved off a tool turn, forward if that leads anywhere, else backward.

    A tool turn stands behind the turn that called it; a boundary on it would part the two.
    """

    def parts(at: int) -> bool:
        return at < len(roles) and roles[at] == _TOOL

    ahead = index
    while ahead < most and parts(ahead):
        ahead += 1
    if not parts(ahead):
        return ahead
    while index > least and parts(index):
        index -= 1
    return index


def _middle(protected: frozenset[int], count: int) -> tuple[int, int]:
    """Where the middle begins and ends: protected turns of the first half are head, the others tail."""
    half = count // 2
    start = max((index + 1 for index in protected if index < half), default=0)
    end = min((index for index in protected if index >= half), default=count)
    return start, end


def _covering(tokens: Sequence[int], start: int, end: int, wanted: int) -> int:
    held = 0
    for index in range(start, end):
        held += tokens[index]
        if held >= wanted:
            return index + 1
    return end
