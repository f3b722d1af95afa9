"""Pairs the attempts in the log with the compactions in the rows, and counts the messages of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from core.compress.messages.request_order import requested
from core.compress.sizing.estimate import message_size, total_tokens
from core.explain.compactions.attempts import Attempt
from core.explain.context.rows.boundary_rows import BoundaryRows, retried
from core.hermes.log.record import Kind
from core.model.compaction.event import Trigger
from core.model.transcript.conversation import BoundaryMode

if TYPE_CHECKING:
    from core.explain.compactions.causes import Cause
    from core.explain.compactions.from_rows import Derived
    from core.explain.context.context import ConversationContext
    from core.explain.context.log.log_clock import Clock
    from core.hermes.log.record import LogRecord
    from core.model.transcript.conversation import OwnCompaction

_SAME_MOMENT = timedelta(seconds=15)
_MAX_CLOCK_SHIFT = timedelta(hours=15)
Test = Callable[[Attempt, BoundaryRows], bool]


class Match(NamedTuple):
    """One compaction as log and rows show it; one side may be missing."""

    attempt: Attempt | None
    rows: BoundaryRows | None

    @property
    def cause(self) -> Cause | None:
        """Why it ran, according to the log."""
        return self.attempt.cause if self.attempt is not None else None

    @property
    def own(self) -> OwnCompaction | None:
        """Our journal's entry, if this program wrote its rows."""
        return self.rows.boundary.own if self.rows is not None else None

    @property
    def completed(self) -> bool:
        """Whether rows show a new transcript, or the log says one was put in place."""
        return self.rows is not None or (self.attempt is not None and self.attempt.completed)

    def at(self, clock: Clock) -> datetime | None:
        """When it began, else when its rows were committed."""
        if self.attempt is not None:
            return clock.utc(self.attempt.first.at)
        return self.rows.at if self.rows is not None else None

    def session(self, context: ConversationContext) -> str:
        """The session it ran in; the newest where neither source names one of the conversation."""
        if self.rows is not None:
            return self.rows.session
        known = self.attempt is not None and self.attempt.session in context.sessions
        return self.attempt.session if self.attempt is not None and known else context.conversation.tip.id

    @property
    def to_session(self) -> str | None:
        """The session it continues in; None where unknown."""
        if self.rows is not None:
            return self.rows.opened.session_id
        done = self.attempt.done if self.attempt is not None else None
        return done.session if done is not None else None

    def mode(self, context: ConversationContext) -> BoundaryMode | None:
        """How it changed the database; None when no row shows it and no line names another session."""
        attempt = self.attempt
        if self.rows is not None:
            return self.rows.boundary.mode
        if attempt is None or attempt.done is None or attempt.started is None:
            return None
        if attempt.done.session != attempt.started.session:
            return BoundaryMode.ROTATION
        # The rows of a later compaction show how this session's rows are replaced.
        shown = (one.boundary.mode for one in context.boundaries if one.opened.session_id == attempt.session)
        return next((mode for mode in shown if mode is not BoundaryMode.ROTATION), None)


def match(attempts: Sequence[Attempt], boundaries: Sequence[BoundaryRows], clock: Clock) -> tuple[Match, ...]:
    """Pair attempts with boundaries: by the session a rotation began, time, counts, the session it closed.

    Both lists are in time order and the pairs keep it, whatever the clock says. An attempt without rows was
    aborted, or its rows are gone; rows without an attempt are from a time of which no log is left.
    """
    pairs: dict[int, int] = {}
    moment = _same_moment(clock)
    counted = _same_counts(clock)
    tests = (_all_of(counted, moment), _all_of(_completed, moment), counted, moment)
    for test in (_same_child, *tests, _same_parent):
        _pair(pairs, attempts, boundaries, test, clock)
    used = set(pairs.values())
    alone = deque(place for place in range(len(attempts)) if place not in used)
    found: list[Match] = []
    for i, rows in enumerate(boundaries):
        at = pairs.get(i)
        while alone and (_begins_before(attempts[alone[0]], rows, clock) if at is None else alone[0] < at):
            found.append(Match(attempts[alone.popleft()], None))
        found.append(Match(None if at is None else attempts[at], rows))
    return (*found, *(Match(attempts[place], None) for place in alone))


