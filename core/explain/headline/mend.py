"""What to mend before another `/compress` can succeed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.explain.compactions.outcome import words_of
from core.model.finding import Severity

if TYPE_CHECKING:
    from core.model.finding import Headline


def mend_first(headline: Headline, error: str) -> Headline:
    """The same as a warning, with what helps against an error of the summary model that stands.

    Advice that does not name `/compress` is left as it is.
    """
    if "/compress" not in (headline.remedy or ""):
        return headline
    grave = headline.severity if headline.severity is Severity.CRITICAL else Severity.WARNING
    return replace(headline, remedy=f"{words_of(error)[1]}.", severity=grave)
