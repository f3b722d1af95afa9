"""Headlines of a conversation and of one compaction.

A conversation's says what is wrong with it, else what last happened, else how far the next compaction is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.explain.compactions.outcome import words
from core.explain.compactions.refusals import no_answer
from core.explain.explanation import until_next
from core.hermes.policy.policy import load_policy, newest_release
from core.model.compaction.event import ASKED_FOR, CompressionEvent, SummaryStatus, Trigger, TurnAttempt
from core.model.finding import Headline, Severity, Verdict, fitted, shortened
from core.redact.quick_check import masked_line
from core.support.formatting import day, limit, plural, round_number, short
from core.support.program_files import shared_table

if TYPE_CHECKING:
    from core.explain.compactions.refusals import FailedCall
    from core.explain.explanation import Now

_table = partial(shared_table, "core/explain/headline/headlines.yaml")

_TELLS_LESS = {"ended": 1, "unknown": 1, "paused": 2, "left_lock": 2}
"""Causes that explain least: nothing is on record (1), or an earlier failure is the reason (2)."""
_WAITED = "behind"
"""Cause of an attempt that met another one still running: the other's outcome is the one to report."""
_NO_FAULT = ("too_few", "only_summaries", "short", "no_progress")
_HARMLESS = (*_NO_FAULT, "interrupted", "skipped", "engine_kept", "left_lock", _WAITED)
"""Causes that are no fault of the summary model: there was nothing to do, or nobody waited for it."""
_LONG = 0.5
"""A summary that takes a larger share of what is left is why so much is left."""
_LITTLE = 0.1
"""A compaction that frees no larger share has freed next to nothing."""
_MAX_QUOTE_CHARS = 60
"""The longest title or quoted error, in characters."""


def headline_of(
    events: Sequence[CompressionEvent],
    now: Now,
    prompts: Sequence[int] = (),
    unanswered: FailedCall | None = None,
) -> Headline:
    """The sentence that introduces a conversation; `prompts`, oldest first, give the pace.

    In this order: a newest turn that got no answer, a failure since which no attempt has succeeded, the
    newest compaction that ran by itself, the newest of all, how far the next one is.
    """
    if unanswered is not None:
        text = masked_line(unanswered.text, _MAX_QUOTE_CHARS)
        return no_answer(unanswered, _table()["ended_with"].format(said=text))
    if (failure := standing_failure(events)) is not None:
        return failure.headline
    here, event = until_next(now, prompts), compaction_to_open(events)
    return here if event is None or here.severity is Severity.CRITICAL else event.headline


def standing_failure(events: Sequence[CompressionEvent]) -> CompressionEvent | None:
    """The newest attempt that failed or fell back, if none has succeeded since.

    An attempt that found nothing to do is no failure: a success before it still counts. Of several failures
    the one that explains most is chosen (`_TELLS_LESS`).
    """
    standing = []
    for event in reversed(events):
        if event.failed and event.headline.severity is not None and _cause_of(event) != _WAITED:
            standing.append(event)
        elif event.completed and event.trigger is not Trigger.NATIVE:
            standing = [one for one in standing if not event.outlasted(one)]
            break
    return min(standing, key=lambda one: _TELLS_LESS.get(_cause_of(one), 0), default=None)


def compaction_to_open(events: Sequence[CompressionEvent]) -> CompressionEvent | None:
    """The compaction to open first: a standing failure, else the newest automatic success, or the newest."""
    if (failure := standing_failure(events)) is not None:
        return failure
    own = [event for event in events if _cause_of(event) != _WAITED] or events
    obvious = (*ASKED_FOR, Trigger.PRUNE)
    useful = (event for event in reversed(own) if not event.failed)
    return next((event for event in useful if event.trigger not in obvious), own[-1] if own else None)


def _cause_of(event: CompressionEvent) -> str:
    return event.summary.failure.cause if event.summary.failure is not None else ""


