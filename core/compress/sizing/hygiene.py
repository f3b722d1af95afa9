"""Whether the gateway compacts a transcript before the agent runs, and which numbers it compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.compress.sizing.estimate import transcript_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message


@dataclass(frozen=True, slots=True)
class HygieneLimits:
    """What the gateway compares a transcript with.

    Attributes:
        tokens: It compacts at this many tokens or more.
        rows: It compacts at this many rows or more.
        warn: It warns after a compaction that leaves this many tokens or more.
    """

    tokens: int
    rows: int
    warn: int

    def reached(self, tokens: int, rows: int) -> str | None:
        """Which limit a transcript has reached: `tokens`, `messages`, `both`, or None."""
        is_large, has_many = tokens >= self.tokens, rows >= self.rows
        return "both" if is_large and has_many else "tokens" if is_large else "messages" if has_many else None


@dataclass(frozen=True, slots=True)
class Hygiene:
    """What the gateway decides at the start of a turn.

    Attributes:
        by: The limit that was reached: `tokens`, `messages` or `both`; `blocked` where a limit was reached
            but something prevented the compaction; None where none was reached.
        threshold: It compacts at this many tokens or more; None without a window.
        hard_limit: It compacts at this many rows or more.
        warn: It warns after a compaction that leaves this many tokens or more.
        tokens: What it compares; None where it does not check.
        source: `actual` (the provider's last count), `anchored` (the usage stored with the session plus what
            came since) or `estimated` (without system prompt and tools).
        messages: Rows of the transcript.
        why_not: `short`, `disabled`, `no window` or `paused`; "" where it checks and nothing prevents it.
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
        """Whether it checked the transcript at all."""
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
    """Decide as the gateway would about a transcript, whose rows include system and meta rows.

    `hard_limit` is `compression.hygiene_hard_message_limit`, None for the release's default; `last_prompt`
    the provider's last count for this session, 0 or less without one; `anchored` the tokens by the usage
    stored with the session. A pause after an earlier failure may still be running.
    """
    rules = policy.hygiene
    limits = hygiene_limits(policy, window, hard_limit)
    why = unchecked_reason(policy, len(rows), enabled=enabled, window=window)
    anchored = anchored if rules.anchored else None
    tokens, source = (None, None) if why else _compared(rows, policy, last_prompt, anchored)
    if tokens is not None and paused and rules.pause == "skips":
        why = "paused"
    by = limits.reached(tokens, len(rows)) if limits and tokens is not None else None
    return Hygiene(
        fires=by is not None and not why,
        by="blocked" if by and why else by,
        threshold=limits.tokens if limits else None,
        hard_limit=hard_limit or rules.limit,
        warn=limits.warn if limits else None,
        tokens=tokens,
        source=source,
        messages=len(rows),
        why_not=why,
        window=window,
    )


def _compared(
    rows: Sequence[Message], policy: Policy, last_prompt: int, anchored: int | None
) -> tuple[int, str]:
    """The size that is compared, and where it is from."""
    if last_prompt > 0:
        return last_prompt, "actual"
    if anchored is not None:
        return anchored, "anchored"
    return transcript_tokens(rows, policy.estimate), "estimated"


def hygiene_limits(policy: Policy, window: int | None, hard_limit: int | None = None) -> HygieneLimits | None:
    """The gateway's limits for a window; None without one. `hard_limit` replaces the release's own."""
    rules = policy.hygiene
    if not window:
        return None
    return HygieneLimits(int(window * rules.share), hard_limit or rules.limit, int(window * rules.warn))


def unchecked_reason(policy: Policy, rows: int, *, enabled: bool, window: int | None) -> str:
    """Why the gateway does not check a transcript: `short`, `disabled` or `no window`; "" where it does."""
    if rows < policy.hygiene.least:
        return "short"
    return "disabled" if not enabled else "" if window else "no window"


def failure_pauses(policy: Policy, base: float) -> tuple[float, ...]:
    """Seconds the gateway pauses after one, two and more failures in a row; empty where it never does.

    `base` is `compression.hygiene_failure_cooldown_seconds`.
    """
    rules = policy.hygiene
    return tuple(min(base * factor, rules.max_pause) for factor in rules.pauses)
