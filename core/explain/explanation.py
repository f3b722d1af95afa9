"""The answer to "why": every compaction of a conversation, and how far the next one is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from core.compress.sizing.threshold import WAIT, past_blocks
from core.model.finding import COMPRESS_NOW, NO_HEADLINE, Evidence, Headline, Severity, Verdict
from core.support.formatting import NEAR_LIMIT, limit, short

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext
    from core.model.compaction.event import CompressionEvent

_CALLS = 8
"""How many of the newest requests the pace is taken from."""
_MANY = 1_000
"""More calls than this say only that requests hardly grow."""


@dataclass(frozen=True, slots=True)
class Now:
    """The size of the next request against the threshold, and what would refuse a compaction.

    Attributes:
        tokens: Size of the next request; None when unknown.
        verdict: How certain `tokens` is.
        blocked_by: What would refuse an automatic compaction, in words.
        headroom: Tokens left below the threshold; negative above it.
        arithmetic: How the threshold is computed, one step a line.
        refused_at: That the provider refuses before the threshold is reached, or that another engine decides
            and named no limit, in a few words; "" otherwise.
        refused_beyond: The size beyond which the provider refuses, if that comes before the threshold.
        failing: Failed attempts, or ones that did not help, refuse the next.
        elsewhere: Another engine decides and named no limit, so that `threshold` is only what Hermes' own
            compressor would compare with.
        later: Only the provider's count has passed the threshold, which Hermes compares after an answer that
            calls a tool.
        gateway: The gateway's own limit, which it compares before a message, if that is below the threshold.
    """

    tokens: int | None
    threshold: int | None
    window: int | None
    blocked_by: tuple[str, ...] = ()
    headroom: int | None = None
    verdict: Verdict = Verdict.UNKNOWN
    evidence: tuple[Evidence, ...] = ()
    arithmetic: tuple[str, ...] = ()
    headline: Headline = NO_HEADLINE
    failing: bool = False
    refused_at: str = ""
    refused_beyond: int | None = None
    elsewhere: bool = False
    later: bool = False
    gateway: int | None = None

    @property
    def limit(self) -> int | None:
        """The threshold that counts; None if it is not known."""
        return None if self.elsewhere else self.threshold

    @property
    def most(self) -> int | None:
        """The size at which something happens first: the provider refuses, or the threshold that counts."""
        return self.limit if self.refused_beyond is None else self.refused_beyond

    @property
    def sums(self) -> tuple[str, ...]:
        """The arithmetic of that limit."""
        return () if self.elsewhere else self.arithmetic


def refuses_beyond(size: str) -> str:
    """That the provider refuses larger requests, in a few words."""
    return f"the provider refuses beyond {size}"


def comes_next(limit: str, *, later: bool) -> str:
    """When a conversation past a limit will be compressed; `later` as in `Now`."""
    if not later:
        return f"Past the {limit}: it will be compressed before the next model call."
    counts = f"The provider counts more than the {limit}, Hermes less"
    return f"{counts}: it will be compressed after the next answer that calls a tool."


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a conversation was compressed, and whether it will be again.

    Attributes:
        session: The id asked about.
        context: The conversation with everything the answer is based on.
        notes: What a reader should know about the evidence: no log, unreadable files, odd settings.
        headline: The answer in one sentence, and what helps.
        unanswered: That the newest turn got no answer, if so; then it is the headline too.
    """

    session: str
    context: ConversationContext
    events: tuple[CompressionEvent, ...]
    now: Now
    notes: tuple[str, ...] = ()
    headline: Headline = NO_HEADLINE
    unanswered: Headline | None = None


def until_next(now: Now, prompts: Sequence[int] = (), *, compressed: bool = False) -> Headline:
    """How far the next automatic compaction is, or why none will run; `compressed` if there was one."""
    if now.elsewhere:
        return Headline(f"T{now.refused_at[1:]} when it is compressed; its limit is not on record.")
    if now.threshold is None:
        return Headline(
            "The context window of this model is not known, so it is unknown when it will be compressed.",
            "Set model.context_length in config.yaml.",
            Severity.WARNING,
        )
    yet = "Not due yet" if compressed else "Not compressed yet"
    if now.tokens is None:
        return Headline(f"{yet}. The {limit(now.threshold, now.window)} holds.")
    if now.headroom is not None and now.headroom <= 0:
        return _due(now)
    most, whose = (now.gateway, "gateway's ") if now.gateway else (now.threshold, "")
    left, named = most - now.tokens, whose + limit(most, now.window)
    if left <= 0 and not now.blocked_by:
        due = f"Past the {named}: it will be compressed before your next message."
        return Headline(due, COMPRESS_NOW, Severity.INFO)
    sentence = f"{yet}: {short(max(0, left))} tokens below the {named}"
    if now.blocked_by:
        return Headline(f"{sentence}, and blocked beyond it: {now.blocked_by[0]}.", None, Severity.INFO)
    calls = calls_left(left, prompts)
    calls = None if calls is not None and calls > _MANY else calls
    pace = f", about {calls:,} {'calls' if calls > 1 else 'call'} at this pace" if calls is not None else ""
    near = now.tokens >= NEAR_LIMIT * most
    remedy = COMPRESS_NOW if near else None
    return Headline(f"{sentence}{pace}.", remedy, Severity.INFO if near else None)


def calls_left(left: int, prompts: Sequence[int]) -> int | None:
    """How many more calls fit below the limit at the pace of the newest; None if requests did not grow.

    A drop between two prompts is a compaction and is not counted.
    """
    grown = [after - before for before, after in pairwise(prompts[-_CALLS:]) if after > before]
    return max(1, round(left * len(grown) / sum(grown))) if grown else None


def _due(now: Now) -> Headline:
    over = limit(now.threshold or 0, now.window)
    if now.blocked_by:
        sentence = f"Past the {over}, and compression is blocked: {now.blocked_by[0]}."
        remedy = past_blocks(now.blocked_by)
        return Headline(sentence, remedy, Severity.INFO if remedy == WAIT else Severity.CRITICAL)
    return Headline(comes_next(over, later=now.later), None, Severity.INFO)
