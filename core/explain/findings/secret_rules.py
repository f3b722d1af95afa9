"""Rules about secrets: counted, never shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from core.compress.redact.text import redact
from core.explain.findings.case import Case
from core.explain.findings.registry import Found, Rule, conversation_rule
from core.model.evidence import Evidence, Source, Verdict

_MASKS = ("***", "[REDACTED", "…redacted")
_LONGEST = 200_000


@conversation_rule("I1")
def secrets_in_session(case: Case, rule: Rule) -> Iterable[Found]:
    """Credentials that are stored in clear text."""
    kinds: Counter[str] = Counter()
    rows: list[int] = []
    for message in case.live:
        counts = redact(json.dumps(dict(message.wire), default=str, ensure_ascii=False)[:_LONGEST]).counts
        if counts and message.row:
            rows.append(message.row.id)
        kinds.update(counts)
    if kinds:
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        evidence = Evidence(Source.DATABASE, "messages " + ", ".join(map(str, rows[:8])), told)
        numbers = {"count": kinds.total(), "rows": len(rows), "kinds": told}
        yield Found(numbers, (evidence,), Verdict.SUSPECTED)


@conversation_rule("I3")
def redaction_in_history(case: Case, rule: Rule) -> Iterable[Found]:
    """Masked values the model has to work with."""
    rows = [m for m in case.live if m.role == "tool" and any(mask in m.text for mask in _MASKS)]
    if rows:
        ids = ", ".join(str(message.row.id) for message in rows[:8] if message.row)
        evidence = Evidence(Source.DATABASE, f"messages {ids}", "masked values")
        yield Found({"count": len(rows)}, (evidence,), Verdict.SUSPECTED)