def event_headline(
    event: CompressionEvent,
    *,
    by_count: bool = False,
    expected: int | None = None,
    served: int | None = None,
    advice: str | None = None,
) -> Headline:
    """What happened in one attempt and, if it failed, what helps.

    `by_count`: the gateway compared the number of messages; `expected` is the window Hermes assumes now,
    `served` the one the provider named in its refusal, whether or not Hermes believed it; `advice` is what
    helps with the refusal itself.
    """
    if not event.completed:
        return _failed(event)
    if event.summary.status is SummaryStatus.FALLBACK:
        return _fallback(event)
    if event.attempt is not None and event.attempt.gives_up:
        return _given_up(event, event.attempt, advice)
    empty = f" {_table()['empty_summary']}." if _wrote_nothing(event) else ""
    headline = fitted(f"{_cause(event, by_count=by_count)}.{_result(event)}{empty}")
    helps = advice if _is_mistaken(event) and advice else _helps(event, expected, served)
    if helps is not None:
        return Headline(headline, f"{helps.rstrip('.')}.", Severity.WARNING)
    own = f"{_table()['after_own'].format(undo=event.undo)}." if event.undo else None
    return Headline(headline, own)


def mend_summary(event: CompressionEvent) -> str | None:
    """What helps where the summary itself is most of what the compaction left; None where it is not."""
    share = (event.summary.tokens or 0) / max(event.tokens_after or 0, 1)
    told = str(_table()["after_long_summary"]).format(share=f"{share:.0%}")
    return told if share > _LONG and event.tokens_after else None


def _helps(event: CompressionEvent, expected: int | None, served: int | None) -> str | None:
    """What to change after a completed attempt that freed nothing, or whose refusal will come again."""
    if _did_nothing(event):
        return str(_table()["after_nothing"])
    if _wrote_nothing(event):
        return str(_table()["after_empty_summary"])
    too_long = event.trigger is Trigger.OVERFLOW and not _is_mistaken(event)
    return (_mend_window(event, expected, served) if too_long else None) or _mend_size(event)


