"""A summary written beforehand: by the user, or edited from another."""

from __future__ import annotations

from core.compress.summarise.base import (
    Cancelled,
    Endpoint,
    OnText,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)


class GivenSummary:
    """Answers every request with the same text.

    Args:
        text: The body of the summary, without markers.
        name: What to call its writer.
    """

    def __init__(self, text: str, name: str = "file") -> None:
        self.name = name
        self._text = text

    def describe(self) -> Endpoint | None:
        """Nothing leaves this process."""
        return None

    def summarise(
        self, request: SummaryRequest, *, on_text: OnText | None = None, cancelled: Cancelled | None = None
    ) -> SummaryResult:
        """The text, whatever is asked."""
        return SummaryResult(self._text, SummaryStatus.MODEL)
