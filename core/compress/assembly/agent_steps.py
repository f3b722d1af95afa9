"""What the agent around the compressor does to a compacted list before it continues with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.compress.assembly.last_changes import with_reply
from core.compress.messages.kinds import content_text, is_asking, is_summary
from core.compress.messages.list_rows import appended, without_keys
from core.compress.messages.restated_request import is_carrying
from core.compress.pruning.skills import reload_notice
from core.hermes.markers.markers import markers
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message, ToolCall

Messages = tuple[Message, ...]
_TOOLS = ("todo", "todo_list")
_MARKS = {"completed": "x", "in_progress": ">", "pending": " ", "cancelled": "~"}
_OPEN = ("pending", "in_progress")


def as_next_request(
    messages: Messages, given: Sequence[Message], policy: Policy, *, anchors: bool = True
) -> Messages:
    """The compacted list as the next request holds it: followed by open to-dos, and with a user request.

    `anchors` puts the newest answer back; not where the user keeps the last turns by hand, as the newest
    compressed answer is then an old one.
    """
    if policy.host.keeps_reply and anchors:
        messages = with_reply(messages, given, policy)
    return _with_request(_with_todos(messages, given, policy), given, policy)


def _with_todos(messages: Messages, given: Sequence[Message], policy: Policy) -> Messages:
    text = open_todos(given) if policy.host.todos != "none" else None
    if text is None:
        return messages
    if policy.summary.reloads_skills and (notice := reload_notice(messages)):
        text = f"{text}\n\n{notice}"
    fresh = Message({"role": "user", "content": text})
    if policy.host.todos == "append" or not messages:
        return (*messages, fresh)
    last = messages[-1]
    live = last.with_wire(content=_without_todos(last.content))
    if is_asking(live, policy):
        gap = "\n\n" if isinstance(live.content, str) else ""
        joined = live.with_wire(content=appended(live.content, gap + text))
        return (*messages[:-1], without_keys(joined, ("api_content",)))
    return (*messages[:-1], fresh) if _is_only_todos(last) else (*messages, fresh)


def _without_todos(content: object) -> object:
    if not isinstance(content, str) or todo_header() not in content:
        return content
    return content.partition(todo_header())[0].rstrip()


def _is_only_todos(message: Message) -> bool:
    return message.role == "user" and content_text(message.content).lstrip().startswith(todo_header())


def _with_request(messages: Messages, given: Sequence[Message], policy: Policy) -> Messages:
    """The list with the newest user request added, in releases that require one and where it lacks one."""
    if policy.host.user_turn == "none" or any(_counts(message, policy) for message in messages):
        return messages
    newest = next((message for message in reversed(given) if _counts(message, policy)), None)
    if newest is None:
        return (*messages, Message({"role": "user", "content": markers()["continued"]}))
    anchor = without_keys(Message(newest.wire), ("_db_persisted",))
    return (*messages, anchor) if policy.host.user_turn == "any" else _placed(messages, anchor, policy)


def _counts(message: Message, policy: Policy) -> bool:
    if policy.host.user_turn == "any":
        return message.role == "user"
    return is_asking(message, policy) or is_carrying(message, policy)


def _placed(messages: Messages, anchor: Message, policy: Policy) -> Messages:
    """Insert the request before the first answer that follows no user row, so that no two are adjacent."""
    roles = [message.role for message in messages]
    spots = (i for i, role in enumerate(roles) if role == "assistant" and (i == 0 or roles[i - 1] != "user"))
    spot = next(spots, None)
    if spot is not None:
        return (*messages[:spot], anchor, *messages[spot:])
    if not messages or roles[-1] != "user" or is_summary(messages[-1].wire, policy.summary):
        return (*messages, anchor)
    return (*messages[:-1], _led(messages[-1], anchor))


def _led(message: Message, anchor: Message) -> Message:
    """A row of Hermes' own with the request in front, where a separate row would be adjacent to it."""
    mine, theirs = anchor.content, message.content
    if isinstance(mine, list) or isinstance(theirs, list):
        return message.with_wire(content=[*_parts(mine), *_parts(theirs)])
    return message.with_wire(content=f"{mine or ''}\n\n{theirs or ''}".strip())


def _parts(content: object) -> list[object]:
    return content if isinstance(content, list) else [{"type": "text", "text": str(content or "")}]


def todo_header() -> str:
    """The first line of a carried-over to-do list."""
    found: str = next(m["text"] for m in markers()["scaffolding"] if m["kind"] == "todo_snapshot")
    return found


def open_todos(messages: Sequence[Message]) -> str | None:
    """The text a release appends to a compacted list: the open items of the newest to-do result, if any."""
    items = _newest(messages) or []
    lines = [line for item in items if not item.get("parent") for line in _lines(item, items, 0)]
    return "\n".join([todo_header(), *lines]) if lines else None


def may_hide_todos(messages: Sequence[Message]) -> bool:
    """Whether an agent may hold to-dos in memory that no result in the conversation shows."""
    header = todo_header()
    may_hide = any(call.name in _TOOLS for call in _calls(messages)) or any(
        message.role == "user" and header in message.text for message in messages
    )
    return may_hide and _newest(messages) is None


def _newest(messages: Sequence[Message]) -> list[Mapping[str, Any]] | None:
    names: Mapping[str, str] | None = None
    for message in reversed(messages):
        content = message.content
        if message.role != "tool" or not isinstance(content, str) or '"todos"' not in content:
            continue
        names = {call.id: call.name for call in _calls(messages)} if names is None else names
        found = _listed(content) if names.get(message.tool_call_id or "") in _TOOLS else None
        if found is not None:
            return found
    return None


def _calls(messages: Sequence[Message]) -> Iterator[ToolCall]:
    return (call for message in messages if message.wire.get("tool_calls") for call in message.tool_calls)


def _listed(text: str) -> list[Mapping[str, Any]] | None:
    try:
        items = json.loads(text)["todos"]
    except (ValueError, KeyError, TypeError):
        return None
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else None


def _lines(item: Mapping[str, Any], items: Sequence[Mapping[str, Any]], depth: int) -> Iterator[str]:
    """An item with its sub-items; a finished item only where a sub-item is open (0.22)."""
    key = item.get("id")
    parts = [one for one in items if one.get("parent") and one.get("parent") == key and one is not item]
    below = [line for part in parts if depth < len(items) for line in _lines(part, items, depth + 1)]
    status = item.get("status")
    if status in _OPEN or below:
        mark = _MARKS.get(str(status), "?")
        yield f"{'  ' * depth}- [{mark}] {key}. {item.get('content')} ({status})"
        yield from below
