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

    @property
    def helps(self) -> str:
        """The remedy with the word before it; empty where nothing is to be done."""
        return f"{help_word(self.severity)}: {self.remedy}" if self.remedy else ""


def help_word(severity: Severity | None) -> str:
    """What stands before a remedy: only what is wrong is fixed."""
    return "Fix" if severity in (Severity.WARNING, Severity.CRITICAL) else "What helps"


NO_HEADLINE = Headline("")
COMPRESS_NOW = "/compress now, with a topic, decides what is kept."
"""What helps where the limit is near."""
