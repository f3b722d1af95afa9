"""How large the next request of a conversation is, by what was counted: one answer for every view of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.explain.context.release_checks import check_rules
from core.explain.context.rows.written_rows import answered
from core.explain.context.usage_anchor import anchored_tokens
from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy
from core.model.evidence import Evidence, Source, Verdict
from core.model.transcript.conversation import Conversation, Generation
from core.model.transcript.message import Message
from core.store.store import Store


class Size(NamedTuple):
    """A number for the size of the next request, and what it rests on."""

    tokens: int | None
    verdict: Verdict
    evidence: tuple[Evidence, ...]


def counted_size(
    store: Store, conversation: Conversation, messages: Sequence[Message], log: Log, policy: Policy
) -> Size | None:
    """The size that rests on a provider's count: stored usage, the log's last call, or the gateway's note.

    The log tells of every call; the gateway notes one a turn, so its number may be the older.

    Args:
        store: The database.
        conversation: The conversation.
        messages: Those of its newest generation.
        log: The lines about it.
        policy: Of its release.

    Returns:
        None where nobody counted; an estimate has to do.
    """
    return (
        _anchored(conversation, messages, policy)
        or _answered(conversation, messages, log)
        or _routed(store, conversation)
    )


def _anchored(conversation: Conversation, messages: Sequence[Message], policy: Policy) -> Size | None:
    if not check_rules(policy.release).anchored:
        return None
    tokens = anchored_tokens(conversation.tip.model_config, messages, policy)
    text = "usage of the last response, and an estimate of what came since"
    evidence = Evidence(Source.DATABASE, "sessions.model_config", text)
    return None if tokens is None else Size(tokens, Verdict.DERIVED, (evidence,))


def _answered(conversation: Conversation, messages: Sequence[Message], log: Log) -> Size | None:
    prompt = last_prompt(log, conversation.generations, messages)
    if prompt is None or prompt.input is None:
        return None
    return Size(prompt.input, Verdict.PROVED, (Evidence(Source.LOG, prompt.where, prompt.message),))


def _routed(store: Store, conversation: Conversation) -> Size | None:
    for route in store.routing():
        if route.session_id == conversation.tip.id and (route.last_prompt_tokens or 0) > 0:
            text = f"last_prompt_tokens {route.last_prompt_tokens}"
            evidence = Evidence(Source.DATABASE, "gateway_routing", text)
            return Size(route.last_prompt_tokens, Verdict.PROVED, (evidence,))
    return None


def last_prompt(log: Log, generations: Sequence[Generation], messages: Sequence[Message]) -> LogRecord | None:
    """The last answered call whose provider counted the prompt; None when a compaction followed it.

    A compaction written by another program than Hermes leaves no line, so where the log holds fewer of
    them than the rows do, the rows must show that a call was answered since the newest.

    Args:
        log: The lines about the conversation.
        generations: Those of the conversation.
        messages: The messages of the newest.
    """
    logged = sum(record.kind is Kind.DONE for record in log.records)
    if logged < len(generations) - 1 and not answered(generations[-1], messages):
        return None
    for record in reversed(log.records):
        if record.kind in (Kind.DONE, Kind.NATIVE_DONE):
            return None
        if record.kind is Kind.CALL and record.input:
            return record
    return None
