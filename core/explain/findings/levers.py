"""What moves the threshold of a conversation: the setting its release and its window leave to decide it."""

from __future__ import annotations

from core.explain.findings.case import Case


def to_fire_earlier(case: Case) -> str:
    """What would lower the threshold."""
    rules, limits = case.policy.threshold, case.limits
    if rules.absolute_cap:
        return "Set compression.threshold_tokens"
    if (
        limits is not None
        and (case.window or 0) < rules.small_window
        and limits.percent <= rules.small_percent
    ):
        return f"Set a lower model.context_length ({limits.percent:.0%} is the least of a window this short)"
    return "Set a lower compression.threshold"


def to_fire_later(case: Case) -> str:
    """What would raise the threshold."""
    settings = case.frame.settings(None, case.tip, case.window)
    if case.threshold is not None and case.threshold == settings.threshold_cap:
        return "Raise compression.threshold_tokens"
    if case.threshold is not None and case.threshold == settings.aux_window:
        return "Set auxiliary.compression.model to one with a longer window"
    return "Raise compression.threshold"
