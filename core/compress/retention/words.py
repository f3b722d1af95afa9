"""What a summary lost, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.support.formatting import percent, plural

if TYPE_CHECKING:
    from core.model.compaction.preview import Fact, Retention

IMPORTANT = ("constraints", "asks", "open")
"""Categories in which a single loss is worth naming, the most important first."""
_WARNING_SHARE, _REMEDY_SHARE = 0.5, 0.1
"""Lost shares of the facts: the first is a warning, from the second on there is a remedy.

Of 66 faithful and 66 sloppy summaries of public conversations 1 and 66 lost half; a single rule or request
was lost by 56 of the faithful ones too.
"""

_TELLING = 4
"""From so many facts on their share is told."""


def loss_words(kept: Retention) -> str:
    """How many facts were lost and how much they weigh, such as `31 of 50 facts, 6% of what matters`."""
    count = f"{kept.total.lost:,} of {plural(kept.total.of, 'fact')}"
    return count if _has_few(kept) else f"{count}, {weighed(kept.lost_share)}"


def brief_loss(kept: Retention) -> str:
    """How much was lost, for a narrow place: `67% of what matters`, or the count of few facts."""
    return loss_words(kept) if _has_few(kept) else weighed(kept.lost_share)


def _has_few(kept: Retention) -> bool:
    """Whether there are too few facts for their share to say anything."""
    return kept.total.of < _TELLING


def weighed(share: float | None) -> str:
    """A share of the facts, heavy ones counting more, where there is no room to count them or nobody did."""
    return f"{percent(share)} of what matters"


def most_important_loss(kept: Retention | None) -> Fact | None:
    """The most important lost fact: of the most important kind, and the heaviest of it."""
    facts = kept.facts if kept else ()
    lost = (fact for fact in facts if fact.fate == "lost" and fact.category in IMPORTANT)
    return min(lost, key=lambda fact: (IMPORTANT.index(fact.category), -fact.weight), default=None)


def is_grave(kept: Retention) -> bool:
    """Whether a summary lost so much that it is a warning; of few facts, only with one of the important."""
    telling = not _has_few(kept) or most_important_loss(kept) is not None
    return telling and (kept.lost_share or 0) >= _WARNING_SHARE


def needs_help(kept: Retention) -> bool:
    """Whether it lost something that is worth repeating."""
    much = not _has_few(kept) and (kept.lost_share or 0) >= _REMEDY_SHARE
    return much or most_important_loss(kept) is not None
