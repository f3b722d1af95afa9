"""Rules about sessions: what a row shows by itself, how sessions continue one another, who holds them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from core.apply.database.lock import alive
from core.explain.compactions.outcome import words_of
from core.explain.context.rows.unsaved_rows import ranges
from core.explain.diagnose.case import Case
from core.explain.diagnose.registry import Found, Missing, conversation_rule, rules
from core.hermes.log.record import Kind
from core.model.finding import Evidence, Finding, Severity, Source, Verdict
from core.model.transcript.conversation import BoundaryMode, Generation
from core.model.transcript.message import Message
from core.model.transcript.session import ConversationRow, Session
from core.model.transcript.storage import Lease
from core.redact.quick_check import masked_excerpt
from core.support.formatting import clock, moment, plural

ANOTHER_MODEL = (
    "Set auxiliary.compression.model in config.yaml to a model that answers; /compress tries at once"
)
_KEPT = {
    "user_id": ("user", "its chat may not find it with /sessions and /resume"),
    "session_key": ("chat", "its chat may not find it with /sessions and /resume"),
    "cwd": ("folder", "the list of its folder leaves it out"),
    "profile_name": ("profile", "the list of its profile leaves it out"),
}
"""What a continuation inherits from its parent, where the release has it: name, and what fails without."""


def examine_row(row: ConversationRow, now: datetime) -> tuple[Finding, ...]:
    """What the newest session's row shows: a chain that ends nowhere, blocks that are set."""
    by_rule = {
        "E1": dead_end(row.tip),
        "B2": strikes_kept(row.tip, now, **rules()["B2"].limits),
        "C2": paused(row.tip, now),
    }
    found = [rules()[key].finding(one, row.root.id) for key, one in by_rule.items() if one is not None]
    return tuple(sorted(found, key=lambda finding: finding.severity.rank))


def dead_end(session: Session) -> Found | None:
    """The newest session was closed by a compression that no session continues."""
    if session.end_reason != "compression":
        return None
    evidence = Evidence(Source.DATABASE, f"sessions {session.id}", "end_reason compression, no continuation")
    # Releases that keep no failed attempts in the database reopen such a session without a word.
    refused = session.guards.ineffective_count is not None
    effect = "Hermes refuses to write to it" if refused else "resume opens it as it was before"
    numbers = {"session": session.id, "effect": effect}
    return Found(numbers, (evidence,), severity=None if refused else Severity.WARNING, session=session.id)


def strikes_kept(session: Session, now: datetime, min_strikes: int) -> Found | None:
    """Failed attempts in the database, which a new process reads, have switched automatic compression off."""
    strikes, probe = session.guards.ineffective_count or 0, session.guards.recovery_deadline
    if strikes < min_strikes or (probe is not None and probe <= now):
        return None
    retried = f", and Hermes tries again at {clock(probe)}" if probe is not None else ""
    numbers = {
        "why": f"{strikes} compactions in a row did not help",
        "afresh": f"/new starts afresh, a new process does not{retried}",
    }
    where = f"sessions {session.id}"
    return Found(numbers, (Evidence(Source.DATABASE, where, f"compression_ineffective_count {strikes}"),))


def paused(session: Session, now: datetime) -> Found | None:
    """The summary model failed, and no summary has succeeded since, as Hermes would then clear the entry."""
    until, error = session.guards.cooldown_until, session.guards.failure_error
    if until is None or (until <= now and not error):
        return None
    left = round((until - now).total_seconds())
    since = f"Hermes asks none for {left:,} more seconds" if left > 0 else "no summary has succeeded since"
    words, fix = words_of(error) if error else ("the summary model failed", ANOTHER_MODEL)
    where = f"sessions {session.id}"
    stored = [f"compression_failure_cooldown_until {clock(until)}"]
    stored += [f"compression_failure_error {masked_excerpt(error, 200)}"] if error else []
    numbers = {"what": f"{words[:1].upper()}{words[1:]}; {since}", "fix": fix}
    evidence = tuple(Evidence(Source.DATABASE, where, text) for text in stored)
    return Found(numbers, evidence, severity=Severity.WARNING)


def benched(session: Session, streak: int, *, blocks: bool) -> Found:
    """After several summaries in a row without a model, Hermes no longer asks one."""
    effect = "automatic compression is blocked" if blocks else "the summary model is benched"
    evidence = Evidence(Source.DATABASE, f"sessions {session.id}", f"compression_fallback_streak {streak}")
    what = f"{streak} summaries in a row were written without a model: {effect}"
    return Found({"what": what, "fix": ANOTHER_MODEL}, (evidence,))


