"""What made one compaction run, and the numbers that decided it."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import NamedTuple

from core.compress.sizing.threshold import Budgets, has_small_summary_model
from core.explain.compactions.attempts import Attempt
from core.explain.compactions.causes import Cause
from core.explain.compactions.foreign_engine import rules_of_another
from core.explain.compactions.from_rows import UNDERIVED, Derived, derive
from core.explain.compactions.matching import Match
from core.explain.compactions.past_window import PastWindow, past_window
from core.explain.context.context import ConversationContext
from core.explain.context.gather import gateway_rows, without_gateway
from core.explain.context.log.log_claims import (
    first_failure,
    lowered_threshold,
    passed_over,
    stated_by_engine,
)
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import Trigger
from core.model.finding import Evidence, Source, Verdict
from core.model.transcript.session import Session
from core.support.formatting import moment

_SAME_THRESHOLD = 0.15
"""Any relevant change of settings moves the threshold by more than this share."""
BY_SIZE = (Trigger.PREFLIGHT, Trigger.PRE_API, Trigger.POST_RESPONSE)


class Ruling(NamedTuple):
    """What made a compaction run, and the numbers that decided it.

    Attributes:
        limits: The limits under today's config with the window in force then.
        lowered: The line that says the threshold was lowered for the summary model.
        others: Whose threshold it was, if not Hermes' own.
        past: The window in force then, and its evidence.
        denied: Why today's threshold cannot have been in force; if set, neither it nor the window is shown.
        counted: How many messages the gateway's line counts.
        most: At how many messages today's config makes the gateway compact.
    """

    trigger: Trigger
    verdict: Verdict
    tokens: int | None
    threshold: int | None
    window: int | None
    limits: Budgets | None
    derived: Derived | None
    lowered: LogRecord | None
    others: str | None
    past: PastWindow
    denied: str = ""
    counted: int | None = None
    most: int | None = None

    @property
    def window_verdict(self) -> Verdict:
        """How certain the window is: by a line of then, by files as old as that, or by files of today."""
        if self.window is None:
            return Verdict.UNKNOWN
        if self.past.stated:
            return Verdict.PROVED
        return Verdict.SUSPECTED if self.past.later else Verdict.DERIVED

    @property
    def by_count(self) -> bool:
        """Whether the gateway compacted because of the number of messages, below its token limit."""
        if self.trigger is not Trigger.HYGIENE or self.derived is not None:
            return False
        return self.tokens is not None and self.threshold is not None and self.tokens < self.threshold

    @property
    def messages(self) -> int | None:
        """How many messages the gateway counted, if their number made it compact."""
        return self.counted if self.by_count else None


def rule(context: ConversationContext, pair: Match, release: str) -> Ruling:
    """Decide what made one compaction run: from the log if it says, else from rows and rules."""
    if pair.own is not None:
        pair = pair._replace(attempt=None)  # no run of Hermes made it, whatever lines are near it
    attempt, cause = pair.attempt, pair.cause
    past, others, limits = past_window(context, pair), rules_of_another(context, pair), None
    session = context.sessions.get(pair.session(context), context.conversation.tip)
    if others is None:  # a log that records the attempt also records a lowering
        limits = context.limits(release, session, past.window, lowered=attempt is None)
    derived = _derived(context, pair, release, limits, others)
    trigger, verdict = _verdict(cause, derived)
    threshold, lowered = _threshold(context, attempt, past, limits, trigger, release)
    line = cause.line if cause is not None else None
    tokens = None if counts_what_was_said(context, pair, release) else _tokens(attempt, derived)
    counted = line.before if line is not None and line.kind is Kind.HYGIENE else None
    most = gateway_rows(context.config, context.policy(release))
    numbers = (tokens, threshold, past.window, limits, derived, lowered, others, past)
    found = _stated_by_engine(context, attempt, Ruling(trigger, verdict, *numbers, "", counted, most))
    if (threshold := found.threshold) is None:
        return found
    if cause is None or cause.threshold is None:
        found = found._replace(denied=_denied(context, attempt, found, threshold))
    if past.edited and attempt is not None:
        return _confirmed(context, attempt, release, session, found, threshold)
    if found.denied:
        return found._replace(threshold=None, window=past.window if past.stated else None)
    return found


def counts_what_was_said(context: ConversationContext, pair: Match, release: str) -> bool:
    """Whether the lines of a `/compress` count only what was said: a gateway left out the tool results."""
    session = context.sessions.get(pair.session(context), context.conversation.tip)
    by_hand = pair.cause is not None and pair.cause.trigger is Trigger.MANUAL
    return by_hand and not without_gateway(session.source) and not context.policy(release).hygiene.tool_rows


def _stated_by_engine(context: ConversationContext, attempt: Attempt | None, found: Ruling) -> Ruling:
    """The same with the threshold that a line of another engine states, where none is known."""
    if attempt is None or found.others is None or attempt.cause.trigger is Trigger.NATIVE:
        return found
    line = stated_by_engine(context.rare_lines, attempt.first.at)
    if line is None or found.threshold is not None:
        return found
    others = f"{found.others}: {line.threshold:,} by {line.where}"
    return found._replace(threshold=line.threshold, others=others)


def _confirmed(
    context: ConversationContext,
    attempt: Attempt,
    release: str,
    session: Session,
    found: Ruling,
    threshold: int,
) -> Ruling:
    """The same where config.yaml was edited since: only the numbers that lines and sizes of then confirm."""
    line = _lowered_in_run(context, attempt)
    is_confirmed = not found.denied and _confirmed_by_sizes(context, attempt, found, threshold)
    is_own = is_confirmed and found.lowered is None
    return found._replace(
        threshold=line.threshold if line is not None else threshold if is_confirmed else None,
        window=found.window if is_own and _implies_window(context, release, session, found) else None,
        limits=found.limits if is_confirmed else None,
        lowered=line or found.lowered,
    )


def _derived(
    context: ConversationContext, pair: Match, release: str, limits: Budgets | None, others: str | None
) -> Derived | None:
    """What rows and rules show where the log does not say; those of our journal only give the size."""
    rows, own = pair.rows, pair.own
    if rows is None or (pair.cause is not None and pair.cause.verdict is not Verdict.UNKNOWN):
        return None
    if own is None and others is not None:
        return UNDERIVED
    derived = derive(context, rows, release, limits.threshold if limits is not None else None)
    if own is None:
        return derived
    words = f"this program wrote its rows at {moment(own.at)}"
    proof = Evidence(Source.JOURNAL, f"journal {own.id}", words)
    return Derived(Trigger.INSPECTOR, Verdict.PROVED, derived.tokens, evidence=(proof,))


def _threshold(
    context: ConversationContext,
    attempt: Attempt | None,
    past: PastWindow,
    limits: Budgets | None,
    trigger: Trigger,
    release: str,
) -> tuple[int | None, LogRecord | None]:
    """The threshold in force, and the line that had lowered it by then."""
    cause = attempt.cause if attempt is not None else None
    line = cause.line if cause is not None else None
    if trigger is Trigger.HYGIENE and (line is None or line.kind is not Kind.HYGIENE):
        # Telemetry of such an attempt names the agent's threshold, which was not compared.
        return int(past.window * context.policy(release).hygiene.share) if past.window else None, None
    stated = cause.threshold if cause is not None else None
    threshold = limits.threshold if limits is not None else None
    if attempt is None or threshold is None:
        return stated or threshold, None
    # An attempt first checks the summary model's window: that line holds from the next attempt on.
    decided = line.at if line is not None else attempt.first.at
    lowered = lowered_threshold(context.rare_lines, threshold, decided)
    if lowered is None or stated not in (None, lowered.threshold):
        return stated or threshold, None
    return lowered.threshold, lowered


def _denied(context: ConversationContext, attempt: Attempt | None, found: Ruling, threshold: int) -> str:
    """Why a threshold of today's config was not in force then, in words; empty where nothing denies it."""
    derived, tokens = found.derived, found.tokens
    if derived is not None and not derived.explains:
        return f"the rows do not show a request that the {threshold:,} of today's config explains"
    if attempt is None:
        return ""
    if attempt.cause.trigger in BY_SIZE and tokens is not None and tokens < threshold:
        return f"{tokens:,} tokens do not reach the {threshold:,} of today's config"
    run, model = context.runs.get(attempt.first.where), attempt.started.model if attempt.started else None
    # Calls before a line that put the threshold in force passed under another one.
    setters = (found.lowered, found.past.shrunk.line if found.past.shrunk is not None else None)
    since = max((line.at for line in setters if line is not None), default=datetime.min)
    lines = (line for line in context.log.records if run is not None and context.runs.get(line.where) == run)
    until = first_failure(context.log.records)
    calls = passed_over((line for line in lines if since <= line.at <= until), model)
    over = (call for call in calls if call.input is not None and call.input >= threshold)
    for call in islice(over, _refusals(context), None):
        return f"{call.where}: {call.input or 0:,} tokens passed, which {threshold:,} would not have allowed"
    return ""


