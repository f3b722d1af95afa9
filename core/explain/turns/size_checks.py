"""A turn under construction, and whether agent and gateway found its transcript large enough to compress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.compress.sizing.hygiene import HygieneLimits
from core.explain.compactions.refusals import failed_call
from core.explain.compactions.turn_attempts import lowered_outputs
from core.explain.context.context import ConversationContext
from core.explain.context.gather import tolerance
from core.explain.turns.checks import (
    LOOSE,
    SIZE,
    UNRECORDED,
    Check,
    Decision,
    Number,
    PromptPoint,
    Turn,
    decision_of,
    enabled,
)
from core.explain.turns.turn_lines import TurnLines
from core.hermes.log.record import Kind, LogRecord
from core.hermes.markers.markers import typed
from core.hermes.policy.policy import Policy
from core.model.compaction.event import CompressionEvent, Trigger, TurnAttempt
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from core.redact.quick_check import masked_start

_EXCERPT_CHARS = 200
WAITING = "waiting for the provider's count"


@dataclass(slots=True)
class TurnDraft:
    """A turn under construction."""

    generation: int
    request: Message | None
    lines: TurnLines | None
    at: datetime | None
    answers: int = 0
    decisions: list[Decision] = field(default_factory=list)
    calls: list[PromptPoint] = field(default_factory=list)
    events: list[int] = field(default_factory=list)

    def call(self) -> LogRecord | None:
        """The line of the newest answer."""
        return self.lines.calls.get(self.answers) if self.lines is not None else None

    @property
    def uncounted(self) -> bool:
        """Whether an answer in it came without a count of its prompt."""
        return self.lines is not None and not all(call.input for call in self.lines.calls.values())

    def take(self, number: int, event: CompressionEvent) -> None:
        """Add an event that fell into it, and mark the newest check that may have caused the event."""
        self.events.append(number)
        for place in reversed(range(len(self.decisions))):
            if self.decisions[place].trigger is event.trigger and self.decisions[place].event is None:
                self.decisions[place] = decision_of(self.decisions[place], event, number)
                return

    def freeze(self, index: int, events: Sequence[CompressionEvent], *, enabled: bool) -> Turn:
        """The finished turn, numbered; whether compression is `enabled` decides what helps it."""
        request, own = self.request, tuple(sorted(set(self.events)))
        attempts = (events[number].attempt for number in own)
        return Turn(
            index,
            self.generation,
            row_of(request) if request else None,
            tuple(self.decisions),
            tuple(self.calls),
            own,
            self.at,
            masked_start(typed(request.text), _EXCERPT_CHARS) if request else "",
            tuple(attempt for attempt in attempts if attempt is not None),
            tuple(number for number in own if not events[number].completed),
            failed_call(line, enabled=enabled) if (line := self.lines and self.lines.unanswered) else None,
        )


def with_lowered_outputs(turns: Sequence[Turn], context: ConversationContext) -> tuple[Turn, ...]:
    """The turns with attempts spent on a lower output; those of compactions are already included."""
    found: dict[int, list[TurnAttempt]] = {}
    for at, attempt in lowered_outputs(context):
        begun = (place for place, turn in enumerate(turns) if turn.at is not None and turn.at <= at)
        found.setdefault(max(begun, default=0), []).append(attempt)
    return tuple(
        replace(turn, attempts=tuple(found[place])) if place in found and not turn.attempts else turn
        for place, turn in enumerate(turns)
    )


def row_of(message: Message) -> int | None:
    """The id of a message's row; None if it has none."""
    return message.row.id if message.row is not None else None


