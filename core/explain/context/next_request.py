"""The size of a conversation's next request: the one answer that every view shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from core.compress.sizing.estimate import message_size, text_tokens, total_tokens
from core.compress.sizing.threshold import Budgets, has_small_summary_model
from core.explain.context.context import ConversationContext
from core.explain.context.gather import limits_by
from core.explain.context.log.log_claims import about, lowered_threshold
from core.explain.context.rows.boundary_rows import is_request
from core.explain.context.rows.unsaved_rows import answered, ranges, saved_again
from core.explain.context.usage_anchor import anchored_rows
from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Settings
from core.model.finding import Evidence, Source, Verdict
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message, RowState
from core.support.formatting import plural

_ANSWERS = (Kind.DONE, Kind.NATIVE_DONE, Kind.MICRO, Kind.CALL)
"""Kinds of line after which the next request has another size."""


_TURN_ROWS = 64
"""In a longer turn answers without usage are not looked for."""


class Size(NamedTuple):
    """The size of the next request, and the evidence for it.

    Attributes:
        tokens: None when unknown.
        counted: A provider counted it; False for an estimate.
    """

    tokens: int | None
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    counted: bool = False


def next_request(context: ConversationContext) -> Size:
    """The best known size of the transcript as it is now: what Hermes would compare with the threshold.

    The usage anchor, the log's last call and the gateway's note are counts by a provider. The log has every
    call while the gateway notes one a turn, so its number may be older. If nobody has counted since a
    compaction, the size is Hermes' own estimate of what the compaction left, plus what came since; failing
    that, the rows, the stored system prompt and known tools are estimated by the release's rules.
    """
    found = _anchored(context) or _by_last_answer(context) or _routed(context)
    return found or _by_last_compaction(context) or _estimated(context) or Size(None, Verdict.UNKNOWN, ())


def _anchored(context: ConversationContext) -> Size | None:
    policy = context.policy(None)
    if not policy.checks.anchored:
        return None
    tip, rows = context.conversation.tip, context.conversation.newest_rows
    place = (context.store.path, tip.id)
    tokens = anchored_rows(place, tip.model_config, rows, context.messages, policy)
    text = "usage of the last response, and an estimate of what came since"
    evidence = Evidence(Source.DATABASE, "sessions.model_config", text)
    return None if tokens is None else Size(tokens, Verdict.DERIVED, (evidence,), counted=True)


def _by_last_answer(context: ConversationContext) -> Size | None:
    prompt = last_counted_call(context.log, context.conversation.generations, lambda: context.newest_messages)
    if prompt is None or prompt.input is None or lacks_stored(context):
        return None
    evidence = prompt.evidence
    since = _since_unreported(context, prompt)
    if not since:
        return Size(prompt.input, Verdict.PROVED, (evidence,), counted=True)
    estimate = context.policy(None).estimate
    added = total_tokens([message_size(one.wire, estimate) for one in since], estimate)
    text = f"estimate of {plural(len(since), 'message')} written since, of whose answers no usage is reported"
    found = (evidence, Evidence(Source.DERIVED, "rows", text))
    return Size(prompt.input + (prompt.output or 0) + added, Verdict.DERIVED, found, counted=True)


def _since_unreported(context: ConversationContext, prompt: LogRecord) -> Sequence[Message]:
    """What came after the answer to the last call on record, if the provider answered again after it.

    Where rows are stored only at the end of a turn, their times do not tell.
    """
    rows = context.store.previews(context.conversation.newest_rows[-_TURN_ROWS:], chars=0)
    asked = next((at for at in reversed(range(len(rows))) if rows[at].role == "user"), len(rows))
    turn, at = rows[asked:], context.clock.utc(prompt.at)
    answers = [row for row in turn if row.role == "assistant" and row.timestamp is not None]
    counted = takewhile(lambda line: line.kind is not Kind.TURN, reversed(context.log.records))
    if len(answers) <= sum(line.kind is Kind.CALL for line in counted):
        return ()
    later = [row.id for row in answers if row.timestamp is not None and row.timestamp > at]
    asked_at = turn[0].timestamp
    if len(later) < 2 or asked_at is None or asked_at > at:
        return ()
    return context.messages([row.id for row in turn if row.id > later[0]])


def lacks_stored(context: ConversationContext) -> bool:
    """Whether the process of the last call lacked messages that whoever resumes the session loads.

    It holds messages stored twice only once, and it began with an empty list again where an error of its own
    had thrown the list away.
    """
    turns = [one for one in context.log.records if one.kind is Kind.TURN]
    emptied = [one for one in turns if one.before == 0 and one.session == context.conversation.tip.id][1:]
    if not emptied and not saved_again(context.conversation, context.log, context.messages):
        return False
    messages = [one for one in context.newest_messages if one.row is None or one.row.state is RowState.LIVE]
    asked = next((at for at in reversed(range(len(messages))) if is_request(messages[at])), 0)
    return not turns or turns[-1].before is None or turns[-1].before < asked


def gateway_note(context: ConversationContext) -> int | None:
    """The size of the last prompt as the gateway noted it."""
    routes = (one for one in context.store.routing() if one.session_id == context.conversation.tip.id)
    return next((route.last_prompt_tokens for route in routes if route.last_prompt_tokens), None)


def _routed(context: ConversationContext) -> Size | None:
    """By the gateway's note; without reported usage it would hold only an estimate and is ignored."""
    noted = gateway_note(context) if context.conversation.tip.tokens.prompt else None
    if noted is None:
        return None
    evidence = Evidence(Source.DATABASE, "gateway_routing", f"last_prompt_tokens {noted}")
    return Size(noted, Verdict.PROVED, (evidence,), counted=True)


