"""The messages a summary replaced, and what it kept of them."""

from __future__ import annotations

from core.compress.retention.score import retention_of
from core.explain.context.context import ConversationContext
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.hermes.markers.markers import find_summary
from core.model.compaction.plan import Span
from core.model.compaction.preview import Retention
from core.model.transcript.message import Message


def replaced(context: ConversationContext, rows: BoundaryRows) -> tuple[Message, ...]:
    """The messages a summary replaced: what lies between the copied head and the copied tail."""
    cut = _cut(rows)
    return context.messages(rows.before[cut.start : cut.end])


def newest_retention(context: ConversationContext) -> Retention | None:
    """What the newest summary kept of what it replaced, in brief; None when either is not on disk."""
    for rows in reversed(context.boundaries):
        if rows.summary is not None and rows.before and not rows.summary.fallback:
            messages, cut = context.messages(rows.before), _cut(rows)
            found = (find_summary(message.text) for message in messages[: cut.end])
            previous = next((match.body for match in found if match is not None), None)
            earlier, body = _earlier(context, rows), rows.summary.body
            return retention_of(messages, cut, body, previous=previous, earlier=earlier, brief=True)
    return None


def _earlier(context: ConversationContext, rows: BoundaryRows) -> tuple[Message, ...]:
    """Everything said before a compaction: a summary may still speak of what an earlier one took out."""
    past = (one for one in context.conversation.generations if one.index < rows.opened.index)
    return context.messages(list(dict.fromkeys(row for one in past for row in one.row_ids)))


def _cut(rows: BoundaryRows) -> Span:
    head = rows.boundary.head_rows
    tail = len(rows.after) - head - (rows.boundary.summary_row is not None) + rows.boundary.merged
    return Span(head, max(head, len(rows.before) - tail))
