"""Whether the gateway compacts a transcript before the agent runs, and against which numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.compress.sizing.estimate import transcript_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message


@dataclass(frozen=True, slots=True)
class Hygiene:
    """What the gateway finds at the start of a turn.

    Attributes:
        by: `tokens`, `messages` or `both` reached their limit; `blocked` where they did and something held it
            back; None where neither did.
        threshold: Tokens at or above which it compacts; None without a window.
        hard_limit: Rows at or above which it does.
        warn: Tokens at or above which it warns after a compaction.
        tokens: What it compares; None where it does not look.
        source: `actual` (the provider's last count), `anchored` (the usage stored with the session and what
            came since) or `estimated` (without system prompt and tools).
        messages: Rows of the transcript.
        why_not: `short`, `disabled`, `no window` or `paused`; "" where it looks and nothing holds it back.
    """

    fires: bool
    by: str | None
    threshold: int | None
    hard_limit: int
    warn: int | None
    tokens: int | None
    source: str | None
    messages: int
    why_not: str
    window: int | None

    @property
    def checked(self) -> bool:
        """Whether it looked at all."""
        return self.why_not in ("", "paused")


def hygiene(
    rows: Sequence[Message],
    policy: Policy,
    *,
    enabled: bool,
    window: int | None,
    hard_limit: int | None = None,
    last_prompt: int = 0,
    anchored: int | None = None,
    paused: bool = False,
) -> Hygiene:
    """What the gateway decides over a transcript.

    Args:
        rows: All rows of the transcript, system and meta rows too.
        policy: Of the release.
        enabled: `compression.enabled`.
        window: Of the main model.
        hard_limit: `compression.hygiene_hard_message_limit`; None for the release's default.
        last_prompt: The provider's last count for this session; 0 or less where there is none.
        anchored: Tokens by the usage stored with the session, for releases that go by it.
        paused: A pause after an earlier failure still runs.
    """
    rules = policy.hygiene
    if len(rows) < rules.least or not enabled or not window:
        why = "short" if len(rows) < rules.least else "no window" if enabled else "disabled"
        return _decided(policy, None, len(rows), window, hard_limit, None, why)
    tokens, source = last_prompt, "actual"
    if last_prompt <= 0 and rules.anchored and anchored is not None:
        tokens, source = anchored, "anchored"
    elif last_prompt <= 0:
        tokens, source = transcript_tokens(rows, policy.estimate), "estimated"
    why = "paused" if paused and rules.pause == "skips" else ""
    return _decided(policy, tokens, len(rows), window, hard_limit, source, why)


def _decided(
    policy: Policy,
    tokens: int | None,
    rows: int,
    window: int | None,
    hard_limit: int | None,
    source: str | None,
    why: str,
) -> Hygiene:
    rules = policy.hygiene
    limit = hard_limit or rules.limit
    threshold = int(window * rules.share) if window else None
    warn = int(window * rules.warn) if window else None
    large = tokens is not None and threshold is not None and tokens >= threshold
    many = tokens is not None and rows >= limit
    by = "both" if large and many else "tokens" if large else "messages" if many else None
    fires = by is not None and not why
    by = "blocked" if by is not None and why else by
    return Hygiene(fires, by, threshold, limit, warn, tokens, source, rows, why, window)


def failure_pauses(policy: Policy, base: float) -> tuple[float, ...]:
    """Seconds the gateway pauses after one, two and more failures in a row; empty where it does not.

    Args:
        policy: Of the release.
        base: `compression.hygiene_failure_cooldown_seconds`.
    """
    rules = policy.hygiene
    return tuple(min(base * factor, rules.pause_most) for factor in rules.pauses)
