"""Messages of a new list, each with its origin, and the repair of tool calls without a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.compress.messages.kinds import call_ids, result_ids
from core.hermes.policy.output_rules import AssemblyRules
from core.model.transcript.message import Message

_STUB = "[Result from earlier conversation — see context summary above]"
_REMOVED = "(tool call removed)"


@dataclass(frozen=True, slots=True)
class Row:
    """One message of the new list.

    Attributes:
        origin: Its position in the list given; None for a row that was not there.
    """

    message: Message
    origin: int | None = None

    @property
    def role(self) -> Any:
        """The role as stored."""
        return self.message.wire.get("role")

    @property
    def content(self) -> Any:
        """The content as stored."""
        return self.message.wire.get("content")

    def rewritten(self, content: Any, *, drop_sidecar: bool = False, **changes: Any) -> Row:
        """The row with another content; `drop_sidecar` also removes its outdated `api_content`."""
        changed = self.message.with_wire(content=content, **changes)
        return replace(self, message=without_keys(changed, ("api_content",)) if drop_sidecar else changed)


def without_keys(message: Message, keys: Sequence[str]) -> Message:
    """A message without some of its keys; itself when it has none of them."""
    if not any(key in message.wire for key in keys):
        return message
    return Message({key: value for key, value in message.wire.items() if key not in keys}, message.row)


def appended(content: Any, text: str) -> Any:
    """A content of any type with text appended."""
    if content is None:
        return text
    if isinstance(content, list):
        return [*content, {"type": "text", "text": text}]
    return f"{content}{text}"


def prepended(content: Any, text: str) -> Any:
    """A content of any type with text put before it."""
    if content is None:
        return text
    if isinstance(content, list):
        return [{"type": "text", "text": text}, *content]
    return f"{text}{content}"


def repaired(rows: Sequence[Row], rules: AssemblyRules) -> list[Row]:
    """The rows without orphaned results; calls that lost their result get a stub or are removed."""
    called = {name for row in rows for call in _calls(row) for name in call_ids(call, rules)}
    kept = [row for row in rows if not _is_orphan(row, called, rules)]
    answered = {name for row in kept for name in result_ids(row.message, rules)}
    if rules.orphans == "stub":
        return [new for row in kept for new in _with_stubs(row, answered, rules)]
    if not any(_is_unanswered(call, answered, rules) for row in kept for call in _calls(row)):
        return kept
    pending = _pending(kept) if rules.keeps_pending else -1
    return [row if i == pending else _stripped(row, answered, rules) for i, row in enumerate(kept)]


def _is_orphan(row: Row, called: set[str], rules: AssemblyRules) -> bool:
    names = result_ids(row.message, rules)
    return bool(names) and not names & called


def _with_stubs(row: Row, answered: set[str], rules: AssemblyRules) -> list[Row]:
    missing = [name for call in _calls(row) for name in call_ids(call, rules) if name not in answered]
    return [
        row,
        *(Row(Message({"role": "tool", "content": _STUB, "tool_call_id": name})) for name in missing),
    ]


def _stripped(row: Row, answered: set[str], rules: AssemblyRules) -> Row:
    calls = _calls(row)
    kept = [call for call in calls if not _goes(call, answered, rules)]
    if len(kept) == len(calls):
        return row
    if kept:
        return replace(row, message=row.message.with_wire(tool_calls=kept))
    without_calls = replace(row, message=without_keys(row.message, ("tool_calls",)))
    content = without_calls.content
    empty = not content or (isinstance(content, str) and not content.strip())
    return without_calls.rewritten(_REMOVED) if empty else without_calls


def _is_unanswered(call: Any, answered: set[str], rules: AssemblyRules) -> bool:
    names = call_ids(call, rules)
    return bool(names) and not names & answered


def _goes(call: Any, answered: set[str], rules: AssemblyRules) -> bool:
    # A call without any id goes with the others where releases pair strictly; older ones never looked.
    if rules.id_variants and not call_ids(call, rules):
        return True
    return _is_unanswered(call, answered, rules)


def _pending(rows: Sequence[Row]) -> int:
    """The last assistant row if only its results follow, as its calls may still be running; else -1."""
    last = next((i for i in range(len(rows) - 1, -1, -1) if rows[i].role != "tool"), -1)
    return last if last >= 0 and rows[last].role == "assistant" else -1


def _calls(row: Row) -> Sequence[Any]:
    calls = row.message.wire.get("tool_calls") if row.role == "assistant" else None
    return calls if isinstance(calls, list | tuple) else ()
