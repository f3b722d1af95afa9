"""Diagnoses: rules as functions in one table, their limits and words in findings.yaml."""

from core.explain.findings.examine import Examination, examine, examine_store, findings
from core.explain.findings.registry import NotKnown, Rule, rules

__all__ = ["Examination", "NotKnown", "Rule", "examine", "examine_store", "findings", "rules"]
