"""Every compaction of a conversation, joined from rows, log lines and telemetry, and what comes next."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from core.compress.sizing.threshold import failure_blocks, gate_blocks
from core.explain.compactions import sentences as wording
from core.explain.compactions.attempts import Attempt, find_attempts
from core.explain.compactions.causes import MISTAKEN
from core.explain.compactions.matching import (
    Match,
    match,
    message_counts,
    spared_behind,
    spared_tokens,
    uncounted_rows,
)
from core.explain.compactions.notes import notes_on
from core.explain.compactions.outcome import summary_outcome
from core.explain.compactions.refusals import (
    failed_call,
    newest_failure,
    no_answer,
    refusal_of,
    refused_first,
    refuses_before_due,
)
from core.explain.compactions.turn_attempts import BY_REFUSAL, TAKES_ATTEMPTS, attempt_of
from core.explain.compactions.turn_attempts import lines as attempt_lines
from core.explain.compactions.verdict import Ruling, counts_what_was_said, rule
from core.explain.context.context import ConversationContext, open_context
from core.explain.context.gather import exists, gate_of, gateway_limits, log_about, without_gateway
from core.explain.context.log.log_claims import prompt_before, with_deleted
from core.explain.context.next_request import next_limits, next_request, sized
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.explain.explanation import Explanation, Now, refuses_beyond, until_next
from core.explain.headline.conversation import event_headline, headline_of
from core.explain.headline.mend import mend_first
from core.explain.headline.rewritten import rewrite_headline, rewriting_engine
from core.explain.recorded import with_recorded_proof
from core.hermes.log.record import LogRecord
from core.hermes.policy.policy import covers, nearest_release
from core.hermes.policy.release import release_of_summary
from core.model.compaction.event import CompressionEvent, SummaryOutcome, Trigger, TurnAttempt
from core.model.finding import Headline
from core.model.transcript.conversation import BoundaryMode, Conversation
from core.store.database.own_changes import undo_command
from core.store.store import Store
from core.support.formatting import apart

_BEGINS_SOON = timedelta(minutes=2)
"""Hermes takes less than this from the announcement of an attempt to its beginning."""
_UNCLEAR = ("", "unexplained")
"""Refusals of which nobody knows what helps."""
_TAKES_LOCK = timedelta(seconds=10)
"""Hermes takes less than this from the lock to the line that tells of the beginning."""


def explain(
    store: Store, session_id: str, *, release: str | None = None, conversation: Conversation | None = None
) -> Explanation:
    """Explain why a conversation was compressed, each time, and how far the next compaction is.

    The rules are those of `release`, by default of the detected one.

    Raises:
        NotFoundError: There is no such session.
        ConfigError: config.yaml cannot be used, or the release is unknown.
    """
    context = open_context(store, session_id, release=release, conversation=conversation)
    events, prompts = events_of(context), context.log.prompts
    now = where_it_stands(context)
    waits, engine = refused_first(context, now.tokens, now.threshold, now.window), context.engine
    most = refuses_before_due(context, now.tokens, now.threshold)
    refused_at = "" if most is None else refuses_beyond(f"{most:,}")
    if engine is not None and engine.limit(now.threshold) is None:
        now = replace(now, elsewhere=True)
        refused_at = refused_at or engine.decides
    now = replace(now, refused_at=refused_at, refused_beyond=most)
    told = until_next(now, prompts, compressed=any(event.completed for event in events))
    error = context.conversation.tip.guards.failure_error
    told = waits or (mend_first(told, error) if error else told)
    now = replace(now, headline=told)
    failed = newest_failure(context, events)
    headline = headline_of(events, now, prompts, failed)
    unanswered = None if failed is None else headline
    return Explanation(session_id, context, events, now, tuple(notes_on(context)), headline, unanswered)


def unanswered_turn(context: ConversationContext) -> Headline | None:
    """That the newest turn got no answer, and what helps; None where one came or a compaction tells it."""
    if newest_failure(context, ()) is None:
        return None  # as for most, without reading the compactions
    failed = newest_failure(context, events_of(context))
    return None if failed is None else no_answer(failed)


def events_of(context: ConversationContext) -> tuple[CompressionEvent, ...]:
    """The compactions of one conversation, completed and aborted, in time order."""
    turns_tagged = not context.store.schema.pools_compression
    gateway = not all(without_gateway(session.source) for session in context.conversation.sessions)
    read = partial(log_about, context.store.location.home)
    records, ids = with_deleted(context.log, context.sessions, partial(exists, context.store), read)
    settled, clock = datetime.now(UTC) - _BEGINS_SOON, context.clock
    attempts = find_attempts(
        records,
        ids,
        turns_tagged=turns_tagged,
        gateway=gateway,
        compactions=context.log.compactions,
        settled=lambda at: clock.utc(at) < settled,
    )
    if attempts and _under_way(context, attempts[-1]):
        attempts = attempts[:-1]
    events: list[CompressionEvent] = []
    left: int | None = None
    pairs = match(attempts, context.boundaries, clock)
    for pair, when in zip(pairs, apart([pair.at(clock) for pair in pairs]), strict=True):
        event = _event(context, pair, left, when)
        left = event.messages_after if pair.rows is not None else left
        events.append(event)
    return with_recorded_proof(events, context)


def _under_way(context: ConversationContext, attempt: Attempt) -> bool:
    """Whether nothing tells how it ended, and the lock that it took is held: what becomes of it is open."""
    if attempt.done is not None or attempt.telemetry is not None:
        return False
    began, now = context.clock.utc(attempt.first.at), datetime.now(UTC)
    return any(
        lock.key == attempt.session
        and lock.acquired_at is not None
        and abs(lock.acquired_at - began) < _TAKES_LOCK
        and lock.lasts(now)
        for lock in context.store.locks()
    )


def _event(context: ConversationContext, pair: Match, left: int | None, when: str) -> CompressionEvent:
    """One compaction; `left` is how many messages the previous one left, `when` tells it from the others."""
    (attempt, rows), cause, own = pair, pair.cause, pair.own
    release, session_id = _release(context, rows), pair.session(context)
    found, mode = rule(context, pair, release), pair.mode(context)
    before, after = message_counts(context, pair, found.derived, release, left)
    takes = cause is not None and cause.trigger in TAKES_ATTEMPTS
    tried = attempt_of(context, attempt, release) if attempt is not None and takes else None
    refused = cause.refused if cause is not None and found.trigger in MISTAKEN else ""
    event = CompressionEvent(
        session=session_id,
        to_session=pair.to_session or session_id,
        mode=mode,
        at=pair.at(context.clock),
        generation=rows.opened.index - 1 if rows is not None else None,
        trigger=found.trigger,
        verdict=found.verdict,
        tokens=found.tokens,
        threshold=found.threshold,
        window=found.window,
        window_verdict=found.window_verdict,
        messages_before=before,
        messages_after=after,
        tokens_after=_tokens_after(context, pair, release),
        focus=attempt.started.focus if attempt is not None and attempt.started is not None else None,
        summary=_summary(context, pair, tried, release),
        completed=pair.completed,
        duration=attempt.duration if attempt is not None else None,
        release=release,
        evidence=tuple(dict.fromkeys(wording.evidence(pair, found))),
        explanation=wording.explanation(found, refused),
        apart=when,
        refused=refused,
        arithmetic=(*wording.sums(cause, found), *(() if tried is None else attempt_lines(tried))),
        attempt=tried,
        undo=None if own is None else undo_command(own.id, context.store.path),
        disagreements=_disagreements(context, pair, found, release, mode),
        last_prompt=prompt_before(context.log, context.sessions, attempt.first.at) if attempt else None,
    )
    line = cause.line if cause is not None and found.trigger is Trigger.OVERFLOW else None
    return replace(event, headline=_headline(context, event, line, by_count=found.by_count))


def _headline(
    context: ConversationContext, event: CompressionEvent, line: LogRecord | None, *, by_count: bool
) -> Headline:
    """The event in one sentence; `line` is the refusal of a request that was too long."""
    engine = rewriting_engine(context) if event.pruned else None
    if engine is not None:
        return rewrite_headline(event, engine)
    refusal = refusal_of(line) if line is not None else None
    served, expected = refusal.limit if refusal is not None else None, context.window.tokens
    call = None if line is None else failed_call(line, enabled=context.settings_in_force.enabled)
    advice = None if call is None or event.refused in _UNCLEAR else call.helps
    told = event_headline(event, by_count=by_count, expected=expected, served=served, advice=advice)
    if told.remedy is None or event.undo is not None:  # an undo finds its database itself
        return told
    return replace(told, remedy=context.store.location.addressed(told.remedy))


def _disagreements(
    context: ConversationContext, pair: Match, found: Ruling, release: str, mode: BoundaryMode | None
) -> tuple[str, ...]:
    """Where sources disagree about one compaction, in words."""
    differences = wording.disagreements(
        pair,
        found.limits if found.lowered is None else None,
        lambda: uncounted_rows(context, pair, release),
        spared_behind(pair),
        rewritten=pair.rows is None and mode is BoundaryMode.REWRITE,
    )
    return (*differences, *wording.doubts(found))


def _summary(
    context: ConversationContext, pair: Match, tried: TurnAttempt | None, release: str
) -> SummaryOutcome:
    """What became of the summary; if no model with so small a window is accepted, that is the cause."""
    found = summary_outcome(context, pair, release)
    if tried is None or tried.end != "too_small" or found.failure is None:
        return found
    misread = pair.cause is not None and pair.cause.refused == "output_cap"
    return replace(
        found, failure=replace(found.failure, cause="misread_window" if misread else "small_window")
    )


def _release(context: ConversationContext, rows: BoundaryRows | None) -> str:
    """The release that wrote the summary; where its prefix fits several, the conversation's if it is one.

    A release that replaces rows in place, by configuration, has not rotated: then an older one did.
    """
    current = context.release.release
    if rows is None or rows.summary is None:
        return current
    fits = [release for release in rows.summary.releases if _fits_mode(context, rows, release)]
    if any(covers(release, current) for release in fits):
        return current
    return nearest_release(fits[-1]) if fits else release_of_summary(rows.summary) or current


def _fits_mode(context: ConversationContext, rows: BoundaryRows, release: str) -> bool:
    rotates = context.config.value("compression.in_place", release) is not True
    return rotates or rows.boundary.mode is not BoundaryMode.ROTATION


def _tokens_after(context: ConversationContext, pair: Match, release: str) -> int | None:
    (attempt, rows), session = pair, context.conversation.tip
    if counts_what_was_said(context, pair, release):
        return None
    if rows is not None:
        session = context.sessions.get(rows.opened.session_id, session)
    stated = attempt.done.tokens_after if attempt is not None and attempt.done is not None else None
    # Before 0.20 a refused request is counted without the tools, but what the line says is left with them.
    toolless = attempt is not None and attempt.cause.trigger in BY_REFUSAL
    toolless = toolless and not context.store.schema.pools_compression
    if stated is not None and not toolless:
        return stated + spared_tokens(context, pair, release)
    if rows is None or rows.counted_after is None:
        return None
    (left,) = context.request_tokens(context.messages(rows.after), session, release)
    return left - (context.tools_tokens(session) or 0) if toolless else left


def where_it_stands(context: ConversationContext) -> Now:
    """The size of the next request against the threshold, and what would refuse a compaction."""
    _, limits, lowered = next_limits(context)
    size = next_request(context)
    evidence = size.evidence
    if lowered is not None:
        evidence = (*evidence, lowered.evidence)
    settings = replace(sized(context, size), current_tokens=size.tokens)
    gate, policy = gate_of(context.store, context.conversation.tip), context.policy(None)
    blocks = gate_blocks(gate, settings, policy)
    if limits is None:
        blocks = (*blocks, "the window is unknown")
    threshold = None if limits is None else limits.threshold
    earlier = (
        None
        if without_gateway(context.conversation.tip.source)
        else gateway_limits(context.config, policy, context.window.tokens)
    )
    return Now(
        tokens=size.tokens,
        threshold=threshold,
        window=context.window.tokens,
        blocked_by=blocks,
        failing=bool(failure_blocks(gate, policy)),
        headroom=None if size.tokens is None or threshold is None else threshold - size.tokens,
        verdict=size.verdict,
        evidence=evidence,
        arithmetic=limits.arithmetic if limits is not None else (),
        later=settings.counted_only(threshold),
        gateway=earlier.tokens if earlier and threshold and earlier.tokens < threshold else None,
    )
