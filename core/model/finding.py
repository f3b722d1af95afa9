"""Findings about a conversation or a store, how bad they are, and the headline a screen says first."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.model.evidence import Evidence, Verdict


class Severity(StrEnum):
    """How bad a finding is, worst first."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Place from the worst: 0 is critical."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosis: what is wrong, how we know, what helps.

    Attributes:
        rule: `A2`, `C6`, ... as in findings.yaml.
        name: The rule's slug, `threshold-unreachable`.
        sentence: One sentence for a user.
        numbers: The figures behind it, by name; values are ints, floats or strings.
        remedy: The config line or command that helps; empty when nothing does.
        session: The session it is about; None for the whole store.
    """

    rule: str
    name: str
    severity: Severity
    sentence: str
    verdict: Verdict
    session: str | None = None
    numbers: dict[str, Any] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    remedy: str = ""

    @property
    def identity(self) -> tuple[str, str | None, str]:
        """What makes it one with another: two conversations that fork from one session both find it."""
        return self.rule, self.session, self.sentence


@dataclass(frozen=True, slots=True)
class NotKnown:
    """A rule that lacks its evidence.

    Attributes:
        why: What is missing, as a clause.
    """

    rule: str
    name: str
    why: str


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
