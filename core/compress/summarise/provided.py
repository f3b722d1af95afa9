"""A summary written beforehand: by the user, or edited from another."""

from __future__ import annotations

from core.compress.summarise.base import (
    Cancelled,
    OfflineSummariser,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.redact.text import redact_text


class GivenSummary(OfflineSummariser):
    """Answers every request with the same text, its credentials masked as a release masks a model's.

    Args:
        text: The body of the summary, without markers.
        name: What to call its writer.
    """

    def __init__(self, text: str, name: str = "file") -> None:
        self.name = name
        self._text = text

    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        return SummaryResult(redact_text(self._text), SummaryStatus.MODEL)
