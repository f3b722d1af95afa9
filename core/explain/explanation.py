"""The answer to "why": every compaction of a conversation, and how far the next one is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.model.finding import NO_HEADLINE, Evidence, Headline, Verdict

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext
    from core.model.compaction.event import CompressionEvent


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
