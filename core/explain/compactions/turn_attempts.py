"""The number of a compaction among the attempts of its turn, and how the turn ended, from the log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from core.explain.compactions.attempts import Attempt
from core.explain.compactions.refusals import refusal_of, triggers, window_in, window_left
from core.explain.context.context import ConversationContext
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy
from core.hermes.provider_errors.failure import OUTPUT_MARGIN
from core.hermes.provider_errors.reaction import is_output_cap, parsed_available, parsed_limit
from core.model.compaction.event import Trigger, TurnAttempt

BY_REFUSAL = (Trigger.OVERFLOW, Trigger.PAYLOAD_TOO_LARGE, Trigger.LONG_CONTEXT_TIER)
TAKES_ATTEMPTS = (*BY_REFUSAL, Trigger.PRE_API)


def attempt_of(context: ConversationContext, attempt: Attempt, release: str) -> TurnAttempt | None:
    """The number of a compaction among its turn's attempts; None where no line tells."""
    counted = [one for one in _counted(context, release) if one.line.at <= attempt.first.at]
    kind = Kind.PRE_API if attempt.cause.trigger is Trigger.PRE_API else Kind.CALL_FAILED
    if not counted or counted[-1].line.kind is not kind:
        return None
    found = counted[-1].attempt
    ended = found.end is None and not attempt.completed and _unusable(context, found, release)
    return replace(found, end="too_small") if ended else found


def lowered_outputs(context: ConversationContext) -> tuple[tuple[datetime, TurnAttempt], ...]:
    """The attempts that were spent on asking for less output, with their times."""
    found = _counted(context, context.release.release)
    return tuple((context.clock.utc(one.line.at), one.attempt) for one in found if one.attempt.output)


def _counted(context: ConversationContext, release: str) -> list[_Counted]:
    window = context.window
    counting = _AttemptCounter(context.policy(release), window.tokens, window.source == "config")
    seen: tuple[int | None, datetime] = (None, datetime.min)
    for record in context.log.records:
        run = context.runs.get(record.where)
        if run is None and record.kind is Kind.TURN:
            began = any(seen[1] < start <= record.at for start in context.log.starts)
        else:
            began = run is not None and run != seen[0]
        seen = seen[0] if run is None else run, record.at
        counting.take(record, began)
    return counting.found


def _unusable(context: ConversationContext, found: TurnAttempt, release: str) -> bool:
    """Whether no summary model fits so small a window, as the main model is the only one."""
    own = context.config.value("auxiliary.compression.model", release)
    least = context.policy(release).overflow.min_window
    window = found.window_after or found.window_before
    return not own and window is not None and window < least


def lines(attempt: TurnAttempt) -> Iterator[str]:
    """The attempt in words, one fact a line."""
    yield f"attempt {attempt.number} of at most {attempt.most} in a turn"
    if attempt.window_after is not None:
        moved = f"from {attempt.window_before or 0:,} to {attempt.window_after:,}"
        yield f"the window went {moved}; {_kept(attempt)}"
    if attempt.end is not None:
        yield triggers()["ends"][attempt.end]


def _kept(attempt: TurnAttempt) -> str:
    if attempt.stored is None:
        return "it is kept in context_length_cache.yaml once a call fits"
    if attempt.stored:
        return "it is kept in context_length_cache.yaml; model.context_length in config.yaml comes before it"
    return "only the running process knows it"


@dataclass(slots=True)
class _Counted:
    """A line that used up an attempt."""

    line: LogRecord
    attempt: TurnAttempt


class _AttemptCounter:
    """Counts the attempts of every turn along the log; each process begins with the window from files."""

    def __init__(self, policy: Policy, window: int | None, configured: bool) -> None:
        self.policy, self.window = policy, window
        self.begins, self.configured = window, configured
        self.found: list[_Counted] = []
        self.used = 0
        self.compacted = False
        self.running: _Counted | None = None

    def take(self, record: LogRecord, began: bool) -> None:
        """Take one more line; `began` means a process may have started with it."""
        if began:
            self.window = self.begins
        self.compacted |= record.kind is Kind.DONE
        self.window = window_in(record) or self.window
        if record.kind in (Kind.TURN, Kind.REARMED, Kind.MODEL_REPLACED):
            self.used = 0
        if record.kind in (Kind.TURN, Kind.TURN_ENDED):
            self.running = None
        elif record.kind is Kind.CALL:
            self._ends("fits")
        elif record.kind is Kind.EXHAUSTED:
            self._ends("stuck" if record.number is None else "exhausted")
        elif record.kind is Kind.PRE_API and self.policy.overflow.pre_api_counts:
            self._add(record, None)
        elif record.kind is Kind.CALL_FAILED:
            self._refused(record)

    def _refused(self, record: LogRecord) -> None:
        text = record.text or record.message
        if refusal_of(record) is None:
            return
        self._ends("refused")
        room = parsed_available(text, self.policy.release)
        if room is None and is_output_cap(text, self.policy.release):
            return  # no attempt: this release stops here
        if self.used >= self.policy.overflow.attempts:
            return  # refused once more than there are attempts
        self._add(record, window_left(record, self.window, self.policy), room)

    def _add(self, record: LogRecord, after: int | None, room: int | None = None) -> None:
        pre_api = record.kind is Kind.PRE_API
        self.used = (record.number or self.used + 1) if pre_api else self.used + 1
        stated = after is not None and after == parsed_limit(record.text or "", self.policy.release)
        at_once = self.policy.overflow.stores_limit == "read"
        stored = (True if at_once else None) if stated else False
        made = TurnAttempt(
            self.used,
            self.policy.overflow.attempts,
            self.window,
            after,
            None if after is None else stored,
            output=None if room is None else max(1, room - OUTPUT_MARGIN),
        )
        self.running, self.compacted = _Counted(record, made), False
        self.found.append(self.running)
        self.window = after or self.window

    def _ends(self, end: str) -> None:
        if self.running is None and self.used and end == "exhausted":
            self.running = self.found[-1]  # it had been refused once more
        if self.running is None:
            return
        made = replace(self.running.attempt, end=end)
        if end == "fits" and made.window_after is not None and made.stored is None:
            forgotten = self.policy.overflow.stores_limit == "unless_compacted" and self.compacted
            made = replace(made, stored=not forgotten)
        if made.stored and not self.configured:
            self.begins = made.window_after
        self.running.attempt, self.running = made, None
