"""Rules about compaction that runs too often, frees nothing, or no longer runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from core.explain.compactions.refusals import FailedCall, failed_call, turns_of, unanswered
from core.explain.context.gather import gateway_rows
from core.explain.context.rows.boundary_rows import BoundaryRows, is_request
from core.explain.context.rows.unsaved_rows import fresh_rows
from core.explain.diagnose.case import Case
from core.explain.diagnose.registry import Found, Missing, conversation_rule
from core.explain.diagnose.rules.compression.firing import to_fire_less
from core.explain.diagnose.rules.storage.structure import strikes_kept
from core.explain.headline.conversation import mend_summary
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import ASKED_FOR, BY_SETTING, CompressionEvent
from core.model.finding import Evidence, Severity, Source, Verdict
from core.model.transcript.message import Message
from core.support.formatting import clock, message_rows, plural

_LOOK = "Look at what compression cannot shrink: tools, system prompt, one long turn"


@conversation_rule("B1")
def did_not_clear(case: Case) -> Iterable[Found]:
    """The first counted prompt after a compaction is at or above the threshold."""
    if case.context.log.empty:
        raise Missing("no log line is left, and only the log has real prompt sizes")
    lines = case.lines(Kind.NOT_CLEARED)
    remedy = (mend_summary(case.completed[-1]) if case.completed else None) or _LOOK
    for record in lines:
        numbers = {"real": record.tokens or 0, "threshold": record.threshold or 0}
        yield Found({**numbers, "remedy": remedy}, (record.evidence,))
    if lines:
        return
    for event, call in _first_calls(case):
        if event.threshold is not None and (call.input or 0) >= event.threshold:
            numbers = {"real": call.input or 0, "threshold": event.threshold}
            remedy = mend_summary(event) or _LOOK
            yield Found({**numbers, "remedy": remedy}, (call.evidence,), Verdict.DERIVED)


@conversation_rule("B2")
def gave_up(case: Case, min_strikes: int) -> Iterable[Found]:
    """Failed attempts have switched automatic compression off."""
    if case.tip.guards.ineffective_count is not None:
        yield from filter(None, [strikes_kept(case.tip, case.now, min_strikes)])
        return  # the lines are of a moment that may be past
    lines = [
        line for line in case.lines(Kind.THRASH) if "repeated" in line.message or "saved <10%" in line.message
    ]
    if lines and not _recovered(case, lines[-1]):
        why = "the last compactions did not help, so it stopped trying"
        yield Found({"why": why, "afresh": "a new process or /new starts afresh"}, (lines[-1].evidence,))
    elif not lines and case.context.log.empty:
        raise Missing("this release counts failed attempts in memory only, and no log line is left")


@conversation_rule("B3")
def too_frequent(
    case: Case, min_count: int, max_minutes: int, few_calls: int, min_gaps: int
) -> Iterable[Found]:
    """Many compactions in an hour, or few calls between them."""
    span = timedelta(minutes=max_minutes)
    timed = [event for event in case.completed if event.at is not None and not _asked_for(event)]
    for place, (first, last) in enumerate(zip(timed, timed[min_count - 1 :], strict=False)):
        if last.at is not None and first.at is not None and last.at - first.at <= span:
            minutes = max(1, round((last.at - first.at).total_seconds() / 60))
            span_words = f"{clock(first.at)} to {clock(last.at)}"
            evidence = Evidence(Source.DERIVED, "compactions", span_words)
            words = f"{min_count} compactions within {minutes} min"
            remedy = to_fire_less(case, timed[place : place + min_count])
            yield Found({"told": words, "remedy": remedy}, (evidence,), Verdict.DERIVED)
            return
    gaps = [len(calls) for calls in _calls_between(case, timed)]
    if len(gaps) >= min_gaps and median(gaps) < few_calls:
        calls = "call" if median(gaps) == 1 else "calls"
        gap_words = f"about {median(gaps):g} {calls} apart" if median(gaps) else "one right after the other"
        words = f"{len(timed)} compactions, {gap_words}"
        evidence = Evidence(Source.DERIVED, "calls between", ", ".join(map(str, gaps[-12:])))
        yield Found({"told": words, "remedy": to_fire_less(case, timed)}, (evidence,), Verdict.DERIVED)


@conversation_rule("B4")
def fixed_point(case: Case, max_difference: float, min_count: int) -> Iterable[Found]:
    """The newest summaries have the same size, with no user message and no request for one in between."""
    asked = {(event.to_session, event.generation) for event in case.completed if _asked_for(event)}
    run: list[BoundaryRows] = []
    for earlier, later in pairwise(case.context.boundaries):
        by_hand = (later.opened.session_id, later.opened.index - 1) in asked
        alike = not by_hand and _alike(earlier, later, max_difference)
        run = [*(run or [earlier]), later] if alike and not _user_wrote(case, earlier) else []
    if len(run) >= min_count:
        sizes = ", ".join(f"{len(rows.summary.body):,}" for rows in run if rows.summary)
        evidence = Evidence(Source.DATABASE, "summaries", f"{sizes} characters")
        percent = f"{max_difference * 100:g}"
        yield Found({"count": len(run), "percent": percent}, (evidence,))


_HARDLY = 0.005
"""A share that is rounded to nothing if it is smaller."""
_NOT_DUE = ("short", "only_summaries")
"""Why an attempt found nothing to compress that is no fault."""
_AFRESH = (
    "Start afresh with /new, or have tools return less in each turn, as one long turn or large recent "
    "messages fill what is kept"
)


@conversation_rule("B5")
def no_progress(case: Case, min_saving: float) -> Iterable[Found]:
    """A compaction freed next to nothing."""
    failed = ((event, event.summary.failure) for event in case.events)
    excused = (event for event, why in failed if _asked_for(event) or (why and why.cause in _NOT_DUE))
    elsewhere = {line.where for event in excused for line in event.evidence}
    for record in case.lines(Kind.NO_PROGRESS):
        if record.where not in elsewhere:
            what = "A compaction was tried and left every message as it was"
            yield Found({"what": what, "freed": _freed(0.0), "remedy": _AFRESH}, (record.evidence,))
    for event in case.completed:
        if _asked_for(event):
            continue
        if event.tokens and event.tokens_after is not None:
            saved, unit = 1 - event.tokens_after / event.tokens, "tokens"
            before, after = event.tokens, event.tokens_after
        elif event.messages_before and event.messages_before == event.messages_after:
            saved, unit = 0.0, "messages"
            before, after = event.messages_before, event.messages_after
        else:
            continue
        if saved < min_saving:
            what = f"A compaction went from {before:,} {unit} to {after:,}"
            numbers = {"what": what, "freed": _freed(saved), "remedy": mend_summary(event) or _AFRESH}
            yield Found(numbers, event.evidence, event.verdict)


def _freed(share: float) -> str:
    return f"{share:.0%}" if share >= _HARDLY else "next to nothing" if share > 0 else "nothing"


@conversation_rule("B6")
def cannot_compress_further(case: Case, min_passes: int) -> Iterable[Found]:
    """Hermes gave up on a turn, or needed many compactions for it."""
    refused: LogRecord | None = None
    for record in case.lines(Kind.EXHAUSTED, Kind.CALL_FAILED, Kind.CALL):
        if record.kind is Kind.EXHAUSTED:
            numbers = {"what": "Hermes could not make the request small enough and ended the turn"}
            yield Found(numbers | {"helps": _helps_after(refused)}, (record.evidence,))
        refused = record if record.kind is Kind.CALL_FAILED else None
    passes: list[LogRecord] = []
    asked = {line.where for event in case.completed if _asked_for(event) for line in event.evidence}
    for record in case.lines(Kind.TURN, Kind.DONE):
        if record.kind is Kind.TURN:
            passes = []
        if record.kind is Kind.TURN or record.where in asked:
            continue
        passes.append(record)
        if len(passes) == min_passes:
            what = f"One turn needed {len(passes)} compactions or more"
            yield Found({"what": what, "helps": _helps_after(None)}, tuple(line.evidence for line in passes))


def _helps_after(refused: LogRecord | None) -> str:
    """What helps a turn that was given up after a refusal: not all are about the length."""
    failed = failed_call(refused) if refused is not None else None
    if failed is None or failed.means in ("input_overflow", "payload", "unknown"):
        return "Start a new session, or remove the message that is too large"
    return failed.helps.rstrip(".")


@conversation_rule("B7")
def hygiene_count_loop(case: Case, min_count: int) -> Iterable[Found]:
    """The gateway compresses again and again because of the number of messages."""
    limit = gateway_rows(case.context.config, case.policy)
    run: list[LogRecord] = []
    for record in case.lines(Kind.HYGIENE):
        by_count = (record.before or 0) >= limit and (record.tokens or 0) < (record.threshold or 0)
        run = [*run, record] if by_count else []
    if len(run) >= min_count:
        numbers = {"count": len(run), "messages": run[-1].before or 0, "limit": limit}
        yield Found(numbers, tuple(line.evidence for line in run[-3:]))


@conversation_rule("B8")
def reads_again(case: Case, first_calls: int, min_share: float, min_calls: int) -> Iterable[Found]:
    """Tool calls after a compaction repeat calls from before it."""
    for rows in case.context.boundaries:
        if not rows.before:
            continue
        later, stored = rows.opened.row_ids[len(rows.after) :], {*rows.opened.copy_ids}
        fresh = [row for row in later if row not in stored]  # the others were only stored again
        after = _calls(case.context.messages(fresh[: 3 * first_calls]))[:first_calls]
        if len(after) < min_calls:
            continue
        known = set(_calls(case.context.messages(rows.before)))
        again = sum(call in known for call in after)
        if again / len(after) >= min_share:
            evidence = Evidence(Source.DATABASE, message_rows(fresh), f"{again} calls seen before")
            yield Found({"again": again, "calls": len(after)}, (evidence,), session=rows.opened.session_id)


@conversation_rule("B9")
def slow_compaction(case: Case, info: int, warn: int) -> Iterable[Found]:
    """A compaction kept the user waiting."""
    if case.context.log.empty:
        raise Missing("no log line is left, and only the log has durations")
    for event in case.events:
        if event.duration is not None and event.duration > info:
            slow = event.duration > warn
            severity = Severity.WARNING if slow else Severity.INFO
            yield Found({"seconds": event.duration}, event.evidence, severity=severity)


@conversation_rule("B10")
def turn_without_answer(case: Case) -> Iterable[Found]:
    """A turn ended with a failed call; one finding for each meaning of the error."""
    ended, enabled = [unanswered(turn) for turn in turns_of(case.context)], case.settings.enabled
    over = None if ended and ended[-1] is not None else Severity.INFO  # later turns were answered
    meant = defaultdict[str, list[FailedCall]](list)
    for call in (failed_call(line, enabled=enabled) for line in ended if line is not None):
        meant[call.means].append(call)
    for calls in meant.values():
        counted = plural(len(calls), "turn ended", "turns ended")
        numbers = {"told": counted, "says": calls[-1].says, "helps": calls[-1].helps.rstrip(".")}
        yield Found(numbers, tuple(call.line.evidence for call in reversed(calls)), severity=over)


def _asked_for(event: CompressionEvent) -> bool:
    """Whether a person is known to have asked for it, or a setting did."""
    return event.trigger in BY_SETTING or (event.trigger in ASKED_FOR and event.verdict is Verdict.PROVED)


def _calls_between(case: Case, events: Sequence[CompressionEvent]) -> Iterator[tuple[Message, ...]]:
    """The model's answers between each compaction and the next."""
    for first, last in pairwise(events):
        if first.at is not None and last.at is not None:
            yield tuple(message for message in case.between(first.at, last.at) if message.role == "assistant")


