"""A conversation in one sentence: what is wrong with it, else what last happened, else how far it is.

And one compaction in one sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from core.explain.compactions.outcome import words
from core.hermes.policy.policy import load_policy, newest_release
from core.model.compaction.event import ASKED_FOR, CompressionEvent, SummaryStatus, Trigger, TurnAttempt
from core.model.finding import COMPRESS_NOW, MOST, Headline, Severity, Verdict, shortened
from core.redact.quick_check import masked_start
from core.support.formatting import NEAR_LIMIT, limit, plural, short
from core.support.yaml_tables import shared_table

if TYPE_CHECKING:
    from core.explain.compactions.refusals import FailedCall
    from core.explain.explanation import Now
    from core.model.transcript.conversation import Chain

_table = partial(shared_table, "core/explain/headline/headlines.yaml")


_TELLS_LESS = {"ended": 1, "unknown": 1, "paused": 2, "left_lock": 2}
"""Failures whose cause no line tells, and those that only an earlier one brings: another's helps more."""
_BEHIND = "behind"
"""What met another attempt that was still going on, and whose end tells."""
_HARMLESS = ("too_few", "short", "interrupted", "skipped", "no_progress", "engine_kept", "left_lock", _BEHIND)
_CALLS = 8
"""The newest calls that show the pace."""


def headline_of(
    events: Sequence[CompressionEvent],
    now: Now,
    prompts: Sequence[int] = (),
    unanswered: FailedCall | None = None,
) -> Headline:
    """The sentence a conversation is introduced with.

    A failure stands until an attempt has succeeded since; else the newest compaction that was not asked for
    speaks, else the newest of all, else where the trigger stands. Before all of them a newest turn speaks
    that brought no answer.

    Args:
        events: In time order, completed and aborted.
        now: Where the trigger stands.
        prompts: Sizes of the newest requests, oldest first, for the pace.
        unanswered: The failed call the newest turn ended with.
    """
    if unanswered is not None:
        said = masked_start(" ".join(unanswered.text.split()), _MOST)
        told = _table()["unanswered"].format(said=said, says=unanswered.says)
        return Headline(shortened(told), unanswered.helps, Severity.WARNING)
    if (failure := standing_failure(events)) is not None:
        return failure.headline
    here, event = standing(now, prompts), newest_telling(events)
    return here if event is None or here.severity is Severity.CRITICAL else event.headline


def standing_failure(events: Sequence[CompressionEvent]) -> CompressionEvent | None:
    """The newest attempt that failed or fell back, while none has succeeded since.

    An attempt that had nothing to do is no failure: one that succeeded before it still holds. One whose own
    cause is not told, or that only felt an earlier failure, leaves the word to one that is.
    """
    standing = []
    for event in reversed(events):
        if event.failed and event.headline.severity is not None and _cause_of(event) != _BEHIND:
            standing.append(event)
        elif event.completed and event.trigger is not Trigger.NATIVE:
            break
    return min(standing, key=lambda one: _TELLS_LESS.get(_cause_of(one), 0), default=None)


def newest_telling(events: Sequence[CompressionEvent]) -> CompressionEvent | None:
    """The compaction to open first: a failure that stands, the newest that ran by itself, else the newest."""
    if (failure := standing_failure(events)) is not None:
        return failure
    own = [event for event in events if _cause_of(event) != _BEHIND] or events
    spoken = (*ASKED_FOR, Trigger.PRUNE)
    automatic = (event for event in reversed(own) if event.completed and event.trigger not in spoken)
    return next(automatic, own[-1] if own else None)


def _cause_of(event: CompressionEvent) -> str:
    return event.summary.failure.cause if event.summary.failure is not None else ""


def standing(now: Now, prompts: Sequence[int] = (), *, compressed: bool = False) -> Headline:
    """How far the next automatic compaction is, or why there will be none; `compressed` when it had one."""
    if now.threshold is None:
        return Headline(
            "The context window of this model is not known, so it cannot be said when it will be compressed.",
            "Set model.context_length in config.yaml.",
            Severity.WARNING,
        )
    yet = "Not due yet" if compressed else "Not compressed yet"
    if now.tokens is None:
        return Headline(f"{yet}. The {limit(now.threshold, now.window)} holds.")
    if now.headroom is not None and now.headroom <= 0:
        return _due(now)
    left = now.threshold - now.tokens
    sentence = f"{yet}: {short(left)} tokens below the {limit(now.threshold, now.window)}"
    if now.blocked_by:
        return Headline(f"{sentence}, and blocked beyond it: {now.blocked_by[0]}.", None, Severity.INFO)
    calls = calls_left(left, prompts)
    pace = f", about {calls:,} {'calls' if calls > 1 else 'call'} at this pace" if calls is not None else ""
    near = now.tokens >= NEAR_LIMIT * now.threshold
    remedy = COMPRESS_NOW if near else None
    return Headline(f"{sentence}{pace}.", remedy, Severity.INFO if near else None)


def calls_left(left: int, prompts: Sequence[int]) -> int | None:
    """How many more calls fit below the limit when requests grow as the newest did; None without growth.

    Args:
        left: Tokens below the limit.
        prompts: Sizes of the requests, oldest first. A fall between two is a compaction and counts for none.
    """
    grown = [after - before for before, after in pairwise(prompts[-_CALLS:]) if after > before]
    return max(1, round(left * len(grown) / sum(grown))) if grown else None


def _due(now: Now) -> Headline:
    over = limit(now.threshold or 0, now.window)
    if now.blocked_by:
        return Headline(
            f"Past the {over}, and compression is blocked: {now.blocked_by[0]}.",
            "Run /compress, which none of this blocks, or start a new session with /new.",
            Severity.CRITICAL,
        )
    return Headline(
        f"Past the {over}: it will be compressed before the next model call.", None, Severity.INFO
    )


