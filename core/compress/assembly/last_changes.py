"""The last changes Hermes 0.22 makes to a compacted list: restore the newest answer, cut a list that grew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.compress.messages.kinds import (
    PRIOR_HEADER,
    SUMMARY_FLAG,
    call_ids,
    is_asking,
    is_summary,
    result_ids,
)
from core.compress.messages.list_rows import without_keys
from core.compress.messages.summary_row import END_MARKER
from core.compress.pruning.shrink import CLEARED
from core.compress.pruning.truncate import elide
from core.compress.sizing.estimate import transcript_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message

Messages = tuple[Message, ...]
_SUMMARY_MOST = 8000
_KEPT_RESULTS = 2


def with_reply(messages: Messages, given: Sequence[Message], policy: Policy) -> Messages:
    """The list with the newest readable answer put back in its place, if it can be there.

    It is left out if another answer would be next to it, or if the list would not shrink with it.
    """
    at = next((i for i in range(len(given) - 1, -1, -1) if _is_reply(given[i], policy)), None)
    if at is None or any(_is_answer(m) and _says_same(m, given[at]) for m in messages):
        return messages
    reply = without_keys(Message(given[at].wire), ("_db_persisted",))
    spot = _spot(given[at + 1 :], messages, _reused(given, policy), policy)
    if spot is None or any(m.role == "assistant" for m in messages[max(0, spot - 1) : spot + 1]):
        return messages
    before, after = transcript_tokens(given, policy.estimate), transcript_tokens(messages, policy.estimate)
    if after < before < after + transcript_tokens([reply], policy.estimate):
        return messages
    return (*messages[:spot], reply, *messages[spot:])


def _is_answer(message: Message) -> bool:
    return message.role == "assistant" and not message.wire.get("tool_calls")


def _is_reply(message: Message, policy: Policy) -> bool:
    return (
        _is_answer(message) and bool(_visible_text(message)) and not is_summary(message.wire, policy.summary)
    )


def _visible_text(message: Message) -> str:
    """The text of a message as its reader sees it."""
    content = message.content
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, dict))
        return "\n".join(str(part.get("text") or part.get("content") or "") for part in parts).strip()
    return content.strip() if isinstance(content, str) else ""


def _says_same(one: Message, other: Message) -> bool:
    mine, theirs = _visible_text(one), _visible_text(other)
    return mine == theirs if mine or theirs else one.content == other.content


def _names(message: Message, policy: Policy) -> frozenset[str]:
    """The ids of a row's calls, or the id its result answers."""
    calls = message.wire.get("tool_calls") if message.role == "assistant" else None
    named = [call_ids(call, policy.assembly) for call in calls] if isinstance(calls, list | tuple) else []
    return frozenset(result_ids(message, policy.assembly)).union(*named)


def _reused(before: Sequence[Message], policy: Policy) -> frozenset[str]:
    """Ids that calls of several rows share, so they identify no row."""
    counts = Counter(name for m in before if m.role == "assistant" for name in _names(m, policy))
    return frozenset(name for name, count in counts.items() if count > 1)


def _spot(after: Sequence[Message], messages: Messages, reused: frozenset[str], policy: Policy) -> int | None:
    """The place before the first later row that is still there, else the end; None when unsure."""
    unsure = False
    for follower in after:
        if _names(follower, policy) & reused:
            unsure = unsure or any(_names(message, policy) & reused for message in messages)
            continue
        places = (i for i in range(len(messages) - 1, -1, -1) if _matches(messages[i], follower, policy))
        if (place := next(places, None)) is not None:
            return place
    if unsure:
        return None
    asked = any(is_asking(message, policy) for message in after)
    return len(messages) - (asked and bool(messages) and is_asking(messages[-1], policy))


def _matches(message: Message, follower: Message, policy: Policy) -> bool:
    if message.role != follower.role:
        return False
    mine, theirs = _names(message, policy), _names(follower, policy)
    return mine == theirs if mine or theirs else _says_same(message, follower)


def salvaged(messages: Sequence[Message], limit: int, policy: Policy) -> tuple[Message, ...] | None:
    """The list with old tool results cleared and the summary cut; None unless it is below the limit."""
    smaller = reduced(messages, policy)
    has_user = any(message.wire.get("role") == "user" for message in smaller)
    return smaller if has_user and transcript_tokens(smaller, policy.estimate) < limit else None


def reduced(messages: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    """The list with old tool results cleared and the summary cut, whatever its size."""
    results = [i for i, message in enumerate(messages) if message.wire.get("role") == "tool"]
    cleared = frozenset(results[:-_KEPT_RESULTS])
    return tuple(_smaller(message, i in cleared, policy) for i, message in enumerate(messages))


def _smaller(message: Message, clears: bool, policy: Policy) -> Message:
    content = message.content
    if not isinstance(content, str):
        return message
    if clears:
        return message.with_wire(content=CLEARED) if len(content) > policy.prune.over else message
    standalone = bool(message.wire.get(SUMMARY_FLAG)) and not content.startswith(PRIOR_HEADER)
    if standalone and len(content) > _SUMMARY_MOST and content.rstrip().endswith(END_MARKER):
        return message.with_wire(content=f"{elide(content, _SUMMARY_MOST)}\n\n{END_MARKER}")
    return message