@dataclass(frozen=True, slots=True)
class AgentChecks:
    """What the agent compares the transcripts of one generation with.

    Attributes:
        threshold: None where the window is unknown, or another engine decides that named none.
        tools_known: The estimates include the tools.
    """

    policy: Policy
    settings: Settings
    threshold: int | None
    tools_known: bool

    def size(self, number: Number, *, stated: int | None, uncounted: bool = False) -> Check:
        """Whether a number reaches the threshold (the one stated by a line, if any); undecided close to it.

        `uncounted`: an answer of the turn came without a count, as a cut-off one does, so the last count may
        already include what came after it.
        """
        tokens, threshold = number.tokens, stated or self.threshold
        if threshold is None:
            return Check(SIZE, "a known limit", f"{tokens:,} tokens", None)
        needed, passed = f">= {threshold:,} tokens", tokens >= threshold
        if abs(tokens - threshold) <= number.since * (1 if uncounted else LOOSE):
            return Check(SIZE, needed, f"~{tokens:,}", None)
        if number.where is not None or tokens >= threshold * (1 + LOOSE):
            return Check(SIZE, needed, f"{tokens:,}", passed)
        unsure = tokens >= threshold * (1 - tolerance(tools_known=self.tools_known))
        lacking = "" if self.tools_known else " (tools not counted)"
        return Check(SIZE, needed, f"~{tokens:,}{lacking}", None if unsure else False)

    def count(self, messages: int, tokens: int) -> Check:
        """Whether there are enough messages at the start of a turn, or few but huge ones."""
        least = self.settings.protect_first + self.settings.protect_last + 1
        huge = self.policy.checks.huge_counts and self.threshold is not None and tokens >= self.threshold
        had = f"{messages}{', few but huge' if huge and messages <= least else ''}"
        return Check("messages", f"> {least}", had, messages > least or huge)

    def deferral(self, trigger: Trigger, turn: TurnDraft, size: Check, *, counted: bool) -> Iterator[Check]:
        """Whether the check was skipped, or waited for a counted prompt."""
        record, lines = _skip_line(trigger, turn), turn.lines is not None
        if record is not None and (size.passed is not False or record.kind is Kind.PREFLIGHT_SKIPPED):
            reason = record.reason or record.message
            yield Check("passed over", "no", f"{record.where}: {reason}", False)
        elif self.policy.gate.deferral == "never":
            return
        elif not counted:
            # Right after a compaction every check waits for that count; only a restart ends the wait.
            yield Check(WAITING, "no", "none since the compaction" if lines else UNRECORDED, None)
        elif trigger is not Trigger.POST_RESPONSE:
            asked, known = size.passed is not False, "no, by the log" if lines else UNRECORDED
            yield Check(WAITING, "no", known if asked else "not asked", True if lines and asked else None)


def _skip_line(trigger: Trigger, turn: TurnDraft) -> LogRecord | None:
    """The line that says this check was skipped."""
    skips = [record for after, record in turn.lines.skipped if after == turn.answers] if turn.lines else []
    first = trigger is Trigger.PREFLIGHT
    fits = [record for record in skips if first or record.kind is not Kind.PREFLIGHT_SKIPPED]
    return fits[-1] if fits else None


def counted(record: LogRecord | None, estimate: int) -> Number:
    """What the gateway compares: the provider's last count, else its own estimate of the rows alone."""
    if record is None or not record.input:
        return Number(estimate)
    return Number(record.input, True, record.where, estimate)


def gateway_checks(
    policy: Policy,
    settings: Settings,
    limits: HygieneLimits | None,
    number: Number,
    rows: int,
    skip: LogRecord | None = None,
) -> Iterator[Check]:
    """The conditions under which the gateway compacts before a turn.

    `skip` is the line that says it skipped the check, as it does for a transcript that is too large.
    """
    tokens, real = number.tokens, number.real
    yield enabled(settings)
    had = f"{'' if real else '~'}{tokens:,} tokens, {rows} rows"
    if limits is None:
        yield Check(SIZE, "a known window", had, None)
        return
    passed: bool | None = limits.reached(tokens, rows) is not None
    if skip is not None:
        passed = True
    elif not real and rows < limits.rows and abs(tokens - limits.tokens) <= tokens * LOOSE:
        passed = None
    yield Check(SIZE, f">= {limits.tokens:,} tokens, or >= {limits.rows:,} rows", had, passed)
    least = policy.hygiene.least
    yield Check("rows", f">= {least}", str(rows), rows >= least)
    if skip is not None:
        yield Check("passed over", "no", f"{skip.where}: {skip.text}", False)
    elif policy.hygiene.pause == "skips" and passed is not False:
        yield Check("pause after a failure", "none", UNRECORDED, None)
