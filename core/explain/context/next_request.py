"""How large the next request of a conversation is, by what was counted: one answer for every view of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.compress.sizing.estimate import message_size, total_tokens
from core.explain.context.context import ConversationContext
from core.explain.context.rows.boundary_rows import is_request
from core.explain.context.rows.unsaved_rows import answered, ranges, saved_again
from core.explain.context.usage_anchor import anchored_rows
from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.model.finding import Evidence, Source, Verdict
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message
from core.support.formatting import plural

_ANSWERS = (Kind.DONE, Kind.NATIVE_DONE, Kind.MICRO, Kind.CALL)
"""Lines after which the size of a request is another."""


class Size(NamedTuple):
    """A number for the size of the next request, and what it rests on.

    Attributes:
        tokens: None when nothing says.
        counted: It rests on a provider's count; False for an estimate.
    """

    tokens: int | None
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    counted: bool = False


def next_request(context: ConversationContext) -> Size:
    """The best number there is for the transcript as it stands: what Hermes would compare with the threshold.

    Stored usage, the log's last call or the gateway's note is a provider's count. The log tells of every
    call and the gateway notes one a turn, so its number may be the older. Where nobody has counted since a
    compaction, Hermes' own estimate of what that left stands, with what came since; else rows, stored
    system prompt and known tools are estimated, by the release's rules.
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
    prompt = last_prompt(context.log, context.conversation.generations, lambda: context.newest_messages)
    if prompt is None or prompt.input is None or _held_less(context):
        return None
    evidence = Evidence(Source.LOG, prompt.where, prompt.message)
    return Size(prompt.input, Verdict.PROVED, (evidence,), counted=True)


def _held_less(context: ConversationContext) -> bool:
    """The process of the last call held messages once that are stored twice: the next one loads them all."""
    if not saved_again(context.conversation, context.log, context.messages):
        return False
    began = next((one for one in reversed(context.log.records) if one.kind is Kind.TURN), None)
    messages = context.newest_messages
    asked = next((at for at in reversed(range(len(messages))) if is_request(messages[at])), 0)
    return began is None or began.before is None or began.before + len(messages) - asked < len(messages)


def gateway_note(context: ConversationContext) -> int | None:
    """The size of the last prompt as the gateway noted it."""
    routes = (one for one in context.store.routing() if one.session_id == context.conversation.tip.id)
    return next((route.last_prompt_tokens for route in routes if route.last_prompt_tokens), None)


def _routed(context: ConversationContext) -> Size | None:
    """By that note; where the provider told no usage, it holds what Hermes estimated as the turn began."""
    noted = gateway_note(context) if context.conversation.tip.tokens.prompt else None
    if noted is None:
        return None
    evidence = Evidence(Source.DATABASE, "gateway_routing", f"last_prompt_tokens {noted}")
    return Size(noted, Verdict.PROVED, (evidence,), counted=True)


def _by_last_compaction(context: ConversationContext) -> Size | None:
    """What the last compaction left, by its line, with the rows behind it."""
    done = next((line for line in reversed(context.log.records) if line.kind in _ANSWERS), None)
    if done is None or done.kind is not Kind.DONE or done.tokens_after is None or done.after is None:
        return None
    if _logged(context.log) < len(context.conversation.generations) - 1:
        return None  # a later one left no line
    policy = context.policy(None)
    since = context.messages(context.conversation.newest_rows[done.after :])
    sizes = [message_size(one.wire, policy.estimate) for one in since]
    evidence: tuple[Evidence, ...] = (Evidence(Source.LOG, done.where, done.message),)
    if sizes:
        text = f"estimate of {plural(len(sizes), 'message')} written since"
        evidence = (*evidence, Evidence(Source.DERIVED, "rows", text))
    return Size(done.tokens_after + total_tokens(sizes, policy.estimate), Verdict.DERIVED, evidence)


def _estimated(context: ConversationContext) -> Size | None:
    if not context.newest_messages:
        return None
    tokens = context.request_tokens(context.newest_messages, context.conversation.tip, None)
    text = "estimate of the stored messages, system prompt and tools"
    if context.tools_tokens(context.conversation.tip) is None:
        text = "estimate of the stored messages and system prompt; the tools are not stored"
    evidence: tuple[Evidence, ...] = (Evidence(Source.DERIVED, "rows", text),)
    if again := saved_again(context.conversation, context.log, context.messages):
        told = f"stored a second time, {len(again):,} in all; whoever resumes loads them"
        evidence = (*evidence, Evidence(Source.DATABASE, ranges(again), told))
    return Size(tokens, Verdict.DERIVED, evidence)


def last_prompt(
    log: Log, generations: Sequence[Generation], messages: Callable[[], Sequence[Message]]
) -> LogRecord | None:
    """The last answered call whose provider counted the prompt; None when a compaction followed it.

    A compaction written by another program than Hermes leaves no line, so where the log holds fewer of
    them than the rows do, the rows must show that a call was answered since the newest.

    Args:
        log: The lines about the conversation.
        generations: Those of the conversation.
        messages: Gives the messages of the newest, which are read only where the log does not tell.
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
    """How many compactions its lines tell of."""
    done = Kind.DONE
    return sum([record.kind is done for record in log.records])