def _refusals(context: ConversationContext) -> int:
    """How many attempts of a process end before they log a line: they refuse the summary model's window."""
    rules = context.policy(None).threshold
    refused = has_small_summary_model(context.settings_in_force, rules)
    return int(refused and rules.retries_small_model)


def _lowered_in_run(context: ConversationContext, attempt: Attempt) -> LogRecord | None:
    """The line by which an attempt's run had lowered its threshold, whatever it was before."""
    run, found = context.runs.get(attempt.first.where), None
    decided = attempt.cause.line.at if attempt.cause.line is not None else attempt.first.at
    if run is None or all(one.kind is not Kind.AUX_LOWERED for one in context.rare_lines):
        return None
    for record in context.log.records:
        if record.at > decided:
            break
        if record.kind is Kind.AUX_LOWERED:
            found = record
        elif record.kind is Kind.CALL and context.runs.get(record.where) not in (None, run):
            found = None
    return found


def _confirmed_by_sizes(
    context: ConversationContext, attempt: Attempt, found: Ruling, threshold: int
) -> bool:
    """Whether a threshold lies closely between a size that passed in the same run and the one that fired."""
    if found.trigger not in BY_SIZE or found.tokens is None or found.tokens < threshold:
        return False
    run = context.runs.get(attempt.first.where)
    calls = (r for r in context.log.records if r.kind is Kind.CALL and r.at < attempt.first.at)
    sizes = (r.input for r in calls if run is not None and context.runs.get(r.where) == run and r.input)
    return any(threshold * (1 - _SAME_THRESHOLD) <= size < threshold for size in sizes)


def _implies_window(context: ConversationContext, release: str, session: Session, found: Ruling) -> bool:
    """Whether a threshold identifies its window: many windows share the lowest threshold."""
    window = found.window or 0
    others = (context.limits(release, session, one) for one in (window // 2, window * 2))
    return all(other is None or other.threshold != found.threshold for other in others)


def _verdict(cause: Cause | None, derived: Derived | None) -> tuple[Trigger, Verdict]:
    found = cause if derived is None else derived
    return (Trigger.UNKNOWN, Verdict.UNKNOWN) if found is None else (found.trigger, found.verdict)


def _tokens(attempt: Attempt | None, derived: Derived | None) -> int | None:
    if attempt is not None:
        for number in (attempt.started.tokens if attempt.started else None, attempt.cause.tokens):
            if number is not None:
                return number
    return derived.tokens if derived is not None else None
