"""Which tool results are shortened before a conversation is cut, decided on numbers alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.compress.planning.measure import Measured
from core.compress.planning.partition import walk_back
from core.compress.planning.row_facts import Columns
from core.compress.sizing.threshold import Budgets
from core.compress.sizing.weight import message_weight, weighs_old_thinking
from core.hermes.policy.cut_rules import PruneRules
from core.model.compaction.plan import Settings, Span


@dataclass(frozen=True, slots=True)
class Pruning:
    """What pruning does to a conversation under some settings.

    Attributes:
        shrunk: Positions that take their shortened form.
        again: Those whose stub is shortened once more.
        count: Tool results shortened, as Hermes counts them: with older copies, without call arguments.
        weights: Weight of each message afterwards, as the tail walk uses it.
        full: The same with all thinking.
    """

    shrunk: frozenset[int]
    again: frozenset[int]
    count: int
    weights: list[int]
    full: list[int]


def prune(measured: Measured, settings: Settings, limits: Budgets) -> Pruning:
    """Decide which messages are shortened."""
    rules = measured.policy.prune
    thinking = weighs_old_thinking(measured.policy, settings)
    spared = _spared(measured, limits) if rules.spares_pending else range(0)
    boundary = _boundary(measured, settings, limits, thinking)
    if spared:
        boundary = min(boundary, spared.start)
    shrunk = _prunable_before(measured, boundary)
    if rules.keep_images:
        shrunk |= _old_images(measured, shrunk, rules, spared)
    full = _applied(measured, measured.base_weights.full, shrunk)
    again = dict[int, int]()
    if rules.pressure and limits.tail > 0:
        pressure = _Pressure(measured, full, boundary, limits.soft, spared, shrunk)
        shrunk |= pressure.relieve()
        again = pressure.again
    count = len(measured.duplicates) + _counted(measured, shrunk) + len(again)
    walked = measured.base_weights.walked(thinking=thinking)
    weights = _applied(measured, walked, shrunk, thinking=thinking)
    for i, less in again.items():
        weights[i] -= less
    return Pruning(frozenset(shrunk), frozenset(again), count, weights, full)


def prune_span(measured: Measured, pruning: Pruning, span: Span) -> Pruning:
    """The pruning for a release that prunes only the middle, once that is known."""
    shrunk = frozenset(i for i in measured.shrinkable if span.start <= i < span.end)
    count = _counted(measured, shrunk)
    weights = _applied(measured, pruning.weights, shrunk)
    return Pruning(shrunk, frozenset(), count, weights, _applied(measured, pruning.full, shrunk))


def _counted(measured: Measured, shrunk: Iterable[int]) -> int:
    """How many of the shortened messages are tool results."""
    return sum([measured.columns.roles[i] == "tool" for i in shrunk])


def _boundary(measured: Measured, settings: Settings, limits: Budgets, thinking: bool) -> int:
    """The first protected position: as many as the budget holds, with the one that exceeds it.

    A budget of zero, which a tiny window leaves, is no budget: then only the count protects.
    """
    count = len(measured.messages)
    if measured.policy.prune.middle_only:
        return 0
    if limits.tail <= 0:
        return max(0, count - settings.protect_last)
    protected = min(settings.protect_last, count)
    if measured.policy.prune.count_cap:
        protected = min(protected, measured.policy.prune.count_cap)
    weights = measured.weights.walked(thinking=thinking)
    cut = walk_back(weights, 0, limits.tail, protected, include_last=True).cut
    return max(0, min(cut, count - protected))


def _prunable_before(measured: Measured, boundary: int) -> set[int]:
    positions = measured.shrinkable[: bisect_left(measured.shrinkable, boundary)]
    guarded = _guarded(measured.columns, measured.policy.prune, boundary)
    if not guarded:
        return set(positions)
    bodies = measured.columns.skills.bodies or {}
    return {i for i in positions if bodies.get(i) not in guarded}


def _guarded(rows: Columns, rules: PruneRules, boundary: int) -> set[str]:
    """Skills whose bodies the model still needs."""
    if not rules.skill_window or not rows.skills.sites:
        return set()
    recent = min(max(0, len(rows) - rules.skill_window), max(0, boundary))
    mentions = rows.skills.mentions or {}
    return {
        skill for i, skill in rows.skills.sites if i >= recent or mentions.get(skill, -1) >= max(0, boundary)
    }


def _spared(measured: Measured, limits: Budgets) -> range:
    """The last tool round, if no answer follows it yet and it is small enough to keep."""
    rows = measured.columns
    end = len(rows)
    while end and end - 1 in rows.steers:
        end -= 1
    start = end
    while start and rows.roles[start - 1] == "tool":
        start -= 1
    if start < end and start and rows.calls[start - 1]:
        start -= 1
    weight = sum(measured.weights.full[start:end])
    return range(start, end) if weight <= limits.pending_cap else range(0)


def _old_images(measured: Measured, shrunk: set[int], rules: PruneRules, spared: range) -> set[int]:
    carrying = [i for i in measured.columns.images if i not in shrunk]
    older = carrying[: max(0, len(carrying) - rules.keep_images)]
    return {i for i in older if i not in spared and measured.shrunk_weights[i] >= 0}


def _applied(
    measured: Measured, weights: Sequence[int], shrunk: Iterable[int], *, thinking: bool = True
) -> list[int]:
    """The weights after shortening; an answer whose calls are shortened keeps its thinking."""
    base, applied = measured.base_weights, list(weights)
    walked = base.walked(thinking=thinking)
    for i in shrunk:
        applied[i] = measured.shrunk_weights[i] - (base.full[i] - walked[i])
    return applied


class _Pressure:
    """Shortens results in the protected end while its weight exceeds the limit; updates `weights`.

    Attributes:
        again: By how much the stub of a result weighs less once it is shortened too.
    """

    def __init__(
        self, measured: Measured, weights: list[int], boundary: int, limit: int, spared: range, done: set[int]
    ) -> None:
        self._measured = measured
        self._weights = weights
        self._boundary = boundary
        self._limit = limit
        self._spared = spared
        self._done = done
        self._total = sum(weights[boundary:])
        self._shrunk: set[int] = set()
        self.again: dict[int, int] = {}

    def relieve(self) -> set[int]:
        """Shorten the oldest first, the newest few last, and the newest result only if nothing else helps."""
        count = len(self._weights)
        end = count - min(self._measured.policy.prune.pressure_spares, count)
        if end <= self._boundary or not self._over():
            return set()
        for i in range(self._boundary, end):
            self._shrink(i)
            if not self._over():
                return self._shrunk
        roles = self._measured.columns.roles
        newest = next((i for i in range(count - 1, -1, -1) if roles[i] == "tool"), -1)
        for i in range(self._boundary, count):
            if i != newest:
                self._shrink(i)
        if newest >= self._boundary and self._over():
            self._shrink(newest)
        return self._shrunk

    def _over(self) -> bool:
        return self._total > self._limit

    def _shrink(self, i: int) -> None:
        if i in self._shrunk:
            self._shrink_again(i)
        elif self._measured.shrunk_weights[i] >= 0 and i not in self._done and i not in self._spared:
            self._set(i, self._measured.shrunk_weights[i])
            self._shrunk.add(i)

    def _shrink_again(self, i: int) -> None:
        """A long stub that does not look like one, as that of a failed command, is shortened too."""
        stub = self._measured.shortened(i)
        left = self._measured.shortened(i, again=True)
        if left is not stub:
            weight = message_weight(left.wire, self._measured.policy).total
            self.again[i] = self._weights[i] - weight
            self._set(i, weight)

    def _set(self, i: int, weight: int) -> None:
        self._total -= self._weights[i] - weight
        self._weights[i] = weight
