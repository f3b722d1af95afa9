"""One trajectory: counted, cut, and what is known of it before and after its summary is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.hermes.policy.output_rules import TrajectoryRules
from core.model.compaction.plan import Span
from core.trajectory.compress.metrics import TrajectoryMetrics
from core.trajectory.compress.region import find_region
from core.trajectory.compress.settings import Settings
from core.trajectory.entries.forms import Turn

Count = Callable[[str], int]
"""Tokens of a text."""

SYSTEM = "system"
_PROMPTS = 64
"""System turns remembered, with and without the notice."""


class Counter:
    """Counts turns, and those of the system, which the trajectories of a set share, once for all of them.

    Args:
        count: The tokenizer.
    """

    def __init__(self, count: Count) -> None:
        self.text = count
        self._shared = lru_cache(maxsize=_PROMPTS)(count)

    def turn(self, turn: Turn, added: str = "") -> int:
        """Tokens of a turn with something added to its text."""
        text = turn.text + added
        return 0 if not text else self._shared(text) if turn.role == SYSTEM else self.text(text)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done with a trajectory.

    Attributes:
        tokens: Of each turn.
        region: What a summary replaces; None leaves the trajectory as it is.
    """

    tokens: Sequence[int]
    region: Span | None
    target: int

    @property
    def total(self) -> int:
        """Tokens of the whole trajectory."""
        return sum(self.tokens)

    def unchanged(self) -> TrajectoryMetrics:
        """Metrics of a trajectory that is left as it is."""
        total, turns = self.total, len(self.tokens)
        over = total > self.target
        return TrajectoryMetrics(
            total, total, turns, turns, still_over_limit=over, skipped_under_target=not over
        )


def plan_turns(turns: Sequence[Turn], settings: Settings, rules: TrajectoryRules, counter: Counter) -> Plan:
    """Count the turns of a trajectory and choose what a summary replaces.

    Args:
        turns: All of them; none at all fit any target.
        settings: Target and protection.
        rules: Of the release.
        counter: Of tokens.
    """
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
    """Metrics of a trajectory whose region a summary replaced.

    Only what changed is counted again: the summary, and the system turns the notice was added to.

    Args:
        plan: With a region.
        turns: As they were.
        notice: What the system turns of the head gained.
        counter: Of tokens.
        summary_tokens: Tokens of the summary turn.
        calls: Requests that were sent for it.
        errors: Those of them that failed.
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
