"""The rules that a session row alone can answer, for conversations nobody has compressed."""

from __future__ import annotations

from datetime import datetime

from core.explain.diagnose.registry import Found, Rule, rules
from core.model.evidence import Evidence, Source
from core.model.finding import Finding, Severity
from core.model.transcript.pages import ConversationRow
from core.model.transcript.session import Session


def examine_row(row: ConversationRow, now: datetime) -> tuple[Finding, ...]:
    """What the newest session's row says: a chain that ends nowhere, blocks that are set."""
    told = {"E1": dead_end(row.tip), "B2": strikes_kept(row.tip, rules()["B2"]), "C2": paused(row.tip, now)}
    found = [rules()[key].finding(one, row.root.id) for key, one in told.items() if one is not None]
    return tuple(sorted(found, key=lambda finding: finding.severity.rank))


def dead_end(session: Session) -> Found | None:
    """The newest session was closed by a compression nobody continued."""
    if session.end_reason != "compression":
        return None
    evidence = Evidence(Source.DATABASE, f"sessions {session.id}", "end_reason compression, no continuation")
    # Releases before the one that keeps strikes in the database open such a session again without a word.
    refused = session.guards.ineffective_count is not None
    effect = "Hermes refuses to write to it" if refused else "resume opens it as it was before"
    numbers = {"session": session.id, "effect": effect}
    return Found(numbers, (evidence,), severity=None if refused else Severity.WARNING, session=session.id)


def strikes_kept(session: Session, rule: Rule) -> Found | None:
    """Strikes in the database, which a new process finds there, have switched automatic compression off."""
    strikes, probe = session.guards.ineffective_count or 0, session.guards.recovery_deadline
    if strikes < rule.limits["strikes"]:
        return None
    retried = f", and Hermes tries again at {probe:%H:%M:%S} UTC" if probe is not None else ""
    numbers = {
        "why": f"{strikes} compactions in a row did not help",
        "afresh": f"/new starts afresh, a new process does not{retried}",
    }
    where = f"sessions {session.id}"
    return Found(numbers, (Evidence(Source.DATABASE, where, f"compression_ineffective_count {strikes}"),))


def paused(session: Session, now: datetime) -> Found | None:
    """The summary model failed, and Hermes has not struck that out, as it does once a summary succeeds."""
    until, error = session.guards.cooldown_until, session.guards.failure_error
    if until is None or (until <= now and not error):
        return None
    left = round((until - now).total_seconds())
    told = f"compression_failure_cooldown_until {until:%H:%M:%S} UTC"
    evidence = Evidence(Source.DATABASE, f"sessions {session.id}", told)
    since = f"is paused for {left:,} more seconds" if left > 0 else "has not succeeded since"
    what = f"The summary model failed and {since}: {error or 'no error is recorded'}"
    return Found({"what": what}, (evidence,), severity=Severity.WARNING)
