"""One figure for what survives: the share of the weight of facts a summary tells."""

from __future__ import annotations

from collections.abc import Sequence

from core.compress.facts.wording import roots
from core.compress.retention.summary_index import LOST, SummaryIndex
from core.model.compaction.preview import Fact

_SENTENCES = frozenset({"asks", "constraints", "decisions", "state", "open"})
_HINTED = 0.9
"""Worth of a sentence of which a summary only holds some words, for each share of them."""

_STRANGE, _KNOWN = 0.3, 0.8
"""Shares of a summary's own names and figures that stand in the messages: up to the first it is a summary of
another conversation, from the second of this one."""


def score(anchors: Sequence[Fact], index: SummaryIndex, vouched: float) -> float | None:
    """Share of the weight of facts that survives, 0 to 1; None without any.

    A fact counts with the square of its weight: a lost request is not made up for by four kept names. A
    sentence that is only hinted at counts a little. All counts less when the summary's own names and figures
    are those of another conversation: what it tells then only happens to be alike.

    Args:
        anchors: The facts with their fates.
        index: The summary.
        vouched: Share of the summary's own names and figures that stand in the messages.
    """
    whole = sum(anchor.weight**2 for anchor in anchors)
    trust = min(1.0, max(0.0, (vouched - _STRANGE) / (_KNOWN - _STRANGE)))
    told = sum(anchor.weight**2 * _credit(anchor, index) for anchor in anchors)
    return trust * told / whole if whole else None


def _credit(anchor: Fact, index: SummaryIndex) -> float:
    if anchor.fate != LOST:
        return 1.0
    return _HINTED * index.passages.coverage(roots(anchor.value)) if anchor.category in _SENTENCES else 0.0
