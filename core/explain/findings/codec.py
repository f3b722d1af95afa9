"""Findings as plain values, for keeping them between runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.model.event import Finding, Severity
from core.model.evidence import Evidence, Source, Verdict


def encode(finding: Finding) -> dict[str, Any]:
    """A finding as values JSON can hold."""
    return asdict(finding)


def decode(values: Mapping[str, Any]) -> Finding:
    """The finding again.

    Raises:
        KeyError, ValueError: The values are not those of a finding.
    """
    return Finding(
        rule=values["rule"],
        name=values["name"],
        severity=Severity(values["severity"]),
        sentence=values["sentence"],
        verdict=Verdict(values["verdict"]),
        session=values["session"],
        numbers=dict(values["numbers"]),
        evidence=tuple(Evidence(Source(e["source"]), e["where"], e["text"]) for e in values["evidence"]),
        remedy=values["remedy"],
    )
