"""The row of a summary: its role between its neighbours, how it joins a live message and leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.compress.messages.kinds import MERGED_DELIMITER, PRIOR_HEADER, SUMMARY_FLAG, content_text
from core.compress.messages.list_rows import Row, appended, prepended
from core.hermes.markers.markers import without_prefix
from core.hermes.policy.output_rules import AssemblyRules
from core.hermes.policy.summary_rules import SummaryRules
from core.model.transcript.message import Message

END_MARKER = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_FLIPPED = {"user": "assistant", "assistant": "user"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a summary goes.

    Attributes:
        role: The role of a separate row.
        merge_into: Position in the tail of the message it joins; None for a separate row.
        leads: It comes before that message, whatever the release prefers.
    """

    role: str
    merge_into: int | None = None
    leads: bool = False


def place(head: Sequence[Row], tail: Sequence[Row], rules: AssemblyRules) -> Place:
    """Choose role and form so that no two adjacent rows share a role."""
    if rules.visible_roles:
        return _by_visible_roles(head, tail)
    before = _stored(head[-1]) if head else "user"
    after = _stored(tail[0]) if tail else "user"
    forced = rules.forces_user != "never" and before == "system"
    if rules.forces_user == "without_user":
        forced = forced or not any(row.role == "user" for row in (*head, *tail))
    role = "user" if before in ("assistant", "tool") or forced else "assistant"
    if role != after:
        return Place(role)
    if _FLIPPED[role] != before and not forced:
        return Place(_FLIPPED[role])
    # Without a tail there is nothing to join: releases then leave the summary out.
    return Place(role, merge_into=0)


def _stored(row: Row) -> Any:
    return row.message.wire.get("role", "user")


def _by_visible_roles(head: Sequence[Row], tail: Sequence[Row]) -> Place:
    """Place it as 0.22 does, which ignores tool calls and results as chat templates do."""
    before = last_visible(head) if head else "user"
    position, after = next(((i, r) for i, row in enumerate(tail) if (r := visible_role(row))), (None, None))
    forced = not head or before == "system" or not any(map(_has_user_text, (*head, *tail)))
    role = "user" if before in (None, "assistant", "tool") or forced else "assistant"
    if position is None or role != after:
        return Place(role)
    if before is not None and _FLIPPED[role] != before and not forced:
        return Place(_FLIPPED[role])
    return Place(role, merge_into=position if forced else 0, leads=forced and role == "user")


def visible_role(row: Row) -> Any:
    """The role that a strict chat template sees; None for tool calls and results."""
    hidden = row.role == "tool" or (row.role == "assistant" and row.message.wire.get("tool_calls"))
    return None if hidden else row.role


def last_visible(rows: Sequence[Row]) -> Any:
    """The last role that a strict template sees; None when there is none."""
    return next((role for row in reversed(rows) if (role := visible_role(row)) is not None), None)


def _has_user_text(row: Row) -> bool:
    return row.role == "user" and bool(content_text(row.content).strip())


def standalone(summary: str, role: str, rules: AssemblyRules) -> Row:
    """The summary as a separate row."""
    closed = rules.end_marker == "always" or role == "user"
    wire: dict[str, Any] = {"role": role, "content": f"{summary}\n\n{END_MARKER}" if closed else summary}
    return Row(Message({**wire, SUMMARY_FLAG: True} if rules.marks_row else wire))


def merged(row: Row, summary: str, leads: bool, rules: AssemblyRules) -> Row:
    """A message of the tail with the summary merged into it."""
    content = row.message.wire.get("content", "" if rules.merge == "after" else None)
    if leads or rules.merge == "before":
        joined = prepended(content, f"{summary}\n\n{END_MARKER}\n\n")
    else:
        ended = appended(content, f"\n\n{MERGED_DELIMITER}\n\n{summary}\n\n{END_MARKER}")
        joined = prepended(ended, f"{PRIOR_HEADER}\n")
    flags = {SUMMARY_FLAG: True} if rules.marks_row else {}
    return row.rewritten(joined, drop_sidecar=rules.drops_sidecar, **flags)


def body_text(text: str, rules: SummaryRules) -> str:
    """A summary's body as the release inserts it: without any wrapper, prefix and end marker.

    The release also looks for them in text that the body quotes, so a quoted wrapper cuts the body short.
    """
    text = text.strip()
    if rules.unwraps and MERGED_DELIMITER in text:
        text = text.split(MERGED_DELIMITER, 1)[1].strip()
    text = without_prefix(text, rules.reads_as)
    if rules.end == "anywhere":
        return text.partition(END_MARKER)[0].rstrip() if END_MARKER in text else text
    return (
        text.removesuffix(END_MARKER).rstrip() if rules.end == "last" and text.endswith(END_MARKER) else text
    )


def unwrapped(message: Message) -> Message | None:
    """The live message a summary was merged into; None when the row is only the summary."""
    content = message.content
    rest: Any = None
    if isinstance(content, str):
        rest = _live_text(content)
    elif isinstance(content, list):
        rest = _live_parts(content)
    if not rest:
        return None
    wire = {key: value for key, value in message.with_wire(content=rest).wire.items() if key != SUMMARY_FLAG}
    return Message(wire, message.row)


def _live_text(content: str) -> str:
    if MERGED_DELIMITER in content:
        before = content.split(MERGED_DELIMITER, 1)[0].strip()
        return before.removeprefix(PRIOR_HEADER).lstrip() if before.startswith(PRIOR_HEADER) else before
    _, end, after = content.partition(END_MARKER)
    return after.lstrip() if end else ""


def _live_parts(parts: list[Any]) -> list[Any]:
    cut = next((i for i, part in enumerate(parts) if MERGED_DELIMITER in _text(part)), None)
    if cut is None:
        return _parts_after_end(parts)
    kept = list(parts[:cut])
    before = _text(parts[cut]).split(MERGED_DELIMITER, 1)[0]
    if before.strip():
        kept.append(_with_text(parts[cut], before))
    return _without_header(kept)


def _parts_after_end(parts: list[Any]) -> list[Any]:
    for i, part in enumerate(parts):
        _, end, after = _text(part).partition(END_MARKER)
        if end:
            first = [_with_text(part, after.lstrip())] if after.lstrip() else []
            return [*first, *parts[i + 1 :]]
    return []


def _without_header(parts: list[Any]) -> list[Any]:
    for i, part in enumerate(parts):
        text = _text(part).lstrip()
        if text.startswith(PRIOR_HEADER):
            rest = text.removeprefix(PRIOR_HEADER).lstrip()
            return [*parts[:i], *([_with_text(part, rest)] if rest else []), *parts[i + 1 :]]
    return parts


def _text(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""


def _with_text(part: Any, text: str) -> Any:
    return {**part, "text": text} if isinstance(part, dict) else text
