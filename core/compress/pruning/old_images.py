"""Old images leave the compacted list; their place is marked in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.compress.messages.list_rows import Row
from core.compress.pruning.shrink import has_images
from core.compress.sizing.estimate import is_image
from core.hermes.policy.output_rules import AssemblyRules

_STRIPPED = "[Attached image — stripped after compression]"
_SCREENSHOT = "[screenshot removed to save context]"
_SUMMARY_KEPT = 200


def without_old_images(rows: Sequence[Row], rules: AssemblyRules, spared: range = range(0)) -> list[Row]:
    """The rows with every image gone that a newer one made old.

    Args:
        rows: Of the compacted list.
        rules: Of the release.
        spared: A tool round nobody answered yet; it keeps its images.
    """
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
        summary = str(content.get("text_summary") or _SCREENSHOT)
        return row.rewritten(f"[screenshot removed] {summary[:_SUMMARY_KEPT]}", drop_sidecar=True)
    return row