@conversation_rule("E1")
def dead_end_chain(case: Case) -> Iterable[Found]:
    """The newest session was closed by a compression that no session continues."""
    if found := dead_end(case.tip):
        yield found


@conversation_rule("E2")
def forked_chain(case: Case) -> Iterable[Found]:
    """A compressed session is continued more than once."""
    conversation = case.conversation
    if all(session.end_reason != "compression" for session in conversation.sessions):
        return
    why = f" ({conversation.resume_reason})" if conversation.resume_reason else ""
    for parent, ids in conversation.forks.items():
        evidence = Evidence(Source.DATABASE, f"sessions {parent}", f"continued by {', '.join(ids)}")
        numbers = {"session": parent, "count": len(ids), "tip": conversation.resume_target, "why": why}
        yield Found(numbers, (evidence,), session=parent)


@conversation_rule("E3")
def continuation_lost_metadata(case: Case) -> Iterable[Found]:
    """A continuation lacks what its parent had."""
    sessions = case.conversation.sessions
    rows = _kept_columns(case, [session.id for session in sessions]) if len(sessions) > 1 else {}
    for parent, child in pairwise(sessions):
        had, has = rows.get(parent.id, {}), rows.get(child.id, {})
        lost = [column for column in _KEPT if had.get(column) and not has.get(column)]
        if lost:
            evidence = Evidence(Source.DATABASE, f"sessions {child.id}", f"{', '.join(lost)} empty")
            names, effects = zip(*(_KEPT[column] for column in lost), strict=True)
            numbers = {"session": child.id, "parent": parent.id, "fields": " and ".join(names)}
            numbers["effect"] = "; ".join(dict.fromkeys(effects))
            yield Found(numbers, (evidence,), session=child.id)


@conversation_rule("E4")
def resume_target(case: Case) -> Iterable[Found]:
    """Which session /resume opens; reported for every conversation."""
    target = case.conversation.resume_target
    session = next((one for one in case.conversation.sessions if one.id == target), None)
    last = session.last_active if session is not None else None
    at = f", last active {moment(last, seconds=False)}" if last is not None else ""
    evidence = Evidence(Source.DATABASE, f"sessions {target}", case.conversation.resume_reason)
    yield Found({"session": target, "at": at}, (evidence,), Verdict.DERIVED)


@conversation_rule("E5")
def empty_link(case: Case) -> Iterable[Found]:
    """A session of the chain made calls but holds no messages."""
    if len(case.conversation.sessions) < 2:
        return  # a conversation that has just begun still waits for its answer
    row_counts: Counter[str] = Counter()
    for generation in case.conversation.generations:
        row_counts[generation.session_id] += len(generation.row_ids)
    for session in case.conversation.sessions:
        calls = session.api_calls or 0
        if calls > 0 and row_counts[session.id] <= 1:
            evidence = Evidence(Source.DATABASE, f"sessions {session.id}", f"api_call_count {calls}")
            messages = "1 message" if row_counts[session.id] else "no message"
            numbers = {"session": session.id, "calls": plural(calls, "call"), "messages": messages}
            yield Found(numbers, (evidence,), session=session.id)


@conversation_rule("E11")
def stale_lock(case: Case, max_seconds: int) -> Iterable[Found]:
    """A lock that nobody can be holding any more."""
    ids = set(case.context.sessions)
    for lock in case.store.locks():
        if lock.key not in ids:
            continue
        why, verdict = _stale(lock, case.now, timedelta(seconds=max_seconds))
        if why:
            evidence = Evidence(Source.DATABASE, "compression_locks", f"{lock.key}: {lock.holder}")
            numbers = {"session": lock.key, "why": why, "holder": lock.holder}
            yield Found(numbers, (evidence,), verdict, session=lock.key)


@conversation_rule("E12")
def rows_behind_a_rotation(case: Case) -> Iterable[Found]:
    """Rows were written to a session after another had continued it."""
    own = defaultdict[str, list[Generation]](list)
    for generation in case.conversation.generations:
        own[generation.session_id].append(generation)
    for session in case.conversation.sessions[:-1]:
        late = list(_written_after_end(case, session, own[session.id]))
        if late:
            evidence = Evidence(Source.DATABASE, ranges(late), f"newer than the end of {session.id}")
            yield Found(
                {"told": plural(len(late), "row"), "session": session.id}, (evidence,), session=session.id
            )


