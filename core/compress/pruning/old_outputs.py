"""Replaces old content of a compacted list by notes: images, and large tool results of a lean tail.

The note for a result says where its full text can be found (Hermes 0.22).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from core.compress.messages.list_rows import Row, without_keys
from core.compress.pruning.shrink import SCREENSHOT, has_images, is_stub
from core.compress.pruning.skills import MARK as SKILL_MARK
from core.hermes.policy.cut_rules import TailRules
from core.hermes.policy.output_rules import AssemblyRules
from core.model.compaction.plan import Plan
from core.model.transcript.message import Message, is_image

_STRIPPED = "[Attached image — stripped after compression]"
_SUMMARY_KEPT = 200


def without_old_images(rows: Sequence[Row], rules: AssemblyRules, spared: range = range(0)) -> list[Row]:
    """The rows without images that newer ones have made old; `spared` is a tool round not answered yet."""
    if not rules.strips_images:
        return list(rows)
    user = _newest(rows, "user", _holds_images)
    tool = _newest(rows, "tool", lambda row: has_images(row.message)) if rules.strips_tool_images else -1
    return [
        _stripped(row, rules) if i not in spared and _is_old(i, row, user, tool, rules) else row
        for i, row in enumerate(rows)
    ]


def _is_old(i: int, row: Row, user: int, tool: int, rules: AssemblyRules) -> bool:
    before_newest = user > 0 and i < user
    if not rules.strips_tool_images:
        return before_newest
    opening = user == 0 and i == 0 and tool > 0
    return before_newest or opening or (row.role == "tool" and i != tool)


def _newest(rows: Sequence[Row], role: str, holds: Callable[[Row], bool]) -> int:
    return max((i for i, row in enumerate(rows) if row.role == role and holds(row)), default=-1)


def _holds_images(row: Row) -> bool:
    return isinstance(row.content, list) and any(map(is_image, row.content))


def _stripped(row: Row, rules: AssemblyRules) -> Row:
    content: Any = row.content
    if _holds_images(row):
        parts = [{"type": "text", "text": _STRIPPED} if is_image(part) else part for part in content]
        return row.rewritten(parts, drop_sidecar=rules.drops_sidecar)
    if (
        rules.strips_tool_images
        and row.role == "tool"
        and isinstance(content, dict)
        and has_images(row.message)
    ):
        summary = str(content.get("text_summary") or SCREENSHOT)
        return row.rewritten(f"[screenshot removed] {summary[:_SUMMARY_KEPT]}", drop_sidecar=True)
    return row


def demoted(rows: list[Row], rules: TailRules, plan: Plan, session: str | None) -> list[Row]:
    """The pruned rows with large old tool results of the tail replaced by notes that name the session."""
    if not (rules.demote_over and plan.lean):
        return rows
    tail = (i for i, row in enumerate(rows) if row.origin is not None and row.origin >= plan.tail.start)
    results = [i for i in tail if rows[i].role == "tool"]
    changed = list(rows)
    for i in old_results(results, rules.demote_rounds):
        if is_large(rows[i].message, rules.demote_over):
            changed[i] = replace(rows[i], message=note(rows[i].message, session))
    return changed


def is_large(message: Message, over: int) -> bool:
    """Whether a tool result is long enough, and is neither a stub nor a skill to be loaded again."""
    content = message.content
    if message.wire.get("role") != "tool" or not isinstance(content, str) or len(content) < over:
        return False
    return SKILL_MARK not in content and not is_stub(content)


def note(message: Message, session: str | None = None) -> Message:
    """The note in place of a result; without a session it cannot say where to search."""
    name = message.wire.get("tool_name") or "tool"
    hint = f" Recover with session_search(query=..., session_id='{session}')" if session else ""
    kept = f"{len(message.text):,} chars preserved in session history."
    changed = message.with_wire(content=f"[{name} output demoted at compaction — {kept}{hint}]")
    return without_keys(changed, ("api_content",))


def old_results(results: Sequence[int], rounds: int) -> list[int]:
    """Positions of tool results before the newest rounds; a round is a run of adjacent results."""
    seen, previous = 0, None
    for newer, position in enumerate(reversed(results)):
        seen += previous is None or previous - position > 1
        previous = position
        if seen > rounds:
            return list(results[: len(results) - newer])
    return []
