"""What stands in the way of an automatic compaction, in words."""

from __future__ import annotations

from datetime import datetime

from core.compress.sizing.threshold import minimum_window
from core.hermes.policy.policy import Policy
from core.model.compaction.settings import Gate, Settings


def gate_blocks(gate: Gate | None, settings: Settings, policy: Policy) -> tuple[str, ...]:
    """The blocks that refuse an attempt, whatever the conversation holds."""
    blocks = [] if settings.enabled else ["compression.enabled is false"]
    minimum = minimum_window(settings, policy.threshold)
    if settings.aux_window is not None and settings.aux_window < minimum:
        window = f"{settings.aux_window:,} tokens"
        blocks.append(f"the summary model's window of {window} is below the minimum of {minimum:,}")
    if gate is None:
        return tuple(blocks)
    if gate.lock_holder is not None:
        blocks.append(f"another process is compressing this session ({gate.lock_holder})")
    if policy.gate.cooldown and gate.cooldown_until is not None and _ahead(gate, gate.cooldown_until):
        blocks.append(f"the summary model failed; paused until {gate.cooldown_until:%Y-%m-%d %H:%M:%S} UTC")
    blocks += _strikes(gate, policy)
    return tuple(blocks)


def _strikes(gate: Gate, policy: Policy) -> list[str]:
    rules = policy.gate
    blocks = []
    if (
        gate.ineffective_count is not None
        and gate.ineffective_count >= rules.strikes
        and not _recovered(gate, policy)
    ):
        blocks.append(f"the last {gate.ineffective_count} compactions did not help enough")
    streak = gate.fallback_streak
    if rules.fallback_streak and streak is not None and streak >= rules.fallback_streak:
        blocks.append(f"the last {streak} summaries were fallbacks")
    return blocks


def _recovered(gate: Gate, policy: Policy) -> bool:
    """One attempt is allowed once the recovery deadline has passed."""
    known = policy.gate.recovery and gate.recovery_deadline is not None and gate.now is not None
    return known and not _ahead(gate, gate.recovery_deadline)


def _ahead(gate: Gate, moment: datetime | None) -> bool:
    return moment is not None and gate.now is not None and moment > gate.now