def _begins_before(attempt: Attempt, rows: BoundaryRows, clock: Clock) -> bool:
    return rows.at is not None and clock.utc(attempt.first.at) < rows.at


def _pair(
    pairs: dict[int, int],
    attempts: Sequence[Attempt],
    boundaries: Sequence[BoundaryRows],
    test: Test,
    clock: Clock,
) -> None:
    used = set(pairs.values())
    fitting = [
        (_distance(attempts[j], rows, clock), i, j)
        for i, rows in enumerate(boundaries)
        if i not in pairs and not rows.pruned and rows.boundary.own is None  # Hermes logs nothing about these
        for j in range(len(attempts))
        # A provider that compacts its own thread leaves Hermes' transcript as it is.
        if j not in used and attempts[j].cause.trigger is not Trigger.NATIVE and test(attempts[j], rows)
    ]
    for _, i, j in sorted(fitting):
        # Pairs keep the order of both lists: none may cross another.
        crosses = any((other < i) is not (pairs[other] < j) for other in pairs)
        if i not in pairs and j not in pairs.values() and not crosses:
            pairs[i] = j


def _distance(attempt: Attempt, rows: BoundaryRows, clock: Clock) -> float:
    """Seconds between the end of an attempt and a boundary; a gateway may repeat one within seconds."""
    at = rows.at
    return abs((clock.utc(attempt.last.at) - at).total_seconds()) if at is not None else 0


def _all_of(*conditions: Test) -> Test:
    return lambda attempt, rows: all(test(attempt, rows) for test in conditions)


def _completed(attempt: Attempt, rows: BoundaryRows) -> bool:
    return attempt.completed


def _same_child(attempt: Attempt, rows: BoundaryRows) -> bool:
    """Whether the attempt began the session; one whose parent was deleted looks rewritten."""
    mode = rows.boundary.mode
    named = attempt.done is not None and attempt.done.session == rows.opened.session_id
    began = attempt.started.session if attempt.started is not None else None
    orphaned = mode is BoundaryMode.REWRITE and began != rows.opened.session_id
    return named and (mode is BoundaryMode.ROTATION or orphaned)


def _same_parent(attempt: Attempt, rows: BoundaryRows) -> bool:
    """Whether it is the attempt that rotated a session: a session is rotated once, so the time is ignored."""
    rotated = rows.boundary.mode is BoundaryMode.ROTATION
    return rotated and attempt.done is None and attempt.session == rows.session


def _same_session(attempt: Attempt, rows: BoundaryRows) -> bool:
    """Whether both name the same session: the one that was closed, or for a lone `done` line the new one."""
    alone = attempt.started is None and attempt.telemetry is None
    return attempt.session == (rows.opened.session_id if alone else rows.session)


def _same_moment(clock: Clock) -> Test:
    def test(attempt: Attempt, rows: BoundaryRows) -> bool:
        if rows.at is None or not _same_session(attempt, rows):
            return False
        return (
            clock.utc(attempt.first.at) - _SAME_MOMENT <= rows.at <= clock.utc(attempt.last.at) + _SAME_MOMENT
        )

    return test


def _same_counts(clock: Clock) -> Test:
    """A test for equal message counts on both sides, which are as good as a time when the clock is off."""

    def test(attempt: Attempt, rows: BoundaryRows) -> bool:
        done = attempt.done
        if done is None or not _same_session(attempt, rows):
            return False
        is_near = rows.at is None or abs(clock.utc(done.at) - rows.at) <= _MAX_CLOCK_SHIFT
        return is_near and (done.before, done.after) == (rows.counted_before, rows.counted_after)

    return test


Counts = tuple[int | None, int | None]


def message_counts(
    context: ConversationContext, pair: Match, derived: Derived | None, release: str, left: int | None
) -> Counts:
    """Messages before and after one compaction; `left` is how many the previous compaction left."""
    attempt, rows = pair
    before, after = _from_rows(context, rows, derived, release, left) if rows is not None else (None, None)
    if attempt is None:
        return before, after
    opened = attempt.started or attempt.done or attempt.telemetry
    ended = attempt.done or attempt.telemetry
    fired = attempt.cause.line
    if fired is not None and fired.kind is Kind.HYGIENE and not context.policy(release).hygiene.tool_rows:
        # Results of tools are dropped before the attempt begins, and are gone for good, even if it fails.
        opened, ended = fired, ended or _end_told(context, attempt, fired)
    if not spared_rows(context, pair, release):
        before = opened.before if opened is not None and opened.before is not None else before
    if not spared_behind(pair):
        after = ended.after if ended is not None and ended.after is not None else after
    return before, after


