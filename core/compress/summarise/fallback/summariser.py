"""The summariser that asks nobody: the summary the release itself would write without a model."""

from __future__ import annotations

from core.compress.summarise.base import (
    Cancelled,
    OfflineSummariser,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.compress.summarise.fallback.text import fallback
from core.hermes.markers.wording import release_wording
from core.hermes.policy.policy import Policy


class StaticSummariser(OfflineSummariser):
    """Shows what is left when no model answers.

    Args:
        policy: The release.
        reason: The failure to name in it.
        prefix_length: Characters of the prefix the summary will get; None for the release's own.
    """

    name = "static"

    def __init__(
        self, policy: Policy, *, reason: str | None = None, prefix_length: int | None = None
    ) -> None:
        self._policy = policy
        self._reason = reason
        theirs = release_wording(policy.summary.reads_as).handoff
        self._prefix_length = len(theirs) if prefix_length is None else prefix_length

    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        body = fallback(
            request.turns,
            self._policy,
            previous=request.previous_summary,
            reason=self._reason,
            prefix_length=self._prefix_length,
        )
        return SummaryResult(body, SummaryStatus.FALLBACK)
