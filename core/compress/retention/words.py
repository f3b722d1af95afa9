"""What a summary lost, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.support.formatting import percent, plural

if TYPE_CHECKING:
    from core.model.compaction.preview import Retention


def loss_words(kept: Retention) -> str:
    """How many facts were lost and how much they weigh, such as `31 of 50 facts, 6% of what matters`."""
    return f"{kept.total.lost:,} of {plural(kept.total.of, 'fact')}, {weighed(kept.lost_share)}"


def weighed(share: float | None) -> str:
    """A share of the facts, heavy ones counting more, where there is no room to count them or nobody did."""
    return f"{percent(share)} of what matters"
