"""What a release decided at every step of a conversation, and why it did not compress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate

from core.compress.estimate import message_size, total_tokens
from core.explain.frame import Frame
from core.explain.situation import gate_of
from core.hermes.log import Kind, LogRecord
from core.model.event import Trigger
from core.model.message import Message
from core.model.session import Generation


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a decision.

    Attributes:
        needed, had: In words or figures.
        passed: None when nothing on record tells.
    """

    name: str
    needed: str
    had: str
    passed: bool | None


@dataclass(frozen=True, slots=True)
class Decision:
    """One moment at which the release looked at the size of the conversation.

    Attributes:
        trigger: Which check it is.
        row: The message it followed.
        tokens: The number compared; an estimate unless `real`.
        fires: Every condition passed; None when one is not on record.
    """

    trigger: Trigger
    row: int | None
    tokens: int
    real: bool
    checks: tuple[Check, ...]

    @property
    def fires(self) -> bool | None:
        """Whether it would have compressed."""
        if any(check.passed is False for check in self.checks):
            return False
        return None if any(check.passed is None for check in self.checks) else True

    @property
    def blocked_by(self) -> tuple[str, ...]:
        """The conditions that failed."""
        return tuple(check.name for check in self.checks if check.passed is False)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn and the decisions in it, in order."""

    index: int
    generation: int
    request: int | None
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class PromptPoint:
    """One answered call: what the provider counted, and what Hermes would have estimated.

    Attributes:
        at: UTC.
        estimate: System prompt, tools and messages; None where the rows of the call are not on disk.
        system, tools, messages: Its components; None where unknown.
    """

    at: datetime
    session: str | None
    where: str
    real: int
    cached: int | None
    output: int | None
    estimate: int | None = None
    system: int | None = None
    tools: int | None = None
    messages: int | None = None


def replay_turns(frame: Frame, generation: Generation) -> tuple[Turn, ...]:
    """Every turn of a generation with the checks its release makes.

    Real prompt sizes come from the log where it reaches back; elsewhere estimates stand in. Blocks kept in
    memory only, and those of the past, are not on record and leave a decision open.
    """
    messages = frame.messages(generation.row_ids)
    walker = _Walker(frame, generation, messages)
    starts = [i for i, message in enumerate(messages) if message.role == "user"]
    ends = [*starts[1:], len(messages)]
    skips = _skips(frame, generation)
    return tuple(
        Turn(
            number,
            generation.index,
            _row(messages[start]),
            tuple(walker.turn(start, end, skips.get(len(starts) - number))),
        )
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    )


def prompt_curve(frame: Frame) -> tuple[PromptPoint, ...]:
    """The real prompt size at every call on record, with Hermes' estimate beside it."""
    estimates = _estimates(frame)
    points = []
    for record in _calls(frame):
        known = estimates.get(record.where)
        parts = known or (None, None, None)
        points.append(
            PromptPoint(
                at=frame.clock.utc(record.at),
                session=record.session,
                where=record.where,
                real=record.input or 0,
                cached=record.cached,
                output=record.output,
                estimate=sum(part or 0 for part in parts) if known else None,
                system=parts[0],
                tools=parts[1],
                messages=parts[2],
            )
        )
    return tuple(points)


