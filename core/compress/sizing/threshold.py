"""The threshold and budgets of a release, and what could refuse a compaction, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.hermes.policy.cut_rules import TailRules
from core.hermes.policy.policy import Policy
from core.hermes.policy.trigger_rules import GateRules, ModelRule, ThresholdRules
from core.model.compaction.plan import Gate, Settings
from core.support.formatting import moment

_RATIO_LEAST, _RATIO_MOST = 0.10, 0.80
RUNNING = "a process holds the compression lock of this session"
"""The block that only time lifts."""
WAIT = "Wait until it is done; Hermes takes over a lock that was not renewed for five minutes."
"""What helps then."""
DISABLED = "compression.enabled is false"
"""The block that, until 0.19, /compress meets too."""
ENABLE = (
    "Set compression.enabled: true in config.yaml and start Hermes again, or start a new session with /new."
)
"""What helps then."""
SMALL_MODEL = "the summary model's window"
"""How the block begins that stops every compaction, /compress too."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The limits in force for one window.

    Attributes:
        percent: Share of the window, after raises.
        threshold: Tokens at which compression fires.
        tail: Tokens the tail may hold.
        soft: Tokens up to which a walk may exceed `tail`.
        summary_cap: The most tokens of a summary.
        pending_cap: The most tokens of an unanswered tool round that is still kept whole.
        arithmetic: The calculation, one step a line.
    """

    percent: float
    threshold: int
    tail: int
    soft: int
    summary_cap: int
    pending_cap: int
    arithmetic: tuple[str, ...]


def budgets(settings: Settings, policy: Policy, window: int) -> Budgets:
    """Compute every limit as a release does when it starts.

    The summary model lowers the threshold last, so the tail keeps the budget it had before.
    """
    lines: list[str] = []
    percent = _percent(settings, policy.threshold, window, lines)
    base = _input_window(settings, policy.threshold, window, lines)
    threshold = _threshold(settings, policy.threshold, percent, base, lines)
    threshold = _capped(settings, policy.threshold, threshold, window, lines)
    tail, soft = _tail(settings, policy.tail, threshold, window, lines)
    threshold = _lowered(settings, policy.threshold, threshold, lines)
    summary_cap = _summary_cap(policy, window, lines)
    share = int(base * policy.tail.window_share)
    return Budgets(percent, threshold, tail, soft, summary_cap, share, tuple(lines))


def tail_mode(settings: Settings, rules: TailRules) -> str:
    """The tail mode in force; releases before 0.22 have only one."""
    if rules.mode == "lean" and settings.tail_mode is not None:
        return "ratio" if settings.tail_mode == "legacy" else "lean"
    return rules.mode


def _percent(settings: Settings, rules: ThresholdRules, window: int, lines: list[str]) -> float:
    percent = settings.threshold
    share_words = f"{percent:.2f} configured"
    own = _own_threshold(settings) if rules.model_thresholds else None
    rule = None if own is not None else _model_rule(settings, rules)
    if own is not None:
        percent = own
        share_words += f", {percent:.2f} for model {settings.model}"
    elif rule is not None and not (rule.raise_only and rule.percent <= percent):
        percent = rule.percent
        verb = "raised" if percent > settings.threshold else "set"
        share_words += f", {verb} to {percent:.2f} for model {settings.model}"
    if window < rules.small_window and percent < rules.small_percent:
        percent = rules.small_percent
        share_words += f", raised to {percent:.2f} because window {window:,} < {rules.small_window:,}"
    lines.append(share_words)
    return percent


def _model_rule(settings: Settings, rules: ThresholdRules) -> ModelRule | None:
    model = settings.model.strip().lower().rsplit("/", 1)[-1]
    provider = settings.provider.strip().lower()
    return next((rule for rule in rules.model_rules if _applies(rule, model, provider, settings)), None)


def _applies(rule: ModelRule, model: str, provider: str, settings: Settings) -> bool:
    if rule.provider not in ("", provider) or (rule.switchable and not settings.codex_autoraise):
        return False
    if any(part in model for part in rule.excluding):
        return False
    family = any(model == name or model.startswith((f"{name}-", f"{name}.")) for name in rule.families)
    return family or model in rule.names or any(part in model for part in rule.containing)


def _own_threshold(settings: Settings) -> float | None:
    """`compression.model_thresholds`: the longest match in the model's name wins; a provider breaks ties."""
    if not settings.model:
        return None
    provider = settings.provider.strip().lower()
    ranked = [
        (rank, key) for key in settings.model_thresholds if (rank := _rank(key, settings.model, provider))
    ]
    return float(settings.model_thresholds[max(ranked)[1]]) if ranked else None


