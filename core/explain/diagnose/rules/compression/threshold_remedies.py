"""What would move the threshold of a conversation: a setting, or another model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.compress.sizing.threshold import budgets
from core.explain.compactions.turn_attempts import BY_REFUSAL
from core.explain.diagnose.case import Case
from core.model.compaction.event import CompressionEvent

_LEAST, _MOST = 0.01, 0.99


def to_fire_earlier(case: Case) -> str:
    """What would lower the threshold."""
    if case.policy.threshold.absolute_cap:
        return "Set compression.threshold_tokens in config.yaml"
    if case.limits is not None and not moves(case, _LEAST):
        return f"Set a lower model.context_length in config.yaml ({case.limits.percent:.0%} is the least)"
    return "Set a lower compression.threshold in config.yaml"


def to_fire_later(case: Case) -> str:
    """What would raise the threshold."""
    settings = case.context.settings(None, case.tip, case.window)
    if case.threshold is not None and case.threshold == settings.threshold_cap:
        return "Raise compression.threshold_tokens in config.yaml"
    if case.threshold is not None and case.threshold == settings.aux_window:
        return "Set auxiliary.compression.model to one with a longer window"
    if case.limits is not None and not moves(case, _MOST):
        return "Take a model with a longer window, as no compression.threshold is higher here"
    return "Raise compression.threshold in config.yaml"


def to_fire_less(case: Case, events: Iterable[CompressionEvent]) -> str:
    """What would have spared some compactions."""
    if any(event.trigger in BY_REFUSAL for event in events):
        return "The provider refused what was sent: set model.context_length to what it serves"
    return to_fire_later(case)


def moves(case: Case, share: float = _MOST) -> bool:
    """Another compression.threshold would be another threshold, whatever floors and caps there are."""
    if case.window is None:
        return False
    settings = replace(case.context.settings(None, case.tip, case.window), threshold=share)
    return budgets(settings, case.policy, case.window).threshold != case.threshold