def _first_calls(case: Case) -> Iterable[tuple[CompressionEvent, LogRecord]]:
    """For each compaction the first answered call before the next compaction."""
    calls = case.lines(Kind.CALL)
    ends = [event.at for event in case.completed]
    for event, end in zip(case.completed, [*ends[1:], None], strict=False):
        call = next((one for one in calls if _between(case, one, event.at, end)), None)
        if call is not None:
            yield event, call


def _between(case: Case, call: LogRecord, start: datetime | None, end: datetime | None) -> bool:
    at = case.context.clock.utc(call.at)
    return start is not None and at > start and (end is None or at < end)


def _recovered(case: Case, line: LogRecord) -> bool:
    """Whether a compaction after this line has restarted the count."""
    return any(done.at > line.at for done in case.lines(Kind.DONE))


def _alike(earlier: BoundaryRows, later: BoundaryRows, share: float) -> bool:
    if earlier.summary is None or later.summary is None:
        return False
    one, other = len(earlier.summary.body), len(later.summary.body)
    return abs(one - other) <= share * max(one, other)


def _user_wrote(case: Case, rows: BoundaryRows) -> bool:
    """Whether a person wrote anything in the generation that a compaction began."""
    return any(is_request(message) for message in case.context.messages(fresh_rows(rows.opened)))


def _calls(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for message in messages for call in message.tool_calls]
