"""Diagnoses: rules as functions in one table, their limits and words in findings.yaml."""

from core.explain.diagnose.examine import Examination, examine, examine_store, findings
from core.explain.diagnose.registry import Rule, rules

__all__ = ["Examination", "Rule", "examine", "examine_store", "findings", "rules"]
