"""What would make compression fire earlier, later or less often."""

from __future__ import annotations

from collections.abc import Iterable

from core.explain.compactions.refusals import refused_windows
from core.explain.compactions.turn_attempts import BY_REFUSAL
from core.explain.diagnose.case import Case, moves
from core.model.compaction.event import CompressionEvent, Trigger

_LOWEST = 0.01
"""The lowest value of compression.threshold."""
_OF_ENGINE = "Set a {way} threshold where the context engine {name} has its settings"


def to_fire_earlier(case: Case) -> str:
    """What would lower the threshold."""
    if case.context.engine is not None:
        return _OF_ENGINE.format(way="lower", name=case.context.engine.name)
    if case.policy.threshold.absolute_cap:
        return "Set compression.threshold_tokens in config.yaml"
    if case.limits is not None and not moves(case, _LOWEST):
        return f"Set a lower model.context_length in config.yaml ({case.limits.percent:.0%} is the least)"
    return "Set a lower compression.threshold in config.yaml"


def to_fire_later(case: Case) -> str:
    """What would raise the threshold."""
    if case.context.engine is not None:
        return _OF_ENGINE.format(way="higher", name=case.context.engine.name)
    settings = case.settings
    if case.threshold is not None and case.threshold == settings.threshold_cap:
        return "Raise compression.threshold_tokens in config.yaml"
    if case.threshold is not None and case.threshold == settings.aux_window:
        return "Set auxiliary.compression.model to one with a longer window"
    if settings.max_output and case.policy.threshold.reserves_output and not moves(case):
        return f"Lower model.max_tokens: {settings.max_output:,} of the window are kept for the answer"
    if case.limits is not None and not moves(case):
        return "Use a model with a longer window, as no compression.threshold is higher here"
    return "Raise compression.threshold in config.yaml"


def to_fire_less(case: Case, events: Iterable[CompressionEvent]) -> str:
    """What would have avoided some compactions."""
    refused = [event for event in events if event.trigger in BY_REFUSAL]
    if refused and refused[-1].refused not in ("", "input_overflow", "payload"):
        return "The provider refused something other than the length: `why` says what"
    remedy = _after_refusals(case, refused[-1]) if refused else to_fire_later(case)
    return f"{remedy}, or have tools return less in each turn"


def _after_refusals(case: Case, newest: CompressionEvent) -> str:
    if newest.trigger is Trigger.PAYLOAD_TOO_LARGE:
        return "The provider refused requests for their bytes: remove pictures and large tool results"
    least = case.policy.threshold.minimum
    if min((window for window, _ in refused_windows(case.context)), default=least) < least:
        return "The provider serves less than Hermes starts with: use a model with a longer window"
    return "The provider refused what was sent: set model.context_length to what it serves"
