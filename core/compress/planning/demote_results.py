"""Large old tool results of a lean tail give way to notes saying where their full text lies (Hermes 0.22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.compress.messages.list_rows import Row, without_keys
from core.compress.pruning.shrink import is_stub
from core.compress.pruning.skills import MARK as SKILL_MARK
from core.compress.sizing.threshold import tail_mode
from core.hermes.policy.rules import TailRules
from core.model.compaction.plan import Plan
from core.model.transcript.message import Message


def demoted(rows: list[Row], rules: TailRules, plan: Plan, session: str | None) -> list[Row]:
    """The rows with large old tool results of the tail demoted.

    Args:
        rows: The pruned conversation.
        rules: What the release says about tails.
        plan: The plan.
        session: Id to search for the full text; None leaves the hint out.
    """
    if not rules.demote_over or tail_mode(plan.settings, rules) != "lean":
        return rows
    tail = (i for i, row in enumerate(rows) if row.origin is not None and row.origin >= plan.tail.start)
    results = [i for i in tail if rows[i].role == "tool"]
    changed = list(rows)
    for i in old_results(results, rules.demote_rounds):
        if is_large(rows[i].message, rules.demote_over):
            changed[i] = replace(rows[i], message=note(rows[i].message, session))
    return changed


def is_large(message: Message, over: int) -> bool:
    """Whether a tool result is long enough, and neither a stub nor a skill to be loaded again."""
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
    """Positions of tool results before the newest rounds, a round being a run of neighbours.

    Args:
        results: Positions of the tool results of the tail, ascending.
        rounds: Newest rounds spared.
    """
    seen, previous = 0, None
    for taken, position in enumerate(reversed(results)):
        seen += previous is None or previous - position > 1
        previous = position
        if seen > rounds:
            return list(results[: len(results) - taken])
    return []
