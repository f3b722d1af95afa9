"""Diagnoses: rules as functions in one table, their limits and words in findings.yaml."""
