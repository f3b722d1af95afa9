"""What made a compaction run, read from the lines before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import takewhile

from core.explain.compactions.refusals import refusal_of, triggers
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import Trigger
from core.model.finding import Verdict

_MAX_GAP = timedelta(minutes=2)
_LOOK_BACK = 4000
_STATED: Mapping[Kind, Trigger] = {
    Kind.PREFLIGHT: Trigger.PREFLIGHT,
    Kind.PRE_API: Trigger.PRE_API,
    Kind.HYGIENE: Trigger.HYGIENE,
    Kind.IDLE: Trigger.IDLE,
}
MISTAKEN = (Trigger.OVERFLOW, Trigger.PAYLOAD_TOO_LARGE)
"""Triggers whose refusal may have been about something else."""
_NATIVE = frozenset({Kind.NATIVE_STARTED, Kind.NATIVE_DONE})
_DECIDING = frozenset(
    {*_STATED, Kind.ENGINE_PREFLIGHT, Kind.CALL, Kind.CALL_FAILED, Kind.DONE, Kind.TURN, Kind.TURN_ENDED}
)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why an attempt ran.

    Attributes:
        tokens, threshold, window: As stated by the line that decided; None where it states none.
        call: The last successful provider call before the attempt.
        note: What the verdict rests on or lacks, in words.
    """

    trigger: Trigger
    verdict: Verdict
    tokens: int | None = None
    threshold: int | None = None
    window: int | None = None
    line: LogRecord | None = None
    call: LogRecord | None = None
    note: str = ""
    refused: str = ""

    def weakened(self, note: str) -> Cause:
        """The same cause, no longer proved."""
        if self.verdict is not Verdict.PROVED:
            return self
        return replace(self, verdict=Verdict.SUSPECTED, note=note)

    def completed(self, other: Cause) -> Cause:
        """The same cause with details of another line: telemetry of 0.20 and of plugin engines is short."""
        if self.trigger is Trigger.UNKNOWN:
            return other
        full = replace(self, call=other.call)
        if other.trigger is not self.trigger:
            return full
        full = replace(full, refused=other.refused, line=other.line if other.refused else self.line)
        if self.tokens is not None:
            return full
        numbers = replace(full, tokens=other.tokens, threshold=other.threshold, window=other.window)
        return replace(numbers, line=other.line or self.line)


def cause_of(
    thread: Sequence[LogRecord], position: int, previous: Cause | None, *, turns_tagged: bool
) -> Cause:
    """The cause of the attempt that the line at a position started.

    It is read from the nearest line before it that can decide: a comparison, a refused call, an answered
    call, or the end of the turn. `previous` is the cause of the attempt before, for repeated passes.
    """
    started = thread[position]
    if started.kind in _NATIVE:
        return Cause(Trigger.NATIVE, Verdict.PROVED, tokens=started.tokens, line=started)
    if started.focus is not None:
        note = "only a manual compression has a topic"
        return Cause(Trigger.MANUAL, Verdict.PROVED, line=started, note=note)
    call = _last_call(thread, position)
    if turns_tagged and started.tag and started.kind is Kind.STARTED and started.tokens is None:
        note = "no size is named: the provider reported no usage of the answer it follows"
        return Cause(Trigger.POST_RESPONSE, Verdict.DERIVED, line=started, call=call, note=note)
    for record in reversed(thread[max(0, position - _LOOK_BACK) : position]):
        if record.kind in _DECIDING and not _stray_hygiene(record, started):
            if record.kind is Kind.TURN_ENDED and turns_tagged and started.tag is not None:
                record = _answered_with(thread[:position], started) or record
            return replace(_decided(record, started, previous, turns_tagged), call=call)
    if turns_tagged and started.tag is None:
        return _outside_turn(None, started)
    return Cause(Trigger.UNKNOWN, Verdict.UNKNOWN, note="the log does not reach back far enough")


def cause_stated(record: LogRecord) -> Cause:
    """The cause stated by a line that announced an attempt which never began."""
    return _stated(record, record)


def cause_of_telemetry(record: LogRecord) -> Cause:
    """The cause a telemetry record names (0.22)."""
    telemetry = record.telemetry
    if telemetry is None:
        return Cause(Trigger.UNKNOWN, Verdict.UNKNOWN, line=record)
    table = triggers()
    name = table["telemetry"].get(telemetry.trigger, "unknown")
    if name == "overflow" and telemetry.overflow_reason:
        name = table["overflow_reasons"].get(telemetry.overflow_reason, name)
    if telemetry.route in table["native_routes"]:
        name = "native"
    verdict = Verdict.UNKNOWN if name == "unknown" else Verdict.PROVED
    return Cause(
        trigger=Trigger(name),
        verdict=verdict,
        tokens=telemetry.tokens,
        threshold=telemetry.threshold,
        window=telemetry.window,
        line=record,
        note=f"trigger_source {telemetry.trigger}",
    )


def trigger_in_short(trigger: Trigger) -> str:
    """A trigger in two or three words, for lists and charts."""
    return str(triggers()["short"][trigger.value])


