"""Findings, and rules that lack their evidence, as JSON."""

from __future__ import annotations

from typing import Any

from core.model.finding import Finding, NotKnown
from inspector.payloads import values as jsonio


def payload(found: Finding) -> dict[str, Any]:
    """A finding as the command line promises it."""
    return {
        **jsonio.fields(found, "rule name severity sentence verdict session numbers"),
        "evidence": [jsonio.evidence(one) for one in found.evidence],
        "remedy": found.remedy,
    }


def not_known(one: NotKnown) -> dict[str, str]:
    """A rule that lacks its evidence."""
    return jsonio.fields(one, "rule name why")
