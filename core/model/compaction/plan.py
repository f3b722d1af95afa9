"""Where a compaction would cut, the settings that decide it, and the arithmetic behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides where compression cuts, besides the messages and the release.

    Change a number with `dataclasses.replace`; planning again takes milliseconds.

    Attributes:
        window: The model's context length in tokens; None when unknown.
        threshold: Configured share of the window at which compression fires.
        target_ratio: Tail budget as a share of the threshold.
        protect_first: Messages of the head, in addition to a system message.
        protect_last: Messages at the end that pruning leaves alone.
        max_output: Tokens reserved for output (`model.max_tokens`); None for none.
        warm: The compressor object has already compacted in this process.
        current_tokens: The counted prompt size, if known; the trigger compares this instead of an estimate.
        expected_tokens: The estimated size of the whole request, with system prompt and tools; compared
            where no counted size is known, and before a call by releases that keep no count.
        model: Model slug, for per-model threshold rules.
        provider: Provider name, for the same rules.
        api_mode: Wire format of the route (`chat_completions`, `anthropic_messages`, ...); "" when unknown.
            From 0.22 on it decides whether old thinking is weighed.
        host: Host of the route, for the same rule.
        aux_window: Context length of the summary model; if smaller than the threshold, it lowers that.
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

    def counted_only(self, threshold: int | None) -> bool:
        """Whether the provider's count has reached a threshold, but not what Hermes estimates itself."""
        known = None not in (threshold, self.current_tokens, self.expected_tokens)
        return known and (self.expected_tokens or 0) < (threshold or 0) <= (self.current_tokens or 0)


@dataclass(frozen=True, slots=True)
class Gate:
    """The state of everything that can refuse an automatic compaction, at one moment.

    Attributes:
        now: That moment; None leaves time-based blocks undecided.
        lock_holder: What the process that compresses the session calls itself, its number first.
    """

    now: datetime | None = None
    cooldown_until: datetime | None = None
    fallback_streak: int | None = None
    ineffective_count: int | None = None
    recovery_deadline: datetime | None = None
    lock_holder: str | None = None

    def is_ahead(self, at: datetime | None) -> bool:
        """Whether a moment is still to come; False where either is unknown."""
        return at is not None and self.now is not None and at > self.now

    @property
    def locked_by(self) -> str | None:
        """The process that holds the compression lock, such as `pid=7`."""
        return None if self.lock_holder is None else self.lock_holder.partition(":")[0]


class Span(NamedTuple):
    """A half-open index range `[start, end)`."""

    start: int
    end: int

    @property
    def size(self) -> int:
        """How many messages it contains."""
        return self.end - self.start


class Part(StrEnum):
    """The parts of a window, from its beginning to its end."""

    OUTSIDE = "outside"
    """Tokens of the request outside its messages: system prompt and tool schemas."""
    HEAD = "head"
    MIDDLE = "middle"
    TAIL = "tail"
    ROOM = "room"
    """Free below the threshold."""
    MARGIN = "margin"
    """Free between the threshold and the end of the window."""


def part_at(head: Span, middle: Span, index: int) -> Part:
    """The part into which a cut puts the message at an index."""
    if index < head.end:
        return Part.HEAD
    return Part.MIDDLE if middle.start <= index < middle.end else Part.TAIL


@dataclass(frozen=True, slots=True)
class Plan:
    """What one release would do to a list of messages under some settings.

    Token counts are the release's own estimates unless a field says otherwise.

    Attributes:
        release: `0.13` ... `0.22`.
        group: `A` ... `E`: releases that cut alike.
        threshold_percent: The share in force, after floors and raises; None without a window.
        tail_budget: Tokens the tail may hold before the walk stops.
        soft_ceiling: Tokens up to which the walk may exceed it.
        summary_cap: The most tokens a summary may be asked for.
        summary_budget: The tokens this summary would be asked for; None when there is nothing to summarise.
        estimated_tokens: The release's estimate of the messages given.
        pruned: Tool results shortened before the cut.
        head, middle, tail: The partition; `middle` is empty when nothing can be compressed.
        would_fire: The compared number reaches the threshold and nothing blocks.
        compared_tokens: The number the trigger compares: the counted size, else the expected one, else that
            of the messages alone.
        blocked_by: Why it would not run, in words; empty when nothing prevents it.
        arithmetic: The calculation of the numbers, one step a line.
        weights: Budget weight of each message after pruning, as the tail walk counts it.
        estimates: Estimate of each message before pruning, for drawing; sums to about `estimated_tokens`.
        pruned_at: Indices of the messages that pruning would shorten.
        pruned_again: Those of them whose stub it would shorten once more.
        too_short: The list has too few messages for any attempt, including pruning.
        spent: The middle holds only earlier summaries, which the release does not summarise again.
        lean: The tail is kept small, as 0.22 can: its large old results are shortened too.
        kept_from: First message kept unchanged because the user moved the boundary there.
        engine: The engine that decides instead of Hermes' own compressor; "" for that one.
        fails_at: The first message at which the release fails with an error, whatever triggered it.
    """

    release: str
    group: str
    settings: Settings
    estimated_tokens: int
    messages: int
    head: Span
    middle: Span
    tail: Span
    compared_tokens: int
    threshold_percent: float | None = None
    threshold_tokens: int | None = None
    tail_budget: int | None = None
    soft_ceiling: int | None = None
    summary_cap: int | None = None
    summary_budget: int | None = None
    pruned: int = 0
    would_fire: bool = False
    blocked_by: tuple[str, ...] = ()
    arithmetic: tuple[str, ...] = ()
    weights: Sequence[int] = ()
    estimates: Sequence[int] = ()
    pruned_at: tuple[int, ...] = ()
    pruned_again: tuple[int, ...] = ()
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
        """Whether there is a middle, with something in it that no summary holds yet."""
        return self.middle.size > 0 and not self.spent

    @property
    def middle_tokens(self) -> int:
        """The size of the messages between head and tail."""
        return sum(self.estimates[self.middle.start : self.middle.end])

    @property
    def may_shorten(self) -> bool:
        """Whether the summary is asked to be shorter than what it replaces; else its budget is only a cap."""
        return self.summary_budget is not None and self.summary_budget < self.middle_tokens

    @property
    def is_estimate(self) -> bool:
        """Whether `compared_tokens` is estimated, as no provider counted the prompt."""
        return self.settings.current_tokens is None

    def part(self, index: int) -> Part:
        """The part into which the cut puts a message."""
        return part_at(self.head, self.middle, index)
