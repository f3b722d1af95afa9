"""Whether the gateway compacts a transcript before the agent runs, and against which numbers."""

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
        tokens: At or above which it compacts.
        rows: The same.
        warn: Tokens at or above which it warns after a compaction.
    """

    tokens: int
    rows: int
    warn: int

    def reached(self, tokens: int, rows: int) -> str | None:
        """Which limit a transcript has reached: `tokens`, `messages`, `both`, or None."""
        large, many = tokens >= self.tokens, rows >= self.rows
        return "both" if large and many else "tokens" if large else "messages" if many else None


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
    limits = hygiene_limits(policy, window, hard_limit)
    why = unlooked(policy, len(rows), enabled=enabled, window=window)
    tokens, source = (None, None) if why else (last_prompt, "actual")
    if tokens is not None and tokens <= 0:
        tokens, source = anchored if rules.anchored else None, "anchored"
        if tokens is None:
            tokens, source = transcript_tokens(rows, policy.estimate), "estimated"
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


def hygiene_limits(policy: Policy, window: int | None, hard_limit: int | None = None) -> HygieneLimits | None:
    """The limits of a release in a window; None without one.

    Args:
        policy: Of the release.
        window: Of the main model.
        hard_limit: `compression.hygiene_hard_message_limit`; None for the release's default.
    """
    rules = policy.hygiene
    if not window:
        return None
    return HygieneLimits(int(window * rules.share), hard_limit or rules.limit, int(window * rules.warn))


def unlooked(policy: Policy, rows: int, *, enabled: bool, window: int | None) -> str:
    """Why the gateway does not look at a transcript: `short`, `disabled` or `no window`; "" where it does."""
    if rows < policy.hygiene.least:
        return "short"
    return "disabled" if not enabled else "" if window else "no window"


def failure_pauses(policy: Policy, base: float) -> tuple[float, ...]:
    """Seconds the gateway pauses after one, two and more failures in a row; empty where it does not.

    Args:
        policy: Of the release.
        base: `compression.hygiene_failure_cooldown_seconds`.
    """
    rules = policy.hygiene
    return tuple(min(base * factor, rules.pause_most) for factor in rules.pauses)
