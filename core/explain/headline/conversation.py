"""The answer about a conversation: what is wrong with it, else what last happened, else how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from core.model.compaction.event import CompressionEvent, Trigger
from core.model.finding import Severity
from core.model.headline import COMPRESS_NOW, Headline
from core.redact.quick_check import masked_start
from core.support.amounts import NEAR_LIMIT, limit, plural, short

if TYPE_CHECKING:
    from core.explain.explanation import Now
    from core.model.transcript.conversation import Chain

_CALLS = 8
"""The newest calls that show the pace."""


def headline_of(events: Sequence[CompressionEvent], now: Now, prompts: Sequence[int] = ()) -> Headline:
    """The sentence a conversation is introduced with.

    A failure stands until an attempt has succeeded since; else the newest compaction that was not asked for
    speaks, else the newest of all, else where the trigger stands.

    Args:
        events: In time order, completed and aborted.
        now: Where the trigger stands.
        prompts: Sizes of the newest requests, oldest first, for the pace.
    """
    if (failure := standing_failure(events)) is not None:
        return failure.headline
    here, event = standing(now, prompts), newest_telling(events)
    return here if event is None or here.severity is Severity.CRITICAL else event.headline


def standing_failure(events: Sequence[CompressionEvent]) -> CompressionEvent | None:
    """The newest attempt that failed or fell back, while none has succeeded since.

    An attempt that had nothing to do is no failure: one that succeeded before it still holds.
    """
    for event in reversed(events):
        if event.failed and event.headline.severity is not None:
            return event
        if event.completed and event.trigger is not Trigger.NATIVE:
            return None
    return None


def newest_telling(events: Sequence[CompressionEvent]) -> CompressionEvent | None:
    """The compaction to open first: the newest that failed or ran by itself, else the newest."""
    automatic = (event for event in reversed(events) if event.failed or event.trigger is not Trigger.MANUAL)
    return next(automatic, events[-1] if events else None)


def standing(now: Now, prompts: Sequence[int] = ()) -> Headline:
    """How far the next automatic compaction is, or why there will be none."""
    if now.threshold is None:
        return Headline(
            "The context window of this model is not known, so it cannot be said when it will be compressed.",
            "Set model.context_length in config.yaml.",
            Severity.WARNING,
        )
    if now.tokens is None:
        return Headline(f"Not compressed yet. The {limit(now.threshold, now.window)} holds.")
    if now.headroom is not None and now.headroom <= 0:
        return _due(now)
    left = now.threshold - now.tokens
    sentence = f"Not compressed yet: {short(left)} tokens below the {limit(now.threshold, now.window)}"
    calls = calls_left(left, prompts)
    pace = f", about {calls:,} {'calls' if calls > 1 else 'call'} at this pace" if calls is not None else ""
    near = now.tokens >= NEAR_LIMIT * now.threshold
    remedy = COMPRESS_NOW if near else None
    return Headline(f"{sentence}{pace}.", remedy, Severity.INFO if near else None)


def calls_left(left: int, prompts: Sequence[int]) -> int | None:
    """How many more calls fit below the limit when requests grow as the newest did; None without growth.

    Args:
        left: Tokens below the limit.
        prompts: Sizes of the requests, oldest first. A fall between two is a compaction and counts for none.
    """
    grown = [after - before for before, after in pairwise(prompts[-_CALLS:]) if after > before]
    return max(1, round(left * len(grown) / sum(grown))) if grown else None


def _due(now: Now) -> Headline:
    over = limit(now.threshold or 0, now.window)
    if now.blocked_by:
        return Headline(
            f"Past the {over}, and compression is blocked: {now.blocked_by[0]}.",
            "Run /compress, which none of this blocks, or start a new session with /new.",
            Severity.CRITICAL,
        )
    return Headline(
        f"Past the {over}: it will be compressed before the next model call.", None, Severity.INFO
    )


_MOST = 60
"""Characters of a title."""


def chain_headline(chain: Chain) -> Headline:
    """How many sessions belong together, how often they were compacted, where /resume goes, what is odd."""
    target = next((node for node in chain.nodes if node.session.id == chain.resume_target), None)
    title = target.session.title if target is not None else None
    name = masked_start(" ".join((title or chain.resume_target).split()), _MOST)
    compacted = plural(chain.compactions, "compaction") if chain.compactions else "never compacted"
    if len(chain.nodes) == 1:
        sentence = f"One session, {compacted}, nothing branched off; /resume opens it"
    else:
        sentence = f"{plural(len(chain.nodes), 'session')}, {compacted}; /resume opens {name}"
    if not chain.findings:
        return Headline(f"{sentence}.")
    odd = plural(len(chain.findings), "oddity", "oddities")
    return Headline(f"{sentence}; {odd}: {chain.findings[0]}."[:170], None, Severity.WARNING)