def _by_last_compaction(context: ConversationContext) -> Size | None:
    """What the last compaction left, by its log line, plus the rows that came since."""
    done = next((line for line in reversed(context.log.records) if line.kind in _ANSWERS), None)
    if done is None or done.kind is not Kind.DONE or done.tokens_after is None or done.after is None:
        return None
    if _logged(context.log) < len(context.conversation.generations) - 1:
        return None  # a later one wrote no line
    policy = context.policy(None)
    since = context.messages(context.conversation.newest_rows[done.after :])
    sizes = [message_size(one.wire, policy.estimate) for one in since]
    evidence: tuple[Evidence, ...] = (done.evidence,)
    if sizes:
        text = f"estimate of {plural(len(sizes), 'message')} written since"
        evidence = (*evidence, Evidence(Source.DERIVED, "rows", text))
    return Size(done.tokens_after + total_tokens(sizes, policy.estimate), Verdict.DERIVED, evidence)


def _estimated(context: ConversationContext) -> Size | None:
    if not context.newest_messages:
        return None
    (tokens,) = context.request_tokens(context.newest_messages, context.conversation.tip, None)
    text = "estimate of the stored messages, system prompt and tools"
    if context.tools_tokens(context.conversation.tip) is None:
        text = "estimate of the stored messages and system prompt; the tools are not stored"
    evidence: tuple[Evidence, ...] = (Evidence(Source.DERIVED, "rows", text),)
    if again := saved_again(context.conversation, context.log, context.messages):
        words = f"stored a second time, {len(again):,} in all; a resumed session loads them"
        evidence = (*evidence, Evidence(Source.DATABASE, ranges(again), words))
    return Size(tokens, Verdict.DERIVED, evidence)


class Limits(NamedTuple):
    """What the next request is compared with.

    Attributes:
        limits: None without a window.
        lowered: The line that says the threshold was lowered for the summary model.
    """

    settings: Settings
    limits: Budgets | None
    lowered: LogRecord | None


def next_limits(context: ConversationContext) -> Limits:
    """The limits in force for the next request.

    0.15 to 0.19 look at the summary model's window only in the first attempt of a process, so it lowers the
    threshold from then on; a later process starts with the one configured.
    """
    settings, policy = context.settings_in_force, context.policy(None)
    if policy.threshold.aux_check != "attempt" or has_small_summary_model(settings, policy.threshold):
        return Limits(settings, context.limits_in_force, context.lowered)
    configured = context.limits(None, context.conversation.tip, context.window.tokens, lowered=False)
    line = lowered_threshold(context.rare_lines, configured.threshold) if configured is not None else None
    if context.log.empty or (line is not None and not outlived(context, line)):
        return Limits(settings, context.limits_in_force, line)
    settings = replace(settings, aux_window=None)
    named = None if context.engine is None else context.engine.line
    return Limits(settings, limits_by(settings, policy, named), None)