def _rank(key: str, model: str, provider: str) -> tuple[int, int] | None:
    scope, colon, part = key.partition(":")
    if not colon:
        return (len(key), 0) if key in model else None
    return (len(part), 1) if scope.strip().lower() == provider and part in model else None


def _input_window(settings: Settings, rules: ThresholdRules, window: int, lines: list[str]) -> int:
    reserved = settings.max_output or 0
    if not rules.reserves_output or reserved <= 0 or window - reserved <= 0:
        return window
    lines.append(f"{window:,} - {reserved:,} kept for the answer = {window - reserved:,}")
    return window - reserved


def _threshold(settings: Settings, rules: ThresholdRules, percent: float, base: int, lines: list[str]) -> int:
    share = int(base * percent)
    lines.append(f"{percent:.2f} × {base:,} = {share:,}")
    minimum = minimum_window(settings, rules)
    if (settings.window or 0) < minimum:
        lines.append(f"Hermes does not start with less than {minimum:,}; a window may still shrink below it")
    threshold = max(share, minimum)
    if threshold > share:
        lines.append(f"raised to the minimum {minimum:,}")
    near_full = int(base * rules.near_full)
    if rules.softens_minimum and threshold > share and threshold > near_full:
        threshold = max(share, near_full)
        how = f"held at {rules.near_full:.0%} of {base:,} =" if near_full > share else "back to"
        lines.append(f"{how} {threshold:,}, to leave room to compress")
    if rules.near_full and threshold >= base:
        threshold = max(1, min(near_full, base - 1))
        lines.append(f"no prompt can reach that: {rules.near_full:.0%} of {base:,} = {threshold:,} instead")
    elif threshold >= base:
        lines.append(f"{threshold:,} is the whole window: a provider that keeps to it refuses before that")
    return threshold


def minimum_window(settings: Settings, rules: ThresholdRules) -> int:
    """The smallest window a release accepts, which is also its lowest threshold."""
    configured = settings.minimum_window if rules.minimum_configurable else None
    return rules.minimum if configured is None else configured


def _capped(settings: Settings, rules: ThresholdRules, threshold: int, window: int, lines: list[str]) -> int:
    cap = settings.threshold_cap if rules.absolute_cap else None
    if cap is None or cap <= 0 or min(cap, window) >= threshold:
        return threshold
    lines.append(f"capped at {min(cap, window):,} by compression.threshold_tokens")
    return min(cap, window)


def _lowered(settings: Settings, rules: ThresholdRules, threshold: int, lines: list[str]) -> int:
    if (
        settings.aux_window is None
        or settings.aux_window >= threshold
        or has_small_summary_model(settings, rules)
    ):
        return threshold
    lines.append(f"lowered to {settings.aux_window:,}, the window of the summary model")
    return settings.aux_window


