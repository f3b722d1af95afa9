"""What a provider's refusal says about the size of a request, and the window an agent uses afterwards."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from core.explain.context.log.log_claims import STATES_WINDOW, about
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy
from core.hermes.provider_errors.failure import LONG_CONTEXT_TIER, count, failure_of
from core.hermes.provider_errors.meaning import meaning_of
from core.hermes.provider_errors.reaction import is_output_cap, lower_window, parsed_available, parsed_limit
from core.model.compaction.event import CompressionEvent, Trigger
from core.model.finding import Headline, Severity, shortened
from core.support.formatting import limit, round_number, short
from core.support.program_files import shared_table

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext

headlines = partial(shared_table, "core/explain/headline/headlines.yaml")
triggers = partial(shared_table, "core/explain/compactions/triggers.yaml")
_OF_THE_WINDOW = frozenset({"input_overflow", "output_cap"})
_NAMES_WINDOW = frozenset({Kind.LIMIT_REPORTED, Kind.CALL_FAILED})
_BY_AGENT = frozenset(STATES_WINDOW) - {Kind.HYGIENE}
_ENDS = frozenset({Kind.CALL, Kind.CALL_FAILED, Kind.TURN_ENDED})
_TRIED_AGAIN = timedelta(minutes=2)
"""Hermes retries a call within this time."""


class Refusal(NamedTuple):
    """How a provider's error is interpreted.

    Attributes:
        inferred: The text names no overflow; Hermes infers one from the size of the session.
        means: What it is really about, however Hermes took it: `input_overflow`, `output_cap`, ...
    """

    trigger: Trigger
    inferred: bool
    limit: int | None
    means: str


def refusal_of(record: LogRecord) -> Refusal | None:
    """What a failed call says about the size of the request; None when it is about something else."""
    return refusal_in(f"{record.message} {record.text or ''}", record.text)


def refusal_in(text: str, message: str | None = None) -> Refusal | None:
    """The same for the text of an error, or for what the provider said where that is quoted separately."""
    lower = text.lower()
    # The class of the error comes before its text: a RateLimitError may hold a refused output.
    message = message or text.rpartition("summary=")[2]
    for entry in triggers()["errors"]:
        if any(words in lower for words in entry["texts"]):
            meaning = meaning_of(failure_of(message))
            window = meaning.limit if meaning.kind in _OF_THE_WINDOW else _limit(message.lower())
            inferred = entry.get("inferred", False)
            means = "unexplained" if inferred and meaning.kind == "unknown" else meaning.kind
            return Refusal(Trigger(entry["trigger"]), inferred, window, means)
    return None


def stated_window(record: LogRecord, release: str) -> int | None:
    """The window a release reads from a refusal; None where it names none, or only the room for output."""
    text, refusal = record.text or record.message, refusal_of(record)
    if refusal is None or refusal.trigger not in (Trigger.OVERFLOW, Trigger.LONG_CONTEXT_TIER):
        return None
    if refusal.trigger is Trigger.LONG_CONTEXT_TIER:
        return LONG_CONTEXT_TIER
    return None if _of_output(text, release) else parsed_limit(text, release)


def window_left(record: LogRecord, window: int | None, policy: Policy) -> int | None:
    """The smaller window an agent uses after a refusal; None where it keeps its window."""
    stated, refusal = stated_window(record, policy.release), refusal_of(record)
    if window is None:
        return stated
    stepped = refusal is not None and refusal.trigger is Trigger.OVERFLOW
    if not stepped or _of_output(record.text or record.message, policy.release):
        return stated if stated is not None and stated < window else None
    return lower_window(stated, window, policy.overflow)


def window_in(record: LogRecord) -> int | None:
    """The window that a line states for the agent; the gateway's own check may use another."""
    found = record.telemetry
    by_gateway = found is not None and triggers()["telemetry"].get(found.trigger) == Trigger.HYGIENE
    return record.window if record.kind in _BY_AGENT and not by_gateway else None


def _of_output(text: str, release: str) -> bool:
    """Whether a refusal is about the requested output, which leaves the window unchanged."""
    return parsed_available(text, release) is not None or bool(is_output_cap(text, release))


def _limit(text: str) -> int | None:
    for pattern in triggers()["limits"]:
        if found := re.search(pattern, text):
            return count(found[1].replace(",", ""))
    return None


def refused_windows(context: ConversationContext) -> Iterator[tuple[int, LogRecord]]:
    """Windows that the provider stated for the running model, in a refusal or otherwise."""
    own, model = about(context.log, context.sessions), context.conversation.tip.model
    for record in context.rare_lines:
        if (
            record.kind not in _NAMES_WINDOW
            or not own(record)
            or (model and record.model not in (None, model))
        ):
            continue
        if record.kind is Kind.LIMIT_REPORTED and record.window:
            yield record.window, record
        refusal = refusal_of(record)
        if refusal is not None and refusal.limit:
            yield refusal.limit, record


def provider_limit(context: ConversationContext, threshold: int | None) -> tuple[int, LogRecord] | None:
    """The window by a provider that refuses before a threshold is reached, and the line that tells it."""
    least = min(refused_windows(context), key=lambda pair: pair[0], default=None)
    if least is None or threshold is None:
        return None
    answered = max(context.log.prompts, default=0)
    return least if answered < least[0] <= threshold else None


