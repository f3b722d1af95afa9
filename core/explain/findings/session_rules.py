"""The rules that a session row alone can answer, for conversations nobody has compressed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from core.explain.findings.registry import Found, rules
from core.model.conversation import ConversationRow
from core.model.event import Finding, Severity
from core.model.evidence import Evidence, Source
from core.model.session import Session


def examine_row(row: ConversationRow, now: datetime) -> tuple[Finding, ...]:
    """What the newest session's row says: a chain that ends nowhere, blocks that are set."""
    found = [rules()[key].finding(one, row.root.id) for key, one in _findings(row.tip, now)]
    return tuple(sorted(found, key=lambda finding: list(Severity).index(finding.severity)))


def _findings(session: Session, now: datetime) -> Iterator[tuple[str, Found]]:
    where, guards = f"sessions {session.id}", session.guards
    if session.end_reason == "compression":
        evidence = Evidence(Source.DATABASE, where, "end_reason compression, no continuation")
        yield "E1", Found({"session": session.id}, (evidence,))
    strikes = guards.ineffective_count or 0
    if strikes >= rules()["B2"].limits["strikes"]:
        evidence = Evidence(Source.DATABASE, where, f"compression_ineffective_count {strikes}")
        yield "B2", Found({"why": f"{strikes} compactions in a row did not help"}, (evidence,))
    if guards.cooldown_until is not None and guards.cooldown_until > now:
        left = round((guards.cooldown_until - now).total_seconds())
        error = guards.failure_error or "no error is recorded"
        evidence = Evidence(Source.DATABASE, where, error)
        what = f"The summary model failed and is paused for {left} more seconds: {error}"
        yield "C2", Found({"what": what}, (evidence,), severity=Severity.INFO)