def _tail(
    settings: Settings, rules: TailRules, threshold: int, window: int, lines: list[str]
) -> tuple[int, int]:
    mode = tail_mode(settings, rules)
    if mode == "fixed":
        tail, words = rules.fixed, f"tail: {rules.fixed:,} tokens"
    elif mode == "lean":
        tail = max(rules.lean_floor, min(rules.lean_cap, int(window * rules.lean_percent)))
        bounds = f"within {rules.lean_floor:,} and {rules.lean_cap:,}"
        words = f"tail: {rules.lean_percent:.1%} of {window:,}, {bounds} = {tail:,}"
    else:
        ratio = max(_RATIO_LEAST, min(settings.target_ratio, _RATIO_MOST))
        tail = int(threshold * ratio)
        words = f"tail: {ratio:.2f} × {threshold:,} = {tail:,}"
    soft = int(tail * rules.overshoot)
    if rules.window_share:
        most = int(window * rules.window_share)
        tail = max(1, min(tail, most))
        soft = max(min(int(tail * rules.overshoot), most), tail)
    lines.append(f"{words}, up to {soft:,} rather than cut a message")
    return tail, soft


def _summary_cap(policy: Policy, window: int, lines: list[str]) -> int:
    cap = min(int(window * policy.summary.cap_percent), policy.summary.cap)
    lines.append(
        f"summary: at most {cap:,} (the lower of {policy.summary.cap_percent:.0%} of {window:,}"
        f" and {policy.summary.cap:,})"
    )
    return cap


def past_blocks(blocks: Sequence[str]) -> str:
    """What helps where these refuse a compaction that is due."""
    if DISABLED in blocks:
        return ENABLE
    if any(block.startswith(RUNNING) for block in blocks):
        return WAIT
    if any(block.startswith(SMALL_MODEL) for block in blocks):
        return "Set auxiliary.compression.model to one with a longer window, then run /compress."
    return "Run /compress, which none of this blocks, or start a new session with /new."


def has_small_summary_model(settings: Settings, rules: ThresholdRules) -> bool:
    """Whether the window of the summary model is below what a release accepts."""
    return settings.aux_window is not None and settings.aux_window < minimum_window(settings, rules)


def refuses_summary_model(settings: Settings, rules: ThresholdRules) -> bool:
    """Whether a release never summarises with so small a model, whoever asks for the compaction."""
    return has_small_summary_model(settings, rules) and not rules.retries_small_model


def gate_blocks(gate: Gate | None, settings: Settings, policy: Policy) -> tuple[str, ...]:
    """What refuses an attempt, whatever the conversation holds."""
    blocks = [] if settings.enabled else [DISABLED]
    if refuses_summary_model(settings, policy.threshold):
        minimum = minimum_window(settings, policy.threshold)
        blocks.append(f"{SMALL_MODEL} of {settings.aux_window:,} tokens is below the minimum of {minimum:,}")
    if gate is None:
        return tuple(blocks)
    if gate.locked_by is not None:
        blocks.append(f"{RUNNING} ({gate.locked_by})")
    return (*blocks, *failure_blocks(gate, policy))


def failure_blocks(gate: Gate, policy: Policy) -> tuple[str, ...]:
    """What refuses an attempt because earlier ones failed or did not help."""
    rules, blocks = policy.gate, []
    if rules.cooldown and gate.is_ahead(gate.cooldown_until):
        blocks.append(f"the summary model failed; paused until {moment(gate.cooldown_until)}")
    if has_struck_out(gate, rules):
        blocks.append(f"the last {gate.ineffective_count} compactions did not help enough")
    streak = gate.fallback_streak
    if rules.fallback_streak and streak is not None and streak >= rules.fallback_streak:
        blocks.append(f"the last {streak} summaries were fallbacks")
    return tuple(blocks)


def has_struck_out(gate: Gate, rules: GateRules) -> bool:
    """Whether compactions that did not help refuse an attempt: some releases allow one after a deadline."""
    if gate.ineffective_count is None or gate.ineffective_count < rules.strikes:
        return False
    known = rules.recovery and gate.recovery_deadline is not None and gate.now is not None
    return not known or gate.is_ahead(gate.recovery_deadline)
