"""The first thing a screen says."""

from __future__ import annotations

from dataclasses import dataclass

from core.model.finding import Severity


@dataclass(frozen=True, slots=True)
class Headline:
    """One plain sentence about what happened, and what helps.

    Attributes:
        sentence: At most 170 characters; may quote a provider or a user, so it is untrusted.
        remedy: What to do, as a sentence; None where nothing failed and nothing is to be done.
        severity: How bad it is; None where all is well.
    """

    sentence: str
    remedy: str | None = None
    severity: Severity | None = None


NO_HEADLINE = Headline("")