class _Walker:
    """Running sums over one generation, so that each decision costs a subtraction."""

    def __init__(self, frame: Frame, generation: Generation, messages: Sequence[Message]) -> None:
        self.frame, self.messages = frame, messages
        self.session = frame.sessions.get(generation.session_id, frame.conversation.tip)
        self.rules, self.policy = frame.checks(None), frame.policy(None)
        self.limits = frame.limits(None, self.session, frame.window.tokens)
        self.settings = frame.settings(None, self.session, frame.window.tokens)
        self.newest = generation is frame.conversation.generations[-1]
        estimate = self.policy.estimate
        sizes = [total_tokens([message_size(m.wire, estimate)], estimate) for m in messages]
        self.sums = (0, *accumulate(sizes))
        prompt = frame.prompt_tokens(self.session, self.policy) or 0
        self.fixed = prompt + (frame.tools_tokens(self.session) or 0)
        self.real = _real_sizes(frame, generation, messages)

    def turn(self, start: int, end: int, skip: LogRecord | None) -> Iterator[Decision]:
        """The decisions of one turn: at its start, before each call, after each round of tools."""
        first = self.decision(Trigger.PREFLIGHT, start + 1, None)
        yield first if skip is None else replace(first, checks=(*first.checks, _skipped(skip)))
        for position in range(start + 1, end):
            message = self.messages[position]
            behind_tools = message.role == "tool" and (
                position + 1 == end or self.messages[position + 1].role != "tool"
            )
            if not behind_tools:
                continue
            call = max(i for i in range(start, position) if self.messages[i].role != "tool")
            yield self.decision(Trigger.POST_RESPONSE, position + 1, self.real.get(call))
            if self.rules.pre_api:
                yield self.decision(Trigger.PRE_API, position + 1, None)

    def decision(self, trigger: Trigger, count: int, real: int | None) -> Decision:
        """One check over the first `count` messages."""
        tokens = real if real is not None else self.fixed + self.sums[count]
        checks = (*self._size_checks(trigger, tokens, count), *self._gate_checks(trigger, count))
        return Decision(trigger, _row(self.messages[count - 1]), tokens, real is not None, checks)

    def _size_checks(self, trigger: Trigger, tokens: int, count: int) -> Iterator[Check]:
        yield Check("compression.enabled", "true", str(self.settings.enabled).lower(), self.settings.enabled)
        threshold = self.limits.threshold if self.limits is not None else None
        needed = "a known window" if threshold is None else f">= {threshold:,} tokens"
        yield Check("size", needed, f"{tokens:,}", None if threshold is None else tokens >= threshold)
        if trigger is Trigger.PREFLIGHT:
            least = self.settings.protect_first + self.settings.protect_last + 1
            enough = count > least
            if self.rules.huge_counts and threshold is not None and not enough:
                enough = self.sums[count] >= threshold
            yield Check("messages", f"> {least}", str(count), enough)

    def _gate_checks(self, trigger: Trigger, count: int) -> Iterator[Check]:
        """Blocks at this moment; those of an earlier moment are not on record."""
        gate = gate_of(self.frame.store, self.session)
        last = self.newest and count == len(self.messages)
        rules = self.policy.gate
        if rules.cooldown:
            until = gate.cooldown_until
            free = until is None or gate.now is None or until <= gate.now
            had = "none" if until is None else f"until {until:%H:%M:%S} UTC"
            yield Check(
                "summary model pause", "over", had if last else "not on record", free if last else None
            )
        strikes = gate.ineffective_count
        guarded = trigger is not Trigger.PREFLIGHT or self.rules.preflight_guarded
        if guarded:
            known = last and strikes is not None
            had = str(strikes) if known else "not on record"
            passed = strikes < rules.strikes if known and strikes is not None else None
            yield Check("strikes", f"< {rules.strikes}", had, passed)


def _skips(frame: Frame, generation: Generation) -> dict[int, LogRecord]:
    """Lines that say the check at the start of a turn was passed over, by turns counted from the newest."""
    if generation is not frame.conversation.generations[-1]:
        return {}
    found: dict[int, LogRecord] = {}
    turns = 0
    pending: LogRecord | None = None
    for record in reversed(frame.log.records):
        if record.kind in (Kind.PREFLIGHT_SKIPPED, Kind.REENTRY_SKIPPED):
            pending = record
        elif record.kind is Kind.TURN and record.session in frame.sessions:
            if pending is not None:
                found[turns] = pending
            pending, turns = None, turns + 1
    return found


def _skipped(record: LogRecord) -> Check:
    reason = record.reason or f"the last real prompt was {record.input or 0:,}"
    return Check("passed over", "no", f"{record.where}: {reason}", False)


def _real_sizes(frame: Frame, generation: Generation, messages: Sequence[Message]) -> dict[int, int]:
    """Position of an answer -> the prompt its call carried, paired from the newest backwards."""
    calls = [record for record in _calls(frame) if generation.session_id in (record.session, record.tag)]
    answers = [i for i, message in enumerate(messages) if message.role == "assistant"]
    copies = generation.copies
    fresh = [i for i in answers if i >= copies]
    if generation is not frame.conversation.generations[-1]:
        return {}
    pairs = zip(reversed(fresh), reversed(calls), strict=False)
    return {position: record.input or 0 for position, record in pairs}


def _estimates(frame: Frame) -> dict[str, tuple[int | None, int | None, int]]:
    """Call line -> estimate by component, for the calls of the newest generation."""
    if not frame.conversation.generations:
        return {}
    generation = frame.conversation.generations[-1]
    messages = frame.messages(generation.row_ids)
    policy, session = frame.policy(None), frame.conversation.tip
    estimate = policy.estimate
    sums = (0, *accumulate(total_tokens([message_size(m.wire, estimate)], estimate) for m in messages))
    calls = [r for r in _calls(frame) if generation.session_id in (r.session, r.tag)]
    fresh = [i for i, m in enumerate(messages) if m.role == "assistant" and i >= generation.copies]
    system, tools = frame.prompt_tokens(session, policy), frame.tools_tokens(session)
    pairs = zip(reversed(fresh), reversed(calls), strict=False)
    return {record.where: (system, tools, sums[position]) for position, record in pairs}


def _calls(frame: Frame) -> tuple[LogRecord, ...]:
    ids = frame.sessions
    return tuple(r for r in frame.log.records if r.kind is Kind.CALL and r.input and r.session in ids)


def _row(message: Message) -> int | None:
    return message.row.id if message.row is not None else None
