"""Plans a trajectory: counts it, finds the region to summarise, and computes metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.hermes.policy.output_rules import TrajectoryRules
from core.hermes.policy.policy import load_policy, newest_release
from core.model.compaction.plan import Span
from core.trajectory.compress.metrics import TrajectoryMetrics
from core.trajectory.entries.forms import Turn

ROLES = ("system", "human", "gpt", "tool")
"""The roles of a ShareGPT turn whose first appearance can be protected."""

NOTICE = "\n\nSome of your previous tool responses may be summarized to preserve context."
"""The text the releases add to a compressed trajectory's system turn; part of their output format."""

MARK = "[CONTEXT SUMMARY]:"
"""The start of the summary turn."""

Count = Callable[[str], int]
"""Counts the tokens of a text."""

SYSTEM = "system"
_PROMPTS = 64
"""System turns cached, with and without the notice."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a trajectory is cut; the defaults are those of every release.

    Attributes:
        release: A name `load_policy` knows.
        target: Tokens a trajectory may have.
        summary_target: Tokens reserved for the summary.
        protected_roles: Roles whose first turn is kept.
        protect_last: Turns kept at the end.
        notice: Text added to the system turns before a summary; "" adds nothing.
        attach_metrics: Whether a compressed entry carries its metrics.
    """

    release: str = ""
    target: int = 15_250
    summary_target: int = 750
    protected_roles: tuple[str, ...] = ROLES
    protect_last: int = 4
    notice: str = NOTICE
    attach_metrics: bool = True

    @property
    def rules(self) -> TrajectoryRules:
        """The rules of the release; of the newest one if none is named."""
        return load_policy(self.release or newest_release()).trajectory


def marked(summary: str) -> str:
    """A summary that begins with its mark exactly once."""
    text = summary.strip()
    return text if text.startswith(MARK) else f"{MARK} {text}".rstrip()


class Counter:
    """Counts turns; system turns, which the trajectories of a set share, are counted once for all."""

    def __init__(self, count: Count) -> None:
        self.text = count
        self._shared = lru_cache(maxsize=_PROMPTS)(count)

    def turn(self, turn: Turn, added: str = "") -> int:
        """Tokens of a turn with text appended to it."""
        text = turn.text + added
        return 0 if not text else self._shared(text) if turn.role == SYSTEM else self.text(text)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with a trajectory.

    Attributes:
        tokens: Tokens of each turn.
        region: The turns that a summary replaces; None leaves the trajectory unchanged.
    """

    tokens: Sequence[int]
    region: Span | None
    target: int

    @property
    def total(self) -> int:
        """Tokens of the whole trajectory."""
        return sum(self.tokens)

    def unchanged(self) -> TrajectoryMetrics:
        """Metrics of a trajectory that is left unchanged."""
        total, turns = self.total, len(self.tokens)
        over = total > self.target
        return TrajectoryMetrics(
            total, total, turns, turns, still_over_limit=over, skipped_under_target=not over
        )


def plan_turns(turns: Sequence[Turn], settings: Settings, rules: TrajectoryRules, counter: Counter) -> Plan:
    """Count the turns of a trajectory and choose those that a summary replaces."""
    tokens = [counter.turn(turn) for turn in turns]
    region = find_region([turn.role for turn in turns], tokens, settings, rules)
    return Plan(tokens, region, settings.target)


def after_summary(
    plan: Plan,
    turns: Sequence[Turn],
    notice: str,
    counter: Counter,
    *,
    summary_tokens: int,
    calls: int = 0,
    errors: int = 0,
) -> TrajectoryMetrics:
    """Metrics of a trajectory whose region was replaced by a summary.

    Only what changed is counted again: the summary, and the system turns that got the notice. `calls` and
    `errors` count the requests sent for the summary and those that failed.
    """
    region = plan.region
    assert region is not None
    tokens = plan.total - sum(plan.tokens[region.start : region.end]) + summary_tokens
    for index, turn in enumerate(turns[: region.start]):
        if notice and turn.role == SYSTEM:
            tokens += counter.turn(turn, notice) - plan.tokens[index]
    return TrajectoryMetrics(
        original_tokens=plan.total,
        compressed_tokens=tokens,
        original_turns=len(turns),
        compressed_turns=len(turns) - region.size + 1,
        region=region,
        still_over_limit=tokens > plan.target,
        summarization_api_calls=calls,
        summarization_errors=errors,
    )


def protected_turns(roles: Sequence[str], settings: Settings) -> frozenset[int]:
    """Indexes of the first turn of every protected role, and of the last turns."""
    heads = {roles.index(role) for role in settings.protected_roles if role in roles}
    return frozenset(heads | set(range(max(0, len(roles) - settings.protect_last), len(roles))))


def find_region(
    roles: Sequence[str], tokens: Sequence[int], settings: Settings, rules: TrajectoryRules
) -> Span | None:
    """The turns to summarise so that the trajectory fits its target; None if it does, or none can be taken.

    Turns are taken from the start of the middle until they cover the excess and the summary replacing them.
    If they cannot, the whole middle is taken, and the trajectory stays over its target.
    """
    excess = sum(tokens) - settings.target
    if excess <= 0:
        return None
    start, end = _middle(protected_turns(roles, settings), len(roles))
    if rules.keeps_tool_turns_together:
        start = snap(roles, start, start, end)
    if start >= end:
        return None
    until = _covering(tokens, start, end, excess + settings.summary_target)
    if rules.keeps_tool_turns_together:
        until = snap(roles, until, start, end)
    if until <= start:
        return None
    if rules.skips_small_region and sum(tokens[start:until]) <= settings.summary_target:
        return None
    return Span(start, until)


def snap(roles: Sequence[str], index: int, start: int, limit: int) -> int:
    """Move a boundary off a tool turn, forward if possible, else backward.

    A tool turn follows the turn that called it; a boundary on it would separate the two.
    """

    def parts(at: int) -> bool:
        return at < len(roles) and roles[at] == "tool"

    ahead = index
    while ahead < limit and parts(ahead):
        ahead += 1
    if not parts(ahead):
        return ahead
    while index > start and parts(index):
        index -= 1
    return index


def _middle(protected: frozenset[int], count: int) -> tuple[int, int]:
    """Start and end of the middle: protected turns in the first half are head, the others tail."""
    half = count // 2
    start = max((index + 1 for index in protected if index < half), default=0)
    end = min((index for index in protected if index >= half), default=count)
    return start, end


def _covering(tokens: Sequence[int], start: int, end: int, needed: int) -> int:
    total = 0
    for index in range(start, end):
        total += tokens[index]
        if total >= needed:
            return index + 1
    return end
