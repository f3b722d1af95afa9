"""Large old tool results of a lean tail give way to notes (Hermes 0.22)."""

from __future__ import annotations

from dataclasses import replace

from core.compress.messages.list_rows import Row
from core.compress.planning.measure import Measured
from core.compress.pruning.result_notes import is_large, note, old_results
from core.compress.sizing.threshold import tail_mode
from core.model.compaction.plan import Plan


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
    results = [i for i, row in enumerate(rows) if _in_tail(row, plan) and row.role == "tool"]
    changed = list(rows)
    for i in old_results(results, rules.demote_rounds):
        if is_large(rows[i].message, rules.demote_over):
            changed[i] = replace(rows[i], message=note(rows[i].message, session))
    return changed


def _in_tail(row: Row, plan: Plan) -> bool:
    return row.origin is not None and row.origin >= plan.tail.start
