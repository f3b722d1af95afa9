"""Turning a rule's numbers into a finding, with the words and limits of findings.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.model.evidence import Evidence, Verdict
from core.model.finding import Finding, Severity
from core.support.yaml_tables import shared_table


def limit(rule: str, name: str) -> Any:
    """A number a rule goes by."""
    return shared_table("core/account/findings.yaml")[rule]["limits"][name]


def remedy(cause: str) -> str:
    """What helps against a cause of cache breaks."""
    return str(shared_table("core/account/findings.yaml")["remedies"].get(cause, ""))


def one_at_a_time() -> dict[str, str]:
    """Rules that are told of one conversation only, with their names."""
    return {
        rule: entry["name"]
        for rule, entry in shared_table("core/account/findings.yaml").items()
        if "of" in entry
    }


def finding(
    rule: str,
    numbers: Mapping[str, Any],
    *evidence: Evidence,
    session: str | None = None,
    verdict: Verdict = Verdict.PROVED,
) -> Finding:
    """A finding of a rule.

    Args:
        rule: Its entry in findings.yaml; `F10-invisible` is a form of F10.
        numbers: What its sentences name.
        evidence: Where it shows.
        session: The session it is about.
        verdict: How sure it is.
    """
    entry = shared_table("core/account/findings.yaml")[rule]
    return Finding(
        rule=rule.partition("-")[0],
        name=entry["name"],
        severity=Severity(entry["severity"]),
        sentence=entry["says"].format(**numbers),
        verdict=verdict,
        session=session,
        numbers=dict(numbers),
        evidence=evidence,
        remedy=entry.get("helps", "").format(**numbers),
    )