def _mend_window(event: CompressionEvent, expected: int | None, served: int | None) -> str | None:
    """What helps where the provider takes less than Hermes expects; None where nothing shows that."""
    window, tokens = served or event.window, event.tokens or 0
    if window is None or expected is None:
        return None
    least = load_policy(event.release or newest_release()).threshold.minimum
    if served is not None and window < expected:
        key = "after_refusal" if served >= least else "after_small_refusal"
    elif window < expected:
        key = "after_lowering"
    elif served is None and 0 < tokens < max(event.threshold or 0, window // 2):
        key = "after_unnamed_refusal" if tokens >= least else "after_small_unnamed_refusal"
    else:
        return None
    named = {"window": window, "expected": expected, "least": least, "tokens": tokens}
    return str(_table()[key]).format(**{name: round_number(size) for name, size in named.items()})


def _mend_size(event: CompressionEvent) -> str | None:
    """What helps where next to nothing was freed."""
    # In a gateway, /compress counts only the messages: such a size cannot be compared.
    if event.tokens is None or event.trigger in ASKED_FOR:
        return None
    freed = 1 - (event.tokens_after or 0) / max(event.tokens, 1)
    by_summary = mend_summary(event) if freed < _LITTLE else None
    return by_summary or (str(_table()["after_growing"]) if freed <= 0 else None)


def _did_nothing(event: CompressionEvent) -> bool:
    """Whether it asked no model and left as much, which Hermes until 0.18 still calls completed."""
    halved = 2 * (event.tokens_after or event.tokens or 0) < (event.tokens or 0)
    alone = halved or event.trigger in (Trigger.NATIVE, Trigger.PRUNE)
    asked = alone or event.summary.status is not SummaryStatus.UNKNOWN or event.messages_before is None
    return not asked and event.messages_before == event.messages_after


def _wrote_nothing(event: CompressionEvent) -> bool:
    """Whether the summary model answered with nothing, which Hermes until 0.17 takes for a summary."""
    return event.summary.status is SummaryStatus.MODEL and event.summary.tokens == 0


def _is_mistaken(event: CompressionEvent) -> bool:
    """Whether Hermes took a refusal for one about the length that was not."""
    return event.trigger is Trigger.OVERFLOW and event.refused in _table()["refused"]


def _given_up(event: CompressionEvent, attempt: TurnAttempt, advice: str | None) -> Headline:
    """The headline of a turn that ended because its request was still too long."""
    table, other = _table(), attempt.end != "too_small" and _is_mistaken(event)
    sentence = table["given_up_mistaken" if other else "given_up"]
    headline = sentence.format(cause=_cause(event, by_count=False), number=attempt.number)
    helps = (advice or table["after_another"]) if other else table["after_giving_up"]
    return Headline(fitted(f"{headline}."), f"{helps.rstrip('.')}.", Severity.CRITICAL)


def _failed(event: CompressionEvent) -> Headline:
    (reason, helps), cause, gone = _reason(event), _cause_of(event), _removed(event)
    if event.trigger is Trigger.MANUAL and cause in _NO_FAULT:
        told = _table()["in_vain"].format(reason=reason, **_template_values(event))
        return Headline(shortened(f"{told}."), f"{helps}.")
    severity = Severity.WARNING if cause in _HARMLESS and gone <= 0 else Severity.CRITICAL
    sentence = _table()["failed_with_loss" if gone > 0 else "failed"]
    told = sentence.format(reason=reason, gone=plural(gone, "message"), **_template_values(event))
    return Headline(shortened(f"{told}."), f"{helps}.", severity)


def _removed(event: CompressionEvent) -> int:
    """How many messages a gateway removed before it knew that there would be no summary."""
    before, after = event.messages_before, event.messages_after
    return max(0, before - after) if event.trigger is Trigger.HYGIENE and before and after else 0


def _fallback(event: CompressionEvent) -> Headline:
    reason, helps = _reason(event)
    before, after, count = event.messages_before, event.messages_after, event.summary.replaced
    if count is None and before and after and before > after:
        count = before - after
    gone = "The messages between were" if count is None else plural(count, "message was", "messages were")
    sentence = _table()["fallback"].format(reason=reason, removed=gone, **_template_values(event))
    remedy = _table()["after_placeholder"].format(helps=helps, session=event.to_session or event.session)
    return Headline(shortened(f"{sentence}."), f"{remedy}.", Severity.CRITICAL)


def _reason(event: CompressionEvent) -> tuple[str, str]:
    failure = event.summary.failure
    return words(failure) if failure is not None else ("no reason is on record", "Run /compress again")


def _cause(event: CompressionEvent, *, by_count: bool) -> str:
    table, trigger, values = _table(), event.trigger, _template_values(event)
    likely = str(table["likely"]) if event.verdict is Verdict.SUSPECTED else ""
    if by_count and trigger is Trigger.HYGIENE:
        sentence: str = table["by_count"].format(messages=event.messages_before, **values)
    elif event.refused in table["refused"]:
        sentence = table["refused"][event.refused].format(**values)
    elif event.tokens is None or event.threshold is None:
        plain: str = table["without_figures"].get(trigger.value, table["compressed"][trigger.value])
        sentence = plain.format(**values)
    else:
        passed = table["passed" if event.tokens >= event.threshold else "must_have_passed"]
        sentence = table["compressed"][trigger.value].format(
            size=f"~{short(event.tokens)}",
            limit=limit(event.threshold, event.window),
            passed=passed,
            **values,
        )
    return likely + (sentence[:1].lower() + sentence[1:] if likely and sentence[0] != "Y" else sentence)


def _template_values(event: CompressionEvent) -> dict[str, str]:
    """Values for the templates: the topic as typed after the command, the day, and when of several."""
    topic = shortened(masked_line(event.focus or "", _MAX_QUOTE_CHARS + 1), _MAX_QUOTE_CHARS)
    on, at = day(event.at) if event.at else "", f" {event.apart}" if event.apart else ""
    you = f"{at} you".lstrip()
    return {"focus": f" {topic}" if topic else "", "day": on, "at": at, "You": you[:1].upper() + you[1:]}


def _result(event: CompressionEvent) -> str:
    """Messages and tokens before and after, where both are known."""
    if event.trigger is Trigger.NATIVE or event.messages_before is None or event.messages_after is None:
        return ""
    if _did_nothing(event):
        return f" {_table()['kept_all'].format(messages=f'{event.messages_after:,}')}."
    words = " " + _table()["kept"].format(
        before=f"{event.messages_before:,}", after=f"{event.messages_after:,}"
    )
    if event.tokens is not None and event.tokens_after is not None:
        words += f", {short(event.tokens)} → {short(event.tokens_after)} tokens"
    return f"{words}."
