"""Where a compaction would cut, the settings it is cut by, and the arithmetic behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything besides the messages and the release that decides where compression cuts.

    Change one number with `dataclasses.replace`; planning again costs milliseconds.

    Attributes:
        window: The model's context length in tokens; None when nobody knows it.
        threshold: Configured share of the window at which compression fires.
        target_ratio: Tail budget as a share of the threshold.
        protect_first: Messages of the head (a system message is protected besides).
        protect_last: Messages the prune phase leaves alone at the end.
        max_output: Output reservation (`model.max_tokens`), None for none.
        warm: The compressor object has already compacted in this process.
        current_tokens: The real prompt size, when known; the trigger compares this instead of an estimate.
        expected_tokens: The estimated size of the whole request, with system prompt and tools; compared
            where no real size is known.
        model: Model slug, for per-model threshold rules.
        provider: Provider name, for the same rules.
        api_mode: Wire format of the route (`chat_completions`, `anthropic_messages`, ...); "" when unknown.
            From 0.22 it decides whether old thinking is weighed.
        host: Host of the route, for the same rule.
        aux_window: Context length of the summary model, when it is smaller than the main one it lowers the
            threshold.
        threshold_cap: `compression.threshold_tokens` (0.22).
        tail_mode: `lean` or `legacy` (0.22); None for the release's default.
        min_tail_user_messages: `compression.min_tail_user_messages` (0.22).
        minimum_window: `agent.minimum_tool_context_length` (0.22).
        model_thresholds: `compression.model_thresholds` (0.22).
        codex_autoraise: `compression.codex_gpt55_autoraise`.
    """

    window: int | None = None
    threshold: float = 0.50
    target_ratio: float = 0.20
    protect_first: int = 3
    protect_last: int = 20
    max_output: int | None = None
    warm: bool = False
    current_tokens: int | None = None
    expected_tokens: int | None = None
    enabled: bool = True
    model: str = ""
    provider: str = ""
    api_mode: str = ""
    host: str = ""
    aux_window: int | None = None
    threshold_cap: int | None = None
    tail_mode: str | None = None
    min_tail_user_messages: int = 1
    minimum_window: int | None = None
    model_thresholds: Mapping[str, float] = field(default_factory=dict)
    codex_autoraise: bool = True


@dataclass(frozen=True, slots=True)
class Gate:
    """The state of the blocks that can refuse an automatic compaction, at one moment.

    Attributes:
        now: The moment asked about; None leaves time-based blocks undecided.
    """

    now: datetime | None = None
    cooldown_until: datetime | None = None
    fallback_streak: int | None = None
    ineffective_count: int | None = None
    recovery_deadline: datetime | None = None
    lock_holder: str | None = None


class Span(NamedTuple):
    """A half-open index range `[start, end)`."""

    start: int
    end: int

    @property
    def size(self) -> int:
        """How many messages lie in it."""
        return self.end - self.start


class Part(StrEnum):
    """What a stretch of the window holds, from its beginning to its end."""

    OUTSIDE = "outside"
    """Tokens of the request no message accounts for: system prompt and tool schemas."""
    HEAD = "head"
    MIDDLE = "middle"
    TAIL = "tail"
    ROOM = "room"
    """Free below the threshold."""
    MARGIN = "margin"
    """Free between the threshold and the end of the window."""


def part_at(head: Span, middle: Span, index: int) -> Part:
    """Where a cut puts the message at an index."""
    if index < head.end:
        return Part.HEAD
    return Part.MIDDLE if middle.start <= index < middle.end else Part.TAIL


@dataclass(frozen=True, slots=True)
class Plan:
    """What one release would do to one list of messages under one set of settings.

    Token counts are the release's own estimates unless a field says otherwise.

    Attributes:
        release: `0.13` ... `0.22`.
        group: `A` ... `E`: releases that cut alike.
        threshold_percent: The share in force, after floors and raises; None without a window.
        tail_budget: Tokens the tail may hold before the walk stops.
        soft_ceiling: How far the walk may overshoot it.
        summary_cap: Most tokens a summary may be asked for.
        summary_budget: What this summary would be asked for; None when there is nothing to summarise.
        estimated_tokens: The release's estimate of the messages given.
        pruned: Tool results shortened before the cut is made.
        head, middle, tail: The partition; `middle` is empty when nothing can be compressed.
        would_fire: The number compared reaches the threshold and nothing blocks.
        compared_tokens: The number the trigger compares: the real size, else the expected one, else that
            of the messages alone.
        blocked_by: Why it would not run, in words; empty when nothing stands in the way.
        arithmetic: The sums behind the numbers, one step a line.
        weights: Budget weight of each message after pruning, as the tail walk counts it.
        estimates: Estimate of each message before pruning, for drawing; sums to about `estimated_tokens`.
        pruned_at: Indexes of the messages pruning would shorten.
        too_short: The list has too few messages for anything to be tried, pruning included.
        spent: The middle holds only earlier summaries, of which the release makes no new one.
        lean: The tail is held small, as 0.22 can: large old results of it are shortened too.
        kept_from: First message that stays as it is because the boundary was moved there by hand.
        engine: The engine that decides in place of Hermes' own compressor; "" for that one.
        fails_at: The first message at which the release ends with an error, whoever asks for it.
    """

    release: str
    group: str
    settings: Settings
    threshold_percent: float | None
    threshold_tokens: int | None
    tail_budget: int | None
    soft_ceiling: int | None
    summary_cap: int | None
    summary_budget: int | None
    estimated_tokens: int
    messages: int
    pruned: int
    head: Span
    middle: Span
    tail: Span
    would_fire: bool
    compared_tokens: int
    blocked_by: tuple[str, ...] = ()
    arithmetic: tuple[str, ...] = ()
    weights: Sequence[int] = ()
    estimates: Sequence[int] = ()
    pruned_at: tuple[int, ...] = ()
    too_short: bool = False
    spent: bool = False
    lean: bool = False
    kept_from: int | None = None
    engine: str = ""
    fails_at: int | None = None

    @property
    def window(self) -> int | None:
        """The window the plan was made for."""
        return self.settings.window

    @property
    def summarises(self) -> bool:
        """There is a middle, and something in it that no summary holds yet."""
        return self.middle.size > 0 and not self.spent

    @property
    def is_estimate(self) -> bool:
        """Nobody counted the prompt: `compared_tokens` is estimated."""
        return self.settings.current_tokens is None

    def part(self, index: int) -> Part:
        """Where the cut puts a message."""
        return part_at(self.head, self.middle, index)
