"""One compaction in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from core.explain.compactions.outcome.failure import words
from core.model.compaction.event import CompressionEvent, SummaryStatus, Trigger, TurnAttempt
from core.model.evidence import Verdict
from core.model.finding import Severity
from core.model.headline import Headline
from core.redact.quick_check import masked_start
from core.support.amounts import limit, short
from core.support.yaml_tables import load_table

MOST = 170
"""Characters of a headline: two lines of a narrow terminal."""


def headline_of(event: CompressionEvent, *, by_count: bool = False) -> Headline:
    """What happened and, where it failed, what helps.

    Args:
        event: One attempt, completed or not.
        by_count: The gateway went by the number of messages, not by tokens.
    """
    if not event.completed:
        return _failed(event)
    if event.summary.status is SummaryStatus.FALLBACK:
        return _fallback(event)
    if event.attempt is not None and event.attempt.gives_up:
        return _given_up(event, event.attempt)
    told = _cut(f"{_cause(event, by_count=by_count)}.{_result(event)}")
    return Headline(told, _table()["after_nothing"], Severity.WARNING) if _idle(event) else Headline(told)


def _idle(event: CompressionEvent) -> bool:
    """Hermes until 0.18 calls an attempt done that asked no model and left as many messages."""
    asked = event.summary.status is not SummaryStatus.UNKNOWN or event.trigger is Trigger.NATIVE
    return not asked and event.messages_before is not None and event.messages_before == event.messages_after


def _given_up(event: CompressionEvent, attempt: TurnAttempt) -> Headline:
    """The request stayed too long, and the turn ended there."""
    told = _table()["given_up"].format(cause=_cause(event, by_count=False), number=attempt.number)
    return Headline(_cut(f"{told}."), _table()["after_giving_up"], Severity.CRITICAL)


def _failed(event: CompressionEvent) -> Headline:
    reason, helps = _reason(event)
    severity = Severity.WARNING if _harmless(event) else Severity.CRITICAL
    return Headline(_cut(f"{_table()['failed'].format(reason=reason)}."), f"{helps}.", severity)


def _harmless(event: CompressionEvent) -> bool:
    """The attempt itself had nothing to do or nobody to wait for; the summary model is well."""
    failure = event.summary.failure
    return failure is not None and failure.cause in ("too_few", "skipped", "no_progress")


def _fallback(event: CompressionEvent) -> Headline:
    reason, helps = _reason(event)
    before, after = event.messages_before, event.messages_after
    gone = f"{before - after:,} messages" if before and after and before > after else "The messages between"
    sentence = _table()["fallback"].format(reason=reason, removed=gone)
    return Headline(_cut(f"{sentence}."), f"{helps}.", Severity.WARNING)


def _reason(event: CompressionEvent) -> tuple[str, str]:
    failure = event.summary.failure
    return words(failure) if failure is not None else ("no reason is on record", "Run /compress again")


def _cause(event: CompressionEvent, *, by_count: bool) -> str:
    table, trigger = _table(), event.trigger
    likely = str(table["likely"]) if event.verdict is Verdict.SUSPECTED else ""
    if by_count and trigger is Trigger.HYGIENE:
        sentence: str = table["by_count"].format(messages=event.messages_before)
    elif trigger is Trigger.OVERFLOW and event.refused in table["refused"]:
        sentence = table["refused"][event.refused]
    elif event.tokens is None or event.threshold is None:
        plain: str = table["without_figures"].get(trigger.value, table["compressed"][trigger.value])
        sentence = plain.format(focus=_focus(event))
    else:
        sentence = table["compressed"][trigger.value].format(
            size=f"~{short(event.tokens)}", limit=limit(event.threshold, event.window), focus=_focus(event)
        )
    return likely + (sentence[:1].lower() + sentence[1:] if likely and sentence[0] != "Y" else sentence)


def _focus(event: CompressionEvent) -> str:
    """The topic, as it was typed behind the command."""
    return f" {masked_start(' '.join(event.focus.split()), 60)}" if event.focus else ""


def _result(event: CompressionEvent) -> str:
    """What it left, in messages and tokens, as far as both ends are known."""
    if event.trigger is Trigger.NATIVE or event.messages_before is None or event.messages_after is None:
        return ""
    if _idle(event):
        return f" {_table()['kept_all'].format(messages=f'{event.messages_after:,}')}."
    told = " " + _table()["kept"].format(
        before=f"{event.messages_before:,}", after=f"{event.messages_after:,}"
    )
    if event.tokens is not None and event.tokens_after is not None:
        told += f", {short(event.tokens)} → {short(event.tokens_after)} tokens"
    return f"{told}."


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= MOST else f"{sentence[: MOST - 1].rstrip()}…"


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_table("core/explain/headline/headlines.yaml")
    return table