def _end_told(context: ConversationContext, attempt: Attempt, fired: LogRecord) -> LogRecord | None:
    """The gateway's own line of what an attempt left, whatever became of the summary."""
    later = (line for line in context.log.records if line.at > attempt.first.at)
    told = (line for line in later if line.kind is Kind.HYGIENE_DONE and line.tokens == fired.tokens)
    return next((line for line in told if line.before == fired.before), None)


def uncounted_rows(context: ConversationContext, pair: Match, release: str) -> int:
    """How many messages in the rows the log does not count among those the compaction was given."""
    if pair.rows is None:
        return 0
    found = spared_rows(context, pair, release) or joined_rows(context, pair.rows, release)
    return found or len(retried(context.messages(pair.rows.before)))


def spared_rows(context: ConversationContext, pair: Match, release: str) -> int:
    """How many messages `/compress here` kept that the log leaves out and the rows hold in addition.

    0.21 counts them only after the compaction, and then states more messages after than before.
    """
    if behind := spared_behind(pair):
        return behind
    done, rows = pair.attempt.done if pair.attempt is not None else None, pair.rows
    if done is None or rows is None or done.before is None or rows.counted_before is None:
        return 0
    spared = rows.counted_before - done.before
    has_grown = done.after is not None and done.before < done.after == rows.counted_after
    kept = has_grown and 0 < spared <= rows.boundary.tail_rows
    return spared if kept and spared != joined_rows(context, rows, release) else 0


def spared_behind(pair: Match) -> int:
    """The same where the line leaves them out after the compaction too, as 0.16 and 0.17 do."""
    (attempt, rows), done = pair, pair.attempt.done if pair.attempt is not None else None
    if attempt is None or rows is None or attempt.cause.trigger is not Trigger.MANUAL or done is None:
        return 0
    if any(line.kind is Kind.HYGIENE_FAILED for line in attempt.inner):
        return 0  # a turn ran on while a gateway compressed behind it
    spared = (rows.counted_before or 0) - (done.before or 0)
    same = spared == (rows.counted_after or 0) - (done.after or 0)
    return spared if same and 0 < spared <= rows.boundary.tail_rows else 0


def spared_tokens(context: ConversationContext, pair: Match, release: str) -> int:
    """The size of what `/compress here` kept, where the line that states the rest leaves it out."""
    spared, estimate = spared_behind(pair), context.policy(release).estimate
    if pair.rows is None or not spared:
        return 0
    kept = context.messages(pair.rows.after[-spared:])
    return total_tokens([message_size(one.wire, estimate) for one in kept], estimate)


def joined_rows(context: ConversationContext, rows: BoundaryRows, release: str) -> int:
    """How many messages Hermes joined to the previous one, or dropped, before it called a model."""
    messages = context.messages(rows.before)
    return len(messages) - len(requested(messages, context.policy(release)))


def _from_rows(
    context: ConversationContext, rows: BoundaryRows, derived: Derived | None, release: str, left: int | None
) -> Counts:
    before, after = rows.counted_before, rows.counted_after
    if derived is None:
        return before, after
    if before is None and rows.gained is not None and left is not None:
        return left + rows.gained, after
    if before is not None and rows.last is not None and rows.last.role == "tool":
        before -= joined_rows(context, rows, release)
    if before is not None and after is None and not rows.opened.row_ids:
        after = _planned(context, rows, release)
    return before, after


def _planned(context: ConversationContext, rows: BoundaryRows, release: str) -> int | None:
    """How many messages the release's rules leave, where the new session was never written to."""
    from core.compress.planning.plan import plan_messages

    session = context.sessions[rows.session]
    settings = context.settings(release, session, context.window.tokens)
    plan = plan_messages(context.messages(rows.before), context.policy(release), settings)
    return plan.messages - plan.middle.size + 1 if plan.middle.size else None
