"""The numbers a user sets: from config.yaml, the command line, or the what-if bar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


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
