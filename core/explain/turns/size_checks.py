"""The checks of the size of a transcript, by the agent and by the gateway, as conditions of a decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.compress.sizing.hygiene import HygieneLimits, hygiene_limits
from core.explain.context.context import ConversationContext
from core.explain.context.gather import tolerance
from core.explain.turns.checks import LOOSE, SIZE, UNRECORDED, Check, Number, enabled
from core.explain.turns.draft import TurnDraft
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy
from core.model.compaction.event import Trigger
from core.model.compaction.settings import Settings

_COUNT = "waiting for the provider's count"


@dataclass(frozen=True, slots=True)
class AgentChecks:
    """What the agent compares the transcripts of one generation with.

    Attributes:
        threshold: None where the window is unknown.
        tools_known: The estimates hold the tools.
    """

    policy: Policy
    settings: Settings
    threshold: int | None
    tools_known: bool

    def size(self, number: Number, *, stated: int | None, uncounted: bool = False) -> Check:
        """Whether a number reaches the threshold, that which a line stated first; unsure close to it.

        Args:
            number: What was compared.
            stated: The threshold by a line.
            uncounted: An answer of the turn came without a count, as one that was cut off: what stands behind
                the last count may be in it already.
        """
        tokens, threshold = number.tokens, stated or self.threshold
        if threshold is None:
            return Check(SIZE, "a known window", f"{tokens:,}", None)
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
        return Check("messages", f"> {least}", str(messages), messages > least or huge)

    def deferral(self, trigger: Trigger, turn: TurnDraft, size: Check, *, counted: bool) -> Iterator[Check]:
        """Whether the check was passed over, or its estimate waited for a real count.

        Args:
            trigger: Which check.
            turn: The turn so far.
            size: What came of the size.
            counted: The provider has counted a prompt since the compaction before.
        """
        record, lines = _held(trigger, turn), turn.lines is not None
        if record is not None and (size.passed is not False or record.kind is Kind.PREFLIGHT_SKIPPED):
            reason = record.reason or record.message
            yield Check("passed over", "no", f"{record.where}: {reason}", False)
        elif self.policy.gate.deferral == "never":
            return
        elif not counted:
            # Right after a compaction every check waits for it; only a restart would make it forget.
            yield Check(_COUNT, "no", "none since the compaction" if lines else UNRECORDED, None)
        elif trigger is not Trigger.POST_RESPONSE:
            had = "no line says so" if lines else UNRECORDED
            had = "not asked" if size.passed is False else had
            yield Check(_COUNT, "no", had, True if lines and size.passed else None)


def _held(trigger: Trigger, turn: TurnDraft) -> LogRecord | None:
    """The line that says this check was passed over."""
    held = [record for after, record in turn.lines.held if after == turn.answers] if turn.lines else []
    first = trigger is Trigger.PREFLIGHT
    fits = [record for record in held if first or record.kind is not Kind.PREFLIGHT_SKIPPED]
    return fits[-1] if fits else None


def gateway_limits(context: ConversationContext, policy: Policy, window: int | None) -> HygieneLimits | None:
    """The limits under today's config; None without a window."""
    return hygiene_limits(policy, window, context.gateway_rows(policy.release))


def counted(record: LogRecord | None, estimate: int) -> Number:
    """What the gateway compares: the provider's last count, else its estimate of the rows alone.

    Args:
        record: The line of the last answered call.
        estimate: Of the rows, without system prompt and tools.
    """
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
) -> tuple[Check, ...]:
    """The conditions under which the gateway compacts before a turn.

    Args:
        policy: Of the release.
        settings: Whether compression is on.
        limits: What it compares with; None where the window is unknown.
        number: See `counted`.
        rows: Rows of the transcript before the new message.
        skip: The line that says the gateway passed it over, which it does of a transcript that is too large.
    """
    tokens, real = number.tokens, number.real
    found = [enabled(settings)]
    had = f"{'' if real else '~'}{tokens:,} tokens, {rows} rows"
    if limits is None:
        found.append(Check(SIZE, "a known window", had, None))
        return tuple(found)
    passed: bool | None = limits.reached(tokens, rows) is not None
    if skip is not None:
        passed = True
    elif not real and rows < limits.rows and abs(tokens - limits.tokens) <= tokens * LOOSE:
        passed = None
    found.append(Check(SIZE, f">= {limits.tokens:,} tokens, or >= {limits.rows:,} rows", had, passed))
    least = policy.hygiene.least
    found.append(Check("rows", f">= {least}", str(rows), rows >= least))
    if skip is not None:
        found.append(Check("passed over", "no", f"{skip.where}: {skip.text}", False))
    elif policy.hygiene.pause == "skips" and passed is not False:
        found.append(Check("pause after a failure", "none", UNRECORDED, None))
    return tuple(found)
