"""Old tool results of a lean tail become a note that says where the full text still lies (Hermes 0.22)."""

from __future__ import annotations

from core.compress.measure import Measured
from core.compress.rows import Row
from core.compress.shrink import is_stub
from core.compress.threshold import tail_mode
from core.model.plan import Plan

_SKILL_MARKER = "[SKILL_PRUNED:"


def demoted(rows: list[Row], measured: Measured, plan: Plan, session: str | None) -> list[Row]:
    """The rows with large old tool results of the tail demoted.

    Args:
        rows: The pruned conversation.
        measured: The conversation they come from.
        plan: Its plan.
        session: Id to search for the full text; None leaves the hint out.
    """
    rules = measured.policy.tail
    if not rules.demote_over or tail_mode(plan.settings, rules) != "lean":
        return rows
    tail = [i for i, row in enumerate(rows) if row.origin is not None and row.origin >= plan.tail.start]
    spared = _newest_rounds(rows, tail, rules.demote_rounds)
    old = {i for i in tail if i not in spared and _is_large_result(rows[i], rules.demote_over)}
    return [_note(row, session) if i in old else row for i, row in enumerate(rows)]


def _newest_rounds(rows: list[Row], tail: list[int], rounds: int) -> set[int]:
    """Tool results of the newest rounds: runs of neighbouring results."""
    spared: set[int] = set()
    seen, previous = 0, None
    for i in reversed([i for i in tail if rows[i].role == "tool"]):
        seen += previous is None or previous - i > 1
        previous = i
        if seen > rounds:
            break
        spared.add(i)
    return spared


def _is_large_result(row: Row, over: int) -> bool:
    content = row.content
    if row.role != "tool" or not isinstance(content, str) or len(content) < over:
        return False
    return _SKILL_MARKER not in content and not is_stub(content)


def _note(row: Row, session: str | None) -> Row:
    name = row.message.wire.get("tool_name") or "tool"
    hint = f" Recover with session_search(query=..., session_id='{session}')" if session else ""
    kept = f"{len(row.content):,} chars preserved in session history."
    return row.rewritten(f"[{name} output demoted at compaction — {kept}{hint}]", drop_sidecar=True)
