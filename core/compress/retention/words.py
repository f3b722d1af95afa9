"""What a summary lost, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.support.formatting import percent, plural

if TYPE_CHECKING:
    from core.model.compaction.preview import Fact, Retention

IMPORTANT = ("constraints", "asks", "open")
"""Categories in which a single loss is worth naming, the most important first."""
WARNING_SHARE, _REMEDY_SHARE = 0.5, 0.1
"""Lost shares of the facts: the first is a warning, from the second on there is a remedy.

Of 66 faithful and 66 sloppy summaries of public conversations 1 and 66 lost half; a single rule or request
was lost by 56 of the faithful ones too.
"""


def loss_words(kept: Retention) -> str:
    """How many facts were lost and how much they weigh, such as `31 of 50 facts, 6% of what matters`."""
    return f"{kept.total.lost:,} of {plural(kept.total.of, 'fact')}, {weighed(kept.lost_share)}"


def weighed(share: float | None) -> str:
    """A share of the facts, heavy ones counting more, where there is no room to count them or nobody did."""
    return f"{percent(share)} of what matters"


def most_important_loss(kept: Retention | None) -> Fact | None:
    """The most important lost fact: of the most important kind, and the heaviest of it."""
    facts = kept.facts if kept else ()
    lost = (fact for fact in facts if fact.fate == "lost" and fact.category in IMPORTANT)
    return min(lost, key=lambda fact: (IMPORTANT.index(fact.category), -fact.weight), default=None)


def is_grave(kept: Retention) -> bool:
    """Whether a summary lost so much that it is a warning."""
    return (kept.lost_share or 0) >= WARNING_SHARE


def needs_help(kept: Retention) -> bool:
    """Whether it lost something that is worth repeating."""
    return (kept.lost_share or 0) >= _REMEDY_SHARE or most_important_loss(kept) is not None
