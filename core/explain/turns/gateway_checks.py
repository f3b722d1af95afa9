"""The gateway's check before a turn, as one decision of the turn's table."""

from __future__ import annotations

from core.compress.sizing.hygiene import HygieneLimits, hygiene_limits
from core.explain.context.context import ConversationContext
from core.explain.turns.checks import LOOSE, SIZE, UNRECORDED, Check, Number, enabled
from core.hermes.log.record import LogRecord
from core.hermes.policy.policy import Policy
from core.model.compaction.settings import Settings


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