_MOST = 60
"""Characters of a title."""


def chain_headline(chain: Chain) -> Headline:
    """How many sessions belong together, how often they were compacted, where /resume goes, what is odd."""
    target = next((node for node in chain.nodes if node.session.id == chain.resume_target), None)
    title = target.session.title if target is not None else None
    name = masked_start(" ".join((title or chain.resume_target).split()), _MOST)
    compacted = plural(chain.compactions, "compaction") if chain.compactions else "never compacted"
    if any(node.lost for node in chain.nodes):
        compacted = f"{compacted} or more, as rows were overwritten"
    failed = any(node.session.guards.failure_error for node in chain.nodes)
    if failed:
        compacted = f"{compacted} (the last attempt failed)"
    if len(chain.nodes) == 1:
        sentence = f"One session, {compacted}, nothing branched off; /resume opens it"
    else:
        sentence = f"{plural(len(chain.nodes), 'session')}, {compacted}; /resume opens {name}"
    if not chain.findings:
        helps = "Why says what failed and what helps." if failed else None
        return Headline(f"{sentence}.", helps, Severity.WARNING if failed else None)
    odd = plural(len(chain.findings), "oddity", "oddities")
    return Headline(f"{sentence}; {odd}: {chain.findings[0]}."[:MOST], None, Severity.WARNING)


def event_headline(
    event: CompressionEvent,
    *,
    by_count: bool = False,
    expected: int | None = None,
    served: int | None = None,
) -> Headline:
    """What happened and, where it failed, what helps.

    Args:
        event: One attempt, completed or not.
        by_count: The gateway went by the number of messages, not by tokens.
        expected: The window Hermes goes by now.
        served: What the provider named when it refused the request, whatever Hermes made of it.
    """
    if not event.completed:
        return _failed(event)
    if event.summary.status is SummaryStatus.FALLBACK:
        return _fallback(event)
    if event.attempt is not None and event.attempt.gives_up:
        return _given_up(event, event.attempt)
    told = shortened(f"{_cause(event, by_count=by_count)}.{_result(event)}")
    helps = _helps(event, expected, served)
    return Headline(told) if helps is None else Headline(told, f"{helps}.", Severity.WARNING)


def _helps(event: CompressionEvent, expected: int | None, served: int | None) -> str | None:
    """What to change after one that was done: it freed nothing, or the same refusal will come again."""
    if _idle(event):
        return str(_table()["after_nothing"])
    too_long = event.trigger is Trigger.OVERFLOW and event.refused not in _table()["refused"]
    window = served or event.window
    if not too_long or window is None or expected is None or window >= expected:
        # What a person asked for is counted by the messages alone where a gateway ran it.
        counted = event.tokens is not None and event.trigger not in ASKED_FOR
        grown = counted and (event.tokens_after or 0) >= (event.tokens or 0)
        return str(_table()["after_growing"]) if grown else None
    least = load_policy(event.release or newest_release()).threshold.minimum
    key = "after_refusal" if window >= least else "after_small_refusal"
    told = {"window": short(window), "expected": short(expected), "least": short(least)}
    return str(_table()[key]).format(**told)


def _idle(event: CompressionEvent) -> bool:
    """Hermes until 0.18 calls an attempt done that asked no model and left as many messages."""
    alone = event.trigger in (Trigger.NATIVE, Trigger.PRUNE)
    asked = alone or event.summary.status is not SummaryStatus.UNKNOWN
    return not asked and event.messages_before is not None and event.messages_before == event.messages_after


def _given_up(event: CompressionEvent, attempt: TurnAttempt) -> Headline:
    """The request stayed too long, and the turn ended there."""
    told = _table()["given_up"].format(cause=_cause(event, by_count=False), number=attempt.number)
    other = (
        attempt.end != "too_small"
        and event.trigger is Trigger.OVERFLOW
        and event.refused in _table()["refused"]
    )
    helps = _table()["after_another" if other else "after_giving_up"]
    return Headline(shortened(f"{told}."), f"{helps}.", Severity.CRITICAL)


def _failed(event: CompressionEvent) -> Headline:
    reason, helps = _reason(event)
    severity = Severity.WARNING if _harmless(event) else Severity.CRITICAL
    return Headline(shortened(f"{_table()['failed'].format(reason=reason)}."), f"{helps}.", severity)


def _harmless(event: CompressionEvent) -> bool:
    """The attempt itself had nothing to do or nobody to wait for; the summary model is well."""
    failure = event.summary.failure
    return failure is not None and failure.cause in _HARMLESS


def _fallback(event: CompressionEvent) -> Headline:
    reason, helps = _reason(event)
    before, after, replaced = event.messages_before, event.messages_after, event.summary.replaced
    if replaced is None and before and after and before > after:
        replaced = before - after
    gone = "The messages between" if replaced is None else f"{replaced:,} messages"
    sentence = _table()["fallback"].format(reason=reason, removed=gone)
    return Headline(shortened(f"{sentence}."), f"{helps}.", Severity.WARNING)


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
        sentence = plain.format(**_named(event))
    else:
        sentence = table["compressed"][trigger.value].format(
            size=f"~{short(event.tokens)}", limit=limit(event.threshold, event.window), **_named(event)
        )
    return likely + (sentence[:1].lower() + sentence[1:] if likely and sentence[0] != "Y" else sentence)


def _named(event: CompressionEvent) -> dict[str, str]:
    """The topic as it was typed behind the command, the day, and what takes it back."""
    topic = f" {masked_start(' '.join(event.focus.split()), 60)}" if event.focus else ""
    return {"focus": topic, "day": f"{event.at:%Y-%m-%d}" if event.at else "", "undo": event.undo or ""}


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
