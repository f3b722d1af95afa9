"""Restates a running request after the summary if it came before it (Hermes 0.22).

The summary tells the model to act only on a user message after it, and to do nothing without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.compress.messages.kinds import (
    content_text,
    is_asking,
    is_readable_answer,
    is_request,
    is_summary,
    request_text,
    restated_header,
)
from core.compress.messages.list_rows import Row, appended, prepended, without_keys
from core.compress.messages.summary_row import END_MARKER, last_visible, visible_role
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message


def restated(rows: list[Row], before: Sequence[Message], policy: Policy) -> list[Row]:
    """The rows with the running request restated after the summary."""
    request = running_request(before, policy)
    carrier = _carrier(rows, policy)
    if request is None or carrier is None or _is_actionable(rows, carrier, policy):
        return rows
    task = request_text(request)
    if not task:
        return rows
    replay = _replay(request, task, policy)
    ends_with_user = last_visible(rows) == "user"
    rows, carrier, changed = _without_original(rows, carrier, replay)
    if changed if changed is not None else ends_with_user:
        joined = appended(rows[carrier].content, f"\n\n{restated_header()}\n{task}")
        return [*rows[:carrier], rows[carrier].rewritten(joined, drop_sidecar=True), *rows[carrier + 1 :]]
    return [*rows, Row(replay)]


def running_request(before: Sequence[Message], policy: Policy) -> Message | None:
    """The newest request that no finished answer follows."""
    newest = next((i for i in range(len(before) - 1, -1, -1) if _opens_turn(before[i], policy)), -1)
    if newest < 0:
        return None
    for message in reversed(before[newest + 1 :]):
        if message.wire.get("role") != "assistant" or message.wire.get("tool_calls"):
            break
        if is_readable_answer(message.wire):
            return None
    return before[newest]


def _opens_turn(message: Message, policy: Policy) -> bool:
    asks = is_request(message.wire, policy) and is_asking(message, policy)
    return asks or is_carrying(message, policy)


def is_carrying(message: Message, policy: Policy) -> bool:
    """Whether it is a summary row after which an earlier compaction restated the running request."""
    if not is_summary(message.wire, policy.summary):
        return False
    _, end, rest = content_text(message.content).rpartition(END_MARKER)
    return (
        bool(end)
        and rest.lstrip().startswith(restated_header())
        and bool(rest.lstrip().removeprefix(restated_header()).strip())
    )


def _carrier(rows: Sequence[Row], policy: Policy) -> int | None:
    found = (i for i in range(len(rows) - 1, -1, -1) if is_summary(rows[i].message.wire, policy.summary))
    return next(found, None)


def _is_actionable(rows: Sequence[Row], carrier: int, policy: Policy) -> bool:
    """Whether a request already follows the summary, or nothing can be put there."""
    if any(is_request(row.message.wire, policy) for row in rows[carrier + 1 :]):
        return True
    _, end, rest = content_text(rows[carrier].content).partition(END_MARKER)
    return not end or bool(rest.strip())


def _replay(request: Message, task: str, policy: Policy) -> Message:
    if is_carrying(request, policy):
        return Message({"role": "user", "content": f"{restated_header()}\n{task}"})
    content, opening = request.content, f"{restated_header()}\n"
    again = f"{opening}{task}" if isinstance(content, str) else prepended(content, opening)
    copy = request.with_wire(content=again)
    return without_keys(Message(copy.wire), ("timestamp", "api_content", "_db_persisted"))


def _without_original(rows: list[Row], carrier: int, replay: Message) -> tuple[list[Row], int, bool | None]:
    """Drop the row that the restated request stands for, identified by its uid.

    Returns:
        The rows, the summary's position and, if its role had to change, whether a user row is last.
    """
    uid = replay.wire.get("message_uid")
    if not isinstance(uid, str) or not uid:
        return rows, carrier, None
    summary = rows[carrier]
    kept = [row for row in rows if row is summary or not _is_same(row, uid)]
    if len(kept) == len(rows):
        return rows, carrier, None
    first = next((i for i, row in enumerate(kept) if row.role != "system"), 0)
    if kept[first].role != "user":
        if visible_role(summary) is None:
            return rows, carrier, None
        kept = [row for row in kept if row is not summary]
        kept.insert(first, summary)
    carrier = next(i for i, row in enumerate(kept) if row is summary)
    if visible_role(summary) == "assistant" and last_visible(kept[:carrier]) != "user":
        kept[carrier] = replace(summary, message=summary.message.with_wire(role="user"))
        return kept, carrier, last_visible(kept) == "user"
    return kept, carrier, None


def _is_same(row: Row, uid: str) -> bool:
    return row.role == "user" and row.message.wire.get("message_uid") == uid
