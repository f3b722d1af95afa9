"""The list a release makes of a conversation before a request: no adjacent user rows, no stray result.

It changes the list in place, so a compaction caused by a request is given the changed list. One before the
first request of a turn is given the messages as loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from core.compress.messages.kinds import STEER, call_ids, is_summary, result_ids
from core.compress.messages.list_rows import without_keys
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message

_PAYLOAD = ("content", "reasoning", "reasoning_content", "reasoning_details")
_CANDIDATES = ("verification_required", "verify_hook_continue")


def requested(messages: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    """The messages as the release's next request would hold them; joined ones keep the first one's row."""
    rows = list(messages)
    if policy.sequence.joins_answers:
        rows = _joined(rows, policy, _answers_joined)
    rows = list(_without_strays(rows, policy))
    if policy.sequence.drops_unanswered:
        rows = list(_without_unanswered(rows, policy))
    return tuple(_joined(rows, policy, _users_joined))


def _joined(rows: Sequence[Message], policy: Policy, join: Any) -> list[Message]:
    kept: list[Message] = []
    for row in rows:
        both = join(kept[-1], row, policy) if kept else None
        if both is None:
            kept.append(row)
        else:
            kept[-1] = both
    return kept


def _users_joined(first: Message, second: Message, policy: Policy) -> Message | None:
    """Two user rows as one; None when they stay separate."""
    mine, theirs = first.wire.get("content", ""), second.wire.get("content", "")
    if not (first.role == second.role == "user" and isinstance(mine, str) and isinstance(theirs, str)):
        return None
    if policy.sequence.spares_summaries and (
        first.wire.get("display_kind") == STEER or is_summary(first.wire, policy.summary)
    ):
        return None
    both = first.with_wire(content="\n\n".join(filter(None, (mine, theirs))))
    return without_keys(both, ("api_content",)) if policy.assembly.drops_sidecar else both


def _answers_joined(first: Message, second: Message, policy: Policy) -> Message | None:
    """Two assistant rows as one with the calls of both; None when they stay separate."""
    if not first.role == second.role == "assistant" or _is_interim(first) or _is_interim(second):
        return None
    if policy.sequence.replaces_candidates and first.wire.get("finish_reason") in _CANDIDATES:
        return second
    both = first.with_wire(**_text(first.content, second.content))
    calls = [*_calls(first), *_calls(second)]
    thinking = first.wire.get("reasoning_content") or second.wire.get("reasoning_content")
    both = both.with_wire(tool_calls=calls) if calls else both
    return both.with_wire(reasoning_content=thinking) if thinking else both


def _text(mine: Any, theirs: Any) -> dict[str, Any]:
    if isinstance(mine, str) and isinstance(theirs, str):
        return {"content": "\n".join(filter(None, (mine.strip(), theirs.strip())))}
    return {"content": theirs} if not mine and theirs is not None else {}


def _is_interim(message: Message) -> bool:
    """Whether it is an unfinished answer, which a Codex route replays unchanged."""
    wire = message.wire
    items = wire.get("codex_reasoning_items") or wire.get("codex_message_items")
    return bool(items) or wire.get("finish_reason") == "incomplete"


def _without_unanswered(rows: Sequence[Message], policy: Policy) -> Iterator[Message]:
    """The rows without calls that the results right after them do not answer."""
    for i, row in enumerate(rows):
        calls = _calls(row) if row.role == "assistant" and not _is_interim(row) else []
        if not calls:
            yield row
            continue
        results = takewhile(lambda other: other.role == "tool", rows[i + 1 :])
        answered = {name for other in results for name in result_ids(other, policy.assembly)}
        kept = [call for call in calls if call_ids(call, policy.assembly) & answered]
        if len(kept) == len(calls):
            yield row
        elif kept:
            yield row.with_wire(tool_calls=kept)
        elif any(_says(row.wire.get(key)) for key in _PAYLOAD):
            yield without_keys(row, ("tool_calls",))


def _says(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)


def _without_strays(rows: Sequence[Message], policy: Policy) -> Iterator[Message]:
    """The rows without results of calls that the preceding answer did not make."""
    open_calls: list[set[str]] = []
    for row in rows:
        if row.role in ("user", "assistant"):
            open_calls = _open_calls(row, policy)
        elif row.role == "tool":
            names = result_ids(row, policy.assembly)
            answered = next((call for call in open_calls if call & names), None)
            if answered is None and (names or not policy.sequence.keeps_unnamed):
                continue
            if answered is not None and policy.sequence.strict_results:
                open_calls.remove(answered)
        yield row


def _open_calls(row: Message, policy: Policy) -> list[set[str]]:
    """The ids that results may refer to, one set for each call; an id of two calls is the first one's."""
    keys = ("id", "call_id") if policy.sequence.strict_results else ("id",)
    found: list[set[str]] = []
    for call in _calls(row) if row.role == "assistant" else ():
        if policy.assembly.id_variants:
            named = [call_ids(call, policy.assembly)]
        else:
            values = (call.get(key) for key in keys) if isinstance(call, dict) else ()
            named = [{value} for value in values if value and isinstance(value, str)]
        for names in named:
            found.append(names.difference(*found))
    return found


def _calls(row: Message) -> list[Any]:
    """The calls as stored; a value of another type counts as no calls."""
    calls = row.wire.get("tool_calls")
    return calls if isinstance(calls, list) else []
