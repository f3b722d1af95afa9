"""Compaction attempts as the log records them: where each began, how it ended, and the lines in between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from core.explain.compactions.causes import Cause, cause_of, cause_of_telemetry, cause_stated
from core.explain.context.log.log_claims import OtherCompactions, belongs
from core.hermes.log.read import MAX_RUN_TIME
from core.hermes.log.record import Kind, LogRecord, Telemetry
from core.hermes.log.stopped import MODEL_CALLS
from core.model.compaction.event import Trigger
from core.model.finding import Verdict

_BEGINS = frozenset({Kind.STARTED, Kind.NATIVE_STARTED})
_ENDS = frozenset({Kind.DONE, Kind.NATIVE_DONE})
_ENDS_OPEN = _BEGINS | {Kind.TURN}
_NOT_BEGUN = frozenset({"blocked", "skipped"})
_OUTCOMES = frozenset(
    {Kind.ABORTED, Kind.FALLBACK, Kind.SUMMARY_FAILED, Kind.MAIN_MODEL_RETRY, Kind.NO_PROGRESS}
    | {Kind.EMPTY_TRANSCRIPT, Kind.REFUSED, Kind.SPLIT_FAILED, Kind.STALLED, Kind.SKIPPED}
    | {Kind.SUMMARY_CALL, Kind.AUX_CALL, Kind.AUX_LOWERED, Kind.REGION, Kind.CANNOT_COMPRESS}
    | {Kind.NOTHING_TO_COMPRESS, Kind.NOT_CLEARED}
    | {Kind.HYGIENE_DONE, Kind.HYGIENE_FAILED, Kind.HYGIENE_KEPT}
)
BY_AGENT = frozenset({Kind.PREFLIGHT, Kind.PRE_API})
"""Lines by which an agent announces an attempt."""
_FOLLOWS = BY_AGENT | {Kind.STARTED, Kind.DONE, Kind.TELEMETRY, Kind.CALL, Kind.CALL_FAILED, Kind.TURN}
_SAID_AT_ONCE = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, completed or not.

    Attributes:
        session: The session it began in.
        started, done, telemetry: Those of its lines that are left, at least one.
        inner: The lines between them that say how it went.
        following: The next provider call of the conversation.
    """

    session: str
    cause: Cause
    started: LogRecord | None = None
    done: LogRecord | None = None
    telemetry: LogRecord | None = None
    inner: tuple[LogRecord, ...] = ()
    following: LogRecord | None = None

    @property
    def record(self) -> Telemetry | None:
        """What its telemetry says, if there is any."""
        return self.telemetry.telemetry if self.telemetry is not None else None

    @property
    def first(self) -> LogRecord:
        """The earliest line of the attempt."""
        return next(line for line in (self.started, self.done, self.telemetry) if line is not None)

    @property
    def last(self) -> LogRecord:
        """The line that reports the commit, else the last line known."""
        return self.done or self.telemetry or self.first

    @property
    def completed(self) -> bool:
        """Whether the log says that a new transcript was put in place."""
        if self.done is not None:
            return all(line.kind is not Kind.NOT_STORED for line in self.inner)
        return self.record is not None and self.record.commit == "committed"

    @property
    def duration(self) -> float | None:
        """Seconds from the first line to the last, or as the telemetry states them."""
        if self.record is not None and self.record.duration is not None:
            return self.record.duration
        if self.started is None or self.done is None:
            return None
        return (self.done.at - self.started.at).total_seconds()


@dataclass(slots=True)
class _Draft:
    """An attempt whose lines are still being collected."""

    session: str
    cause: Cause
    position: int
    started: LogRecord | None = None
    done: LogRecord | None = None
    telemetry: LogRecord | None = None
    inner: list[LogRecord] = field(default_factory=list)
    open: bool = True
    end: int = 0

    def freeze(self, following: LogRecord | None) -> Attempt:
        return Attempt(
            self.session, self.cause, self.started, self.done, self.telemetry, tuple(self.inner), following
        )


