"""Findings, and rules that lack their evidence, as JSON."""

from __future__ import annotations

from typing import Any

from core.model.finding import Finding, NotKnown
from inspector.payloads import values as jsonio


def payload(found: Finding) -> dict[str, Any]:
    """A finding as the command line promises it."""
    return {
        "rule": found.rule,
        "name": found.name,
        "severity": found.severity.value,
        "sentence": found.sentence,
        "verdict": found.verdict.value,
        "session": found.session,
        "numbers": found.numbers,
        "evidence": [jsonio.evidence(one) for one in found.evidence],
        "remedy": found.remedy,
    }


def not_known(one: NotKnown) -> dict[str, str]:
    """A rule that lacks its evidence."""
    return {"rule": one.rule, "name": one.name, "why": one.why}
