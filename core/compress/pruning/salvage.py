"""Making a result that came out larger than the conversation it replaces small enough (Hermes 0.22)."""

from __future__ import annotations

from collections.abc import Sequence

from core.compress.messages.kinds import PRIOR_HEADER, SUMMARY_FLAG
from core.compress.messages.summary_row import END_MARKER
from core.compress.pruning.shrink import CLEARED
from core.compress.pruning.truncate import elide
from core.compress.sizing.estimate import transcript_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message

_SUMMARY_MOST = 8000
_KEPT_RESULTS = 2


def salvaged(messages: Sequence[Message], limit: int, policy: Policy) -> tuple[Message, ...] | None:
    """The list with old tool results cleared and the summary cut; None when that is not below the limit."""
    smaller = reduced(messages, policy)
    has_user = any(message.wire.get("role") == "user" for message in smaller)
    return smaller if has_user and transcript_tokens(smaller, policy.estimate) < limit else None


def reduced(messages: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    """The list with old tool results cleared and the summary cut, however small that is."""
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
