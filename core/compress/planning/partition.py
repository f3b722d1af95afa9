"""The partition into head, middle and tail: the cut by budget, then the rows the tail must keep."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.compress.planning.row_facts import Columns
from core.compress.sizing.threshold import Budgets
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Settings


class Walk(NamedTuple):
    """The position at which a walk stopped, and the tokens it had added up."""

    cut: int
    total: int


def walk_back(
    weights: Sequence[int], start: int, limit: int, least: int, *, include_last: bool = False
) -> Walk:
    """Add weights from the end until one more would exceed the limit, but of at least `least` messages.

    Returns the first position taken (the length when none is), and the tokens added before the walk stopped;
    `include_last` also takes the message that exceeds the limit.
    """
    count = len(weights)
    total, cut = 0, count
    for i in range(count - 1, start - 1, -1):
        weight = weights[i]
        if total + weight > limit and count - i >= least:
            return Walk(i if include_last else cut, total)
        total += weight
        cut = i
    return Walk(cut, total)


def past_results(rows: Columns, position: int) -> int:
    """The first position from here on that holds no tool result."""
    while position < len(rows) and rows.roles[position] == "tool":
        position += 1
    return position


def group_start(rows: Columns, position: int) -> int:
    """The start of the tool group that ends just before a position; without one the position itself."""
    if position <= 0 or position >= len(rows):
        return position
    before = position - 1
    while before >= 0 and rows.roles[before] == "tool":
        before -= 1
    calling = before >= 0 and rows.roles[before] == "assistant" and rows.calls[before]
    return before if calling else position


@dataclass(frozen=True, slots=True)
class Cut:
    """The middle `[start, end)`, if it is not empty; a list of at most `least` messages is left alone."""

    start: int
    end: int
    least: int


@dataclass(frozen=True, slots=True)
class Rows:
    """The pruned conversation without its texts: weights as a tail walk uses them, and with all thinking."""

    columns: Columns
    weights: Sequence[int]
    full: Sequence[int]


def cut(rows: Rows, settings: Settings, limits: Budgets, policy: Policy) -> Cut:
    """Find the middle of a conversation."""
    head = head_size(rows, settings, policy)
    start = past_results(rows.columns, head)
    end = _Tail(rows, start, settings, limits, policy).cut()
    if policy.tail.joins_group_before_user:
        end = _with_group_before_user(rows.columns, start, end)
    return Cut(start, end, head + policy.head.spare)


def head_size(rows: Rows, settings: Settings, policy: Policy) -> int:
    """How many messages are protected at the start: a system message, and the first few till a compaction."""
    system = int(rows.columns.has_system)
    if policy.head.budget:
        return _head_by_budget(rows.full, policy.head.budget)
    if policy.head.fixed:
        return policy.head.fixed
    first = max(0, settings.protect_first)
    if policy.head.only_system_when_warm and settings.warm:
        return system
    if policy.head.handoff_probe and first:
        probed = range(system, min(len(rows.columns), system + first + policy.head.handoff_probe))
        if any(i in probed for i in rows.columns.summaries):
            return system
    return system + first


def _head_by_budget(weights: Sequence[int], budget: int) -> int:
    total = 0
    for i, weight in enumerate(weights):
        total += weight
        if total > budget:
            return i
    return len(weights)


def _with_group_before_user(rows: Columns, start: int, end: int) -> int:
    """Keep an answer or a whole tool group between the summary and the newest request."""
    if not rows.requests or end != rows.requests[-1] or end == 0:
        return end
    before = end - 1
    if rows.roles[before] == "tool":
        before = group_start(rows, end)
    elif rows.roles[before] != "assistant":
        return end
    return before if before > start else end


class _Tail:
    """Computes one tail cut in the releases' order of steps; each starts from the result of the last."""

    def __init__(self, rows: Rows, head: int, settings: Settings, limits: Budgets, policy: Policy) -> None:
        self._rows = rows
        self._columns = rows.columns
        self._count = len(rows.columns)
        self._head = head
        self._settings = settings
        self._limits = limits
        self._rules = policy.tail
        self._overhead = policy.weight.overhead

    def cut(self) -> int:
        """The position of the tail's first message."""
        cut = self._by_budget()
        if self._rules.keeps_fitting and cut <= self._head:
            return self._head
        cut = group_start(self._columns, cut)
        if self._rules.anchors:
            cut = self._anchored(cut)
        cut = max(cut, self._head + 1)
        if self._rules.forward_align:
            cut = past_results(self._columns, cut)
        return min(cut, self._count)

    def _by_budget(self) -> int:
        least = self._least()
        walked = self._walked_least(least)
        weights, soft = self._rows.weights, self._limits.soft
        cut, total = walk_back(weights, self._head, soft, walked)
        if self._rules.walks_again and cut <= self._head and 0 < total <= soft:
            cut = walk_back(weights, self._head, self._limits.tail, least, include_last=True).cut
        kept = max(walked, 1) if self._rules.may_ignore_floor else least
        cut = min(cut, self._count - kept)
        if cut <= self._head and not self._rules.keeps_fitting:
            cut = max(self._count - least, self._head + 1)
        return cut

    def _least(self) -> int:
        """How many messages the tail holds whatever they weigh."""
        rules = self._rules
        after = max(0, self._count - self._head - 1)
        if after <= 1 and (rules.floor or after == 0):
            return 0
        if not rules.floor:
            return min(rules.least, after)
        floor = max(rules.least, min(self._settings.protect_last, rules.floor))
        return min(floor, max(rules.least, after - 2), after)

    def _walked_least(self, least: int) -> int:
        if not self._rules.may_ignore_floor:
            return least
        return 0 if self._limits.soft >= least * self._overhead else least

    def _anchored(self, cut: int) -> int:
        anchored = self._with_request(cut)
        split = anchored < cut and self._rules.splits_turns and self._may_split(cut, anchored)
        if not split:
            cut = self._with_answer(anchored) if self._rules.answer_anchor else anchored
        if self._rules.several_users and self._settings.min_tail_user_messages > 1:
            cut = self._with_requests(cut, self._settings.min_tail_user_messages)
        return cut

    def _with_request(self, cut: int) -> int:
        """Keep the newest user message; if it would open the middle, its answer goes there with it."""
        newest = self._newest(self._columns.requests)
        if newest < 0 or newest >= cut:
            return cut
        moved = max(newest, self._head + 1)
        if self._rules.keeps_pairs and moved > newest:
            return max(self._pair_end(newest), self._head + 1)
        return moved

    def _may_split(self, cut: int, anchored: int) -> bool:
        """Whether a running turn may be cut: whole it exceeds the budget, and its request is short text."""
        newest = self._newest(self._columns.requests)
        soft = self._limits.soft
        if newest not in self._columns.text_only or self._rows.full[newest] > soft:
            return False
        if True not in self._columns.calls[newest:cut]:
            return False
        return walk_back(self._rows.weights, anchored, soft, 0).cut > anchored

    def _with_answer(self, cut: int) -> int:
        """Keep the newest readable answer, unless that brings in more tool calls than fit."""
        newest = self._newest(self._columns.answers)
        if newest < 0:
            newest = self._newest(self._columns.assistants)
        if newest < 0 or newest >= cut:
            return cut
        moved = max(group_start(self._columns, newest), self._head + 1)
        if self._rules.bounds_answer and moved < cut and True in self._columns.calls[moved:cut]:
            return cut if sum(self._rows.weights[moved:cut]) > self._limits.soft else moved
        return moved

    def _with_requests(self, cut: int, count: int) -> int:
        requests = self._columns.requests
        after = requests[bisect_left(requests, self._head) :]
        if not after:
            return cut
        oldest = after[-min(count, len(after))]
        return cut if oldest >= cut else max(oldest, self._head + 1)

    def _newest(self, positions: Sequence[int]) -> int:
        """The last of some positions; -1 when it is in the head."""
        return positions[-1] if positions and positions[-1] >= self._head else -1

    def _pair_end(self, request: int) -> int:
        """The position after a user message, its answer, and that answer's tool results."""
        after = request + 1
        if after >= self._count or self._columns.roles[after] != "assistant":
            return after
        return past_results(self._columns, after + 1)
