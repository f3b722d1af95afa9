"""Why it happened: events, evidence, decision replay, findings."""