def _decided(record: LogRecord, started: LogRecord, previous: Cause | None, turns_tagged: bool) -> Cause:
    if record.kind in _STATED:
        return _stated(record, started)
    if record.kind is Kind.ENGINE_PREFLIGHT:
        numbers = (record.tokens, record.threshold)
        return Cause(Trigger.ENGINE, Verdict.PROVED, *numbers, line=record)
    if turns_tagged and started.tag is None:
        return _outside_turn(record, started)
    if record.kind is Kind.CALL_FAILED:
        return _refused(record, started)
    if record.kind is Kind.CALL:
        return _after_response(record, started, turns_tagged)
    if record.kind is Kind.DONE and previous is not None:
        return _repeated_pass(record, previous)
    if record.kind is Kind.TURN_ENDED:
        note = "no turn was running"
        return Cause(Trigger.MANUAL, Verdict.DERIVED, line=record, note=note)
    note = "a turn had begun and no call was made yet"
    return Cause(Trigger.PREFLIGHT, Verdict.SUSPECTED, tokens=started.tokens, line=record, note=note)


def _stated(record: LogRecord, started: LogRecord) -> Cause:
    agrees = started.tokens in (None, record.tokens)
    is_recent = started.at - record.at <= _MAX_GAP
    verdict = Verdict.PROVED if agrees and is_recent and started.tokens is not None else Verdict.SUSPECTED
    return Cause(
        trigger=_STATED[record.kind],
        verdict=verdict,
        tokens=record.tokens,
        threshold=record.threshold,
        window=record.window,
        line=record,
        note="" if agrees else "the line and the attempt name different numbers",
    )


def _refused(record: LogRecord, started: LogRecord) -> Cause:
    refusal = refusal_of(record)
    is_recent = started.at - record.at <= _MAX_GAP
    if refusal is None:
        note = "the error names no size"
        return Cause(Trigger.OVERFLOW, Verdict.SUSPECTED, line=record, note=note)
    guessed = refusal.inferred and refusal.means != "input_overflow"
    note = "Hermes inferred an overflow from an error that names none" if guessed else ""
    verdict = Verdict.PROVED if is_recent else Verdict.SUSPECTED
    other = "" if refusal.means == "payload" else refusal.means
    return Cause(refusal.trigger, verdict, line=record, note=note, refused=other)


def _after_response(record: LogRecord, started: LogRecord, turns_tagged: bool) -> Cause:
    """After an answer: before 0.22 its counted prompt is compared, and the attempt repeats that number."""
    if record.input is not None and record.input == started.tokens:
        return Cause(Trigger.POST_RESPONSE, Verdict.PROVED, tokens=record.input, line=record)
    note = "it follows an answered call"
    if turns_tagged and record.input is not None and started.tokens is not None:
        note += f" of {record.input:,} tokens, but names {started.tokens:,}"
        return Cause(Trigger.POST_RESPONSE, Verdict.SUSPECTED, tokens=started.tokens, line=record, note=note)
    return Cause(Trigger.POST_RESPONSE, Verdict.DERIVED, tokens=started.tokens, line=record, note=note)


def _repeated_pass(record: LogRecord, previous: Cause) -> Cause:
    """Another pass right after one, with no call in between: no more certain than the first.

    A command makes one pass: the next one is of another command.
    """
    verdict = Verdict.DERIVED if previous.verdict is Verdict.PROVED else previous.verdict
    by_hand = previous.trigger is Trigger.MANUAL
    note = "no turn was running" if by_hand else "another pass of the same check"
    return replace(previous, tokens=None, line=record, verdict=verdict, note=note)


def _outside_turn(record: LogRecord | None, started: LogRecord) -> Cause:
    """The line carries no session tag: a command ran the compaction, or the gateway before the agent."""
    ended = record is not None and record.kind in (Kind.TURN_ENDED, Kind.DONE)
    note = "no turn was running" if ended else "the line was written outside a turn"
    verdict = Verdict.PROVED if ended else Verdict.DERIVED
    return Cause(Trigger.MANUAL, verdict, line=record or started, note=note)


def _answered_with(thread: Sequence[LogRecord], started: LogRecord) -> LogRecord | None:
    """The answered call of the number that an attempt names.

    A review in the background ends turns under the session's own tag while the conversation's runs on.
    """
    recent = takewhile(lambda one: started.at - one.at <= _MAX_GAP, reversed(thread[-_LOOK_BACK:]))
    answers = (one for one in recent if one.kind is Kind.CALL and one.input is not None)
    return next((one for one in answers if one.input == started.tokens), None)


def _last_call(thread: Sequence[LogRecord], position: int) -> LogRecord | None:
    for record in reversed(thread[max(0, position - _LOOK_BACK) : position]):
        if record.kind is Kind.CALL:
            return record
        if record.kind is Kind.TURN:
            return None
    return None


def _stray_hygiene(record: LogRecord, started: LogRecord) -> bool:
    """Whether a gateway line, which names no session, is about another chat: by its number or its age."""
    if record.kind is not Kind.HYGIENE:
        return False
    return started.at - record.at > _MAX_GAP or started.tokens not in (None, record.tokens)