def find_attempts(
    records: Iterable[LogRecord],
    sessions: Collection[str],
    *,
    turns_tagged: bool,
    gateway: bool = False,
    compactions: Sequence[LogRecord] = (),
    settled: Callable[[datetime], bool] = lambda at: True,
) -> tuple[Attempt, ...]:
    """Every attempt in a conversation, oldest first.

    `turns_tagged`: a line without a session tag was written outside a turn. So it is before 0.20; from then
    on the work runs in a thread pool whose lines carry no tag. A `gateway` compresses between turns too. What
    was announced at a `settled` moment would have begun by now.
    """
    others = OtherCompactions(compactions, sessions)
    # A thread keeps its tag across a branch, so the tag may name another conversation; the session does not.
    thread = [record for record in records if record.session is None or record.session in sessions]
    drafts: list[_Draft] = []
    for position, record in enumerate(thread):
        if record.kind in _OUTCOMES:
            _join(drafts, record, others, turns_tagged)
        else:
            _add_record(drafts, thread, position, record, turns_tagged)
    for done in compactions:
        if done.kind is Kind.DONE and done.session not in sessions and done.tag in sessions:
            # Another process completed it in another conversation, which continues the same session.
            for draft in list(_running(drafts, done))[-1:]:
                drafts.remove(draft)
    unbegun = [one for one in _never_begun(thread, sessions) if settled(one.first.at)]
    used = {line.where for one in unbegun for line in one.inner}
    for draft in drafts:
        draft.inner = [line for line in draft.inner if line.where not in used]
    found = [draft.freeze(_next_call(thread, draft)) for draft in drafts]
    place = {line.where: at for at, line in enumerate(thread)}
    return tuple(sorted([*_checked(found, gateway), *unbegun], key=lambda one: place[one.first.where]))


def _add_record(
    drafts: list[_Draft], thread: Sequence[LogRecord], position: int, record: LogRecord, turns_tagged: bool
) -> None:
    if record.kind in _ENDS_OPEN and drafts:
        drafts[-1].open = False
    if record.kind in _BEGINS:
        previous = drafts[-1].cause if drafts else None
        cause = cause_of(thread, position, previous, turns_tagged=turns_tagged)
        drafts.append(_Draft(record.session or "", cause, position, started=record))
    elif record.kind is Kind.MICRO and record.after is not None:
        cause = Cause(Trigger.MICRO, Verdict.PROVED, tokens=record.tokens, line=record)
        drafts.append(_Draft(record.session or "", cause, position, done=record, open=False, end=position))
    elif record.kind in _ENDS:
        _add_done(drafts, thread, position, record)
    elif record.kind is Kind.GREW and drafts and drafts[-1].open and (begun := drafts[-1].started):
        drafts[-1].started = begun.counting(record.after)
    elif record.kind is Kind.NOT_STORED and (done := drafts[-1].done if drafts else None):
        drafts[-1].inner += [record] if record.at - done.at <= _SAID_AT_ONCE else []
    elif record.kind is Kind.TELEMETRY and record.telemetry is not None:
        _take_telemetry(drafts, position, record, record.telemetry)


def _join(drafts: list[_Draft], record: LogRecord, others: OtherCompactions, turns_tagged: bool) -> None:
    """Add a line that says how an attempt went to the open attempt, if it can belong to that one."""
    draft = drafts[-1] if drafts else None
    if draft is None or not draft.open or draft.started is None:
        return
    if record.kind is Kind.SKIPPED and any(line.kind in MODEL_CALLS for line in draft.inner):
        return  # an attempt that asked a model is not skipped itself: it makes a later one be skipped
    previous = draft.inner[-1] if draft.inner else draft.started
    if belongs(record, draft.started, previous, others, turns_tagged=turns_tagged):
        draft.inner.append(record)


def _add_done(drafts: list[_Draft], thread: Sequence[LogRecord], position: int, record: LogRecord) -> None:
    for draft in [*drafts[-1:], *_left_behind(drafts), *_running(drafts, record)]:
        if draft.done is None and _closes(draft, record):
            draft.done, draft.end, draft.open = record, position, False
            return
    if drafts and _logged_twice(drafts[-1], record):
        return
    cause = cause_of(thread, position, None, turns_tagged=False)
    if cause.trigger is not Trigger.NATIVE:
        cause = cause.weakened("the line that opened it is lost")
    drafts.append(_Draft(record.session or "", cause, position, done=record, open=False, end=position))


def _left_behind(drafts: Sequence[_Draft]) -> Iterator[_Draft]:
    """Attempts a gateway stopped waiting for, which run on behind the turn."""
    return (one for one in reversed(drafts) if Kind.HYGIENE_FAILED in {line.kind for line in one.inner})


def _running(drafts: Sequence[_Draft], done: LogRecord) -> Iterator[_Draft]:
    """Attempts that a `done` line ends though another process began one since, newest first."""
    for draft in reversed(drafts):
        begun, kinds = draft.started, {line.kind for line in draft.inner}
        if begun is not None and timedelta() <= done.at - begun.at <= MAX_RUN_TIME:
            free = draft.done is None and draft.telemetry is None and kinds <= MODEL_CALLS
            if free and _closes(draft, done):
                yield draft