def refuses_before_due(context: ConversationContext, tokens: int | None, threshold: int | None) -> int | None:
    """The window by a provider that refuses first; None if nothing shows that, or compression is due."""
    if tokens is None or threshold is None or tokens >= threshold:
        return None
    served = provider_limit(context, threshold)
    return None if served is None else served[0]


def refused_first(
    context: ConversationContext, tokens: int | None, threshold: int | None, window: int | None
) -> Headline | None:
    """That the provider refuses first, and what helps; None as for `refuses_before_due`.

    `tokens` is the size of the next request, `window` what Hermes assumes.
    """
    most = refuses_before_due(context, tokens, threshold)
    if most is None or tokens is None or threshold is None:
        return None
    table, least = headlines(), context.policy(None).threshold.minimum
    sentence = table["refused_next" if tokens >= most else "refused_first"].format(
        most=round_number(most),
        tokens=short(tokens),
        left=short(most - tokens),
        limit=limit(threshold, window),
    )
    helps = table["after_refusal" if most >= least else "after_small_refusal"].format(
        window=round_number(most), expected=round_number(window), least=round_number(least)
    )
    return Headline(f"{sentence}.", f"{helps}.", Severity.WARNING)


def refused_earlier(context: ConversationContext, threshold: int | None) -> Iterator[str]:
    """A note that no request can reach a threshold, because the provider refuses smaller ones."""
    if (served := provider_limit(context, threshold)) is not None:
        words = f"the provider refuses beyond {served[0]:,} tokens, before {threshold:,} are reached"
        yield f"{served[1].where}: {words}"


class FailedCall(NamedTuple):
    """A call that failed and that no answer followed.

    Attributes:
        text: What the provider said, or what happened to the connection. Untrusted.
        means: What that is really about: `bad_request`, `disconnect`, ...
        says, helps: The meaning and the remedy, as sentences.
    """

    line: LogRecord
    text: str
    means: str
    says: str
    helps: str


def unanswered(lines: Iterable[LogRecord]) -> LogRecord | None:
    """The failed call that ended a turn; None where an answer followed it, or no call failed.

    Where Hermes doubted that the request was too long, the size and window it compared are added.
    """
    last = None
    for line in lines:
        if line.kind in _ENDS:
            last = line
        elif line.kind is Kind.OVERFLOW_DOUBTED and last is not None:
            last = replace(last, more=replace(last.more, tokens=line.tokens, window=line.window))
    return last if last is not None and last.kind is Kind.CALL_FAILED else None


def failed_call(line: LogRecord, *, enabled: bool = True) -> FailedCall:
    """What a failed call is about, and what helps with compression on, or not `enabled`."""
    # Most conversations hold none.
    from core.hermes.provider_errors.explain import advice_of

    text = (line.text or line.message).strip()
    meaning = meaning_of(failure_of(text, provider=line.provider or ""))
    says, helps = advice_of(meaning, enabled=enabled)
    if line.tokens is not None and line.window is not None:
        words = triggers()["doubted"]
        says, helps = words["says"].format(tokens=line.tokens, window=line.window), words["helps"]
    return FailedCall(line, text, meaning.kind, says, helps)


def no_answer(failed: FailedCall, more: str = "") -> Headline:
    """That the newest turn ended with a failed call, with `more` about it, and what helps."""
    told = f"{headlines()['unanswered'].format(says=failed.says)} {more}".rstrip()
    return Headline(shortened(told), failed.helps, Severity.WARNING)


def turns_of(context: ConversationContext) -> Iterator[Sequence[LogRecord]]:
    """The log lines of each turn, beginning with the line that starts it."""
    ids, turn = context.sessions, list[LogRecord]()
    for record in context.log.records:
        if record.kind is Kind.TURN and record.session in ids:
            if turn:
                yield turn
            turn = [record]
        elif turn and (record.session is None or record.session in ids or record.tag in ids):
            turn.append(record)
    if turn:
        yield turn


def newest_failure(context: ConversationContext, events: Sequence[CompressionEvent]) -> FailedCall | None:
    """The failed call that ended the newest turn, unless a compaction of that turn already reports it."""
    turn = deque(turns_of(context), maxlen=1)
    line = unanswered(turn[0]) if turn else None
    if line is None or tried_again(context):
        return None
    began, enabled = context.clock.utc(turn[0][0].at), context.settings_in_force.enabled
    return None if any(_gave_up(event, began) for event in events) else failed_call(line, enabled=enabled)


def tried_again(context: ConversationContext) -> bool:
    """Whether the last line is a call that failed just now, which Hermes may still retry."""
    last = next((record for record in reversed(context.log.records) if record.kind in _ENDS), None)
    if last is None or last.kind is not Kind.CALL_FAILED:
        return False
    return timedelta(0) <= datetime.now(UTC) - context.clock.utc(last.at) < _TRIED_AGAIN


def _gave_up(event: CompressionEvent, began: datetime) -> bool:
    ended = not event.completed or (event.attempt is not None and event.attempt.gives_up)
    return ended and event.at is not None and event.at >= began