@conversation_rule("E13")
def compaction_not_reloaded(case: Case) -> Iterable[Found]:
    """The process continued with the transcript that the compaction had replaced."""
    if case.context.log.empty:
        raise Missing("no log line is left")
    # `/compress here` puts the turns it keeps after those the line counts, even if their rows are lost.
    lost = len(case.conversation.lost_tail)
    left = {len(rows.after) + more for rows in case.context.boundaries for more in (0, lost)}
    done = None
    grown = 0
    for record in case.lines(Kind.DONE, Kind.TURN, Kind.CALL, Kind.NOT_STORED):
        if record.kind is Kind.NOT_STORED:
            done = None  # it says so itself, and so does the event
        elif record.kind is Kind.DONE:
            done, grown = record, 0
        elif record.kind is Kind.CALL:
            grown += 1
        elif done is not None and record.before is not None and done.after is not None:
            # Each call leaves an answer and the results of its tool calls; allow generously for both.
            most = done.after + 12 * grown + 2
            if record.before >= (done.before or 0) and record.before > most and record.before not in left:
                numbers = {"history": record.before, "after": done.after}
                yield Found(numbers, (done.evidence, record.evidence), Verdict.SUSPECTED)
            done = None


@conversation_rule("E15")
def compaction_not_stored(case: Case) -> Iterable[Found]:
    """A session begins with neither summary nor copies: its process ended before it stored them."""
    if case.context.engine is not None:
        return
    turns = list(case.lines(Kind.TURN))
    for closed, opened in pairwise(case.conversation.generations):
        if not (closed.row_ids and _began_anew(opened)):
            continue
        begun = next((line for line in turns if line.session == opened.session_id), None)
        if begun.before == 0 if begun is not None else not _shares_messages(case, closed, opened):
            evidence = Evidence(Source.DATABASE, f"message {opened.row_ids[0]}", "no summary, and no copy")
            verdict = Verdict.DERIVED if begun is None else Verdict.PROVED
            more = () if begun is None else (begun.evidence,)
            numbers = {"session": opened.session_id, "before": closed.session_id}
            yield Found(numbers, (evidence, *more), verdict, session=opened.session_id)


def _began_anew(opened: Generation) -> bool:
    """Whether a rotation stored nothing of what was before it, though a turn followed."""
    boundary = opened.boundary
    if boundary is None or boundary.mode is not BoundaryMode.ROTATION or boundary.summary_row is not None:
        return False
    return bool(opened.row_ids) and not opened.copies


def _shares_messages(case: Case, closed: Generation, opened: Generation) -> bool:
    """Whether a generation holds messages of the one before it, as an engine without summaries leaves it."""
    before, after = (case.context.messages(one.row_ids) for one in (closed, opened))
    known = {(one.role, one.text, one.tool_call_id, str(one.tool_calls)) for one in before}
    return any((one.role, one.text, one.tool_call_id, str(one.tool_calls)) in known for one in after)


def _stale(lock: Lease, now: datetime, longest: timedelta) -> tuple[str, Verdict]:
    """What is wrong with a lock, and how certain that is; empty when nothing is."""
    if lock.expires_at is not None and lock.expires_at < now:
        return f"expired {_minutes(now - lock.expires_at)} ago", Verdict.PROVED
    if lock.pid is not None and not alive(lock.pid):
        return f"is held by process {lock.pid}, which does not run on this machine", Verdict.SUSPECTED
    renewed = lock.expires_at is not None and lock.expires_at - now < longest
    if renewed and lock.acquired_at is not None and now - lock.acquired_at > longest:
        return f"has been held for {_minutes(now - lock.acquired_at)} and is still renewed", Verdict.PROVED
    return "", Verdict.UNKNOWN


def _minutes(span: timedelta) -> str:
    return plural(round(span.total_seconds() / 60), "minute")


def _kept_columns(case: Case, sessions: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The columns a continuation inherits, by session."""
    columns = case.store.schema.select("sessions", ("id", *_KEPT))
    marks = ", ".join("?" * len(sessions))
    query = f"SELECT {columns} FROM sessions WHERE id IN ({marks})"  # noqa: S608 - names from the schema
    return {str(row["id"]): dict(row) for row in case.store.query(query, sessions)}


def _written_after_end(case: Case, session: Session, own: Iterable[Generation]) -> Iterator[Message]:
    if session.ended_at is None:
        return
    slack = timedelta(seconds=30)
    for generation in own:
        for message in case.context.messages(generation.row_ids[-20:]):
            at = message.row.timestamp if message.row else None
            if at is not None and at > session.ended_at + slack:
                yield message