def _closes(draft: _Draft, done: LogRecord) -> bool:
    """Whether a `done` line ends an attempt: both state how many messages went in."""
    if any(line.kind is Kind.SKIPPED for line in draft.inner):
        return False
    if draft.started is None or (draft.started.kind is Kind.STARTED) is not (done.kind is Kind.DONE):
        return False
    return done.kind is Kind.NATIVE_DONE or draft.started.before == done.before


def _logged_twice(draft: _Draft, done: LogRecord) -> bool:
    """Whether a provider's own compaction is reported again: once when noticed, once when it is over."""
    known = draft.done
    return known is not None and known.kind is done.kind is Kind.NATIVE_DONE and known.text == done.text


def _take_telemetry(drafts: list[_Draft], position: int, record: LogRecord, telemetry: Telemetry) -> None:
    cause = cause_of_telemetry(record)
    for draft in [*reversed(drafts[-3:]), *_left_behind(drafts)]:
        begun = draft.started is not None or telemetry.commit not in _NOT_BEGUN
        known = draft.started.tokens if draft.started is not None else None
        fits = begun and (known is None or telemetry.tokens in (None, known))
        if draft.telemetry is None and _same_attempt(draft, record) and fits:
            draft.cause = cause.completed(draft.cause)
            draft.telemetry, draft.end, draft.open = record, position, False
            return
    if telemetry.commit not in _NOT_BEGUN:
        session = record.session or ""
        drafts.append(_Draft(session, cause, position, telemetry=record, open=False, end=position))


def _same_attempt(draft: _Draft, record: LogRecord) -> bool:
    """Whether telemetry is of the attempt: a lone `done` line names the new session, as does the tag."""
    alone = draft.started is None and draft.done is not None
    return draft.session == (record.tag if alone else record.session)


def _next_call(thread: Sequence[LogRecord], draft: _Draft) -> LogRecord | None:
    for record in thread[max(draft.position, draft.end) + 1 :]:
        if record.kind is Kind.CALL:
            return record
        if record.kind in _ENDS_OPEN:
            return None
    return None


def _checked(attempts: Iterable[Attempt], gateway: bool) -> Iterator[Attempt]:
    """Withdraw a proof where the log lacks calls: the line of another cause may be missing with them."""
    for attempt in attempts:
        lacking = _lacking(attempt, gateway) if attempt.telemetry is None else ""
        yield replace(attempt, cause=attempt.cause.weakened(lacking)) if lacking else attempt


def _lacking(attempt: Attempt, gateway: bool) -> str:
    """What the log should hold beside an attempt but does not, in words; empty when it is complete."""
    call, following = attempt.cause.call, attempt.following
    if gateway and attempt.cause.trigger is Trigger.POST_RESPONSE and following is None:
        # A check between turns compares the same number.
        return "no further call of that turn is on record"
    topic = attempt.started.focus if attempt.started is not None else None
    if gateway and attempt.cause.trigger is Trigger.MANUAL and topic is None:
        return "a line of the gateway that asked for it would be missed here"
    before, after = (line.number if line is not None else None for line in (call, following))
    gap = before is not None and after is not None and after != before + 1
    return "calls are missing from the log" if gap and attempt.cause.trigger is not Trigger.MANUAL else ""


def _never_begun(thread: Sequence[LogRecord], sessions: Collection[str]) -> Iterator[Attempt]:
    """Announced attempts that never began: Hermes stopped there, or a pause held the gateway back."""
    for place, line in enumerate(thread):
        if line.session is None or line.session not in sessions:
            continue
        if line.kind in BY_AGENT and _turn_ended(thread, place):
            yield Attempt(line.session, cause_stated(line), started=line)
        elif line.kind is Kind.HYGIENE_KEPT:
            yield from _announced_before(thread, place, line.session)


def _turn_ended(thread: Sequence[LogRecord], place: int) -> bool:
    """Whether the next turn begins after a line, or the log ends."""
    later = (thread[at].kind for at in range(place + 1, len(thread)))
    return next((kind is Kind.TURN for kind in later if kind in _FOLLOWS), True)


def _announced_before(thread: Sequence[LogRecord], place: int, session: str) -> Iterator[Attempt]:
    """The announcement of an attempt that changed nothing, by the numbers of the gateway's last line."""
    kept = thread[place]
    ends = (line for line in thread[place + 1 :] if line.kind is Kind.HYGIENE_DONE)
    end = next((line for line in ends if line.at - kept.at <= _SAID_AT_ONCE), None)
    if end is None or end.after != end.before:
        return
    for line in reversed(thread[:place]):
        if line.kind is Kind.STARTED:
            return  # it did begin
        if line.kind is Kind.HYGIENE and (line.before, line.tokens) == (end.before, end.tokens):
            yield Attempt(session, cause_stated(line), started=line, inner=(kept, end))
            return