def outlived(context: ConversationContext, line: LogRecord) -> bool:
    """Whether a later process went on with the conversation."""
    run = context.runs.get(line.where)
    return run is not None and run != max(context.runs.values())


def sized(context: ConversationContext, size: Size) -> Settings:
    """The settings in force with the size of the next request, as Hermes would compare it.

    Both sizes are given where the provider's count has passed the threshold, but an agent that keeps no count
    compares its own estimate before a call, which is far too low for ideographs. It is 0 where a release
    looks at longer conversations only.
    """
    (settings, limits, _), policy = next_limits(context), context.policy(None)
    if not size.counted:
        return replace(settings, expected_tokens=size.tokens)
    settings = replace(settings, current_tokens=size.tokens)
    if policy.checks.anchored or limits is None or (size.tokens or 0) < limits.threshold:
        return settings
    messages, extra = total_tokens(context.newest_sizes, policy.estimate), overhead(context, policy)
    few = len(context.newest_messages) <= settings.protect_first + settings.protect_last + 1
    huge = policy.checks.huge_counts and messages >= limits.threshold
    if few and not huge and not policy.checks.pre_api:
        return replace(settings, expected_tokens=0)
    return settings if extra.evidence is None else replace(settings, expected_tokens=messages + extra.tokens)


@dataclass(frozen=True, slots=True)
class Overhead:
    """The tokens of system prompt and tools.

    Attributes:
        evidence: What tells them; None where `tokens` is a lower bound, as a part is on record nowhere.
    """

    tokens: int
    evidence: Evidence | None


def overhead(context: ConversationContext, policy: Policy) -> Overhead:
    """As stored; else the first call without the first message; else what booked calls held beyond rows."""
    tip = context.conversation.tip
    prompt, tools = context.prompt_tokens(tip, policy), context.tools_tokens(tip)
    if prompt is not None and tools is not None:
        text = f"{prompt:,} + {tools:,} tokens"
        return Overhead(prompt + tools, Evidence(Source.DATABASE, "system_prompts", text))
    least = (prompt or 0) + (tools or 0)
    found = _by_first_call(context, policy)
    if found is None and tools is None and (booked := context.booked_beyond(tip, policy)):
        text = f"the booked calls held {booked:,} tokens beyond the messages on average"
        found = Overhead(booked, Evidence(Source.DERIVED, f"sessions {tip.id}", text))
    return found if found is not None and found.tokens >= least else Overhead(least, None)


def _by_first_call(context: ConversationContext, policy: Policy) -> Overhead | None:
    own = about(context.log, context.sessions)
    records = [one for one in context.log.records if one.kind in (Kind.TURN, Kind.CALL) and own(one)]
    first = next((line for line in records if line.kind is Kind.TURN and line.before == 0), None)
    call = next((one for one in records if first and one.kind is Kind.CALL and one.at >= first.at), None)
    generations = context.conversation.generations
    messages = context.messages(generations[0].row_ids[:1]) if generations else ()
    if call is None or call.input is None or call.number != 1 or not messages:
        return None
    said = text_tokens(messages[0].text, policy.estimate.unit)
    return Overhead(max(0, call.input - said), call.evidence)


def last_counted_call(
    log: Log, generations: Sequence[Generation], messages: Callable[[], Sequence[Message]]
) -> LogRecord | None:
    """The last answered call whose prompt the provider counted; None when a compaction followed it.

    A compaction written by another program than Hermes leaves no line. So where the log tells of fewer
    compactions than the rows show, the rows must also show an answered call since the newest: only then are
    the newest generation's messages read.
    """
    if _logged(log) < len(generations) - 1 and not answered(generations[-1], messages()):
        return None
    for record in reversed(log.records):
        if record.kind in (Kind.DONE, Kind.NATIVE_DONE):
            return None
        if record.kind is Kind.CALL and record.input:
            return record
    return None


def _logged(log: Log) -> int:
    """The number of compactions the log tells of."""
    done = Kind.DONE
    return sum([record.kind is done for record in log.records])
