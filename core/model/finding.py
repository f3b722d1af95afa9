"""Findings about a conversation or a store, and how bad they are."""

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
