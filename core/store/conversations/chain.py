"""The family tree of a session, as values."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from core.model.transcript.conversation import Chain, ChainNode
from core.model.transcript.session import Kind
from core.model.transcript.storage import UsageRow
from core.store.conversations.conversation_query import is_lower_bound
from core.store.conversations.generation_counts import count_generations
from core.store.database.open_database import Schema
from core.store.lineage.families import family_of
from core.store.lineage.lineage import Lineage, Link
from core.store.rows.sessions import read_sessions
from core.store.rows.usage import read_usage, unbooked_summaries


def read_chain(connection: sqlite3.Connection, schema: Schema, path: Path, session_id: str) -> Chain | None:
    """Everything related to a session; None when there is no such session."""
    lineage = family_of(connection, schema, session_id)
    if lineage is None:
        return None
    family = lineage.family(session_id)
    sessions = read_sessions(connection, schema, path, [link.id for link, _ in family])
    counts = count_generations(connection, schema, lineage, [link.id for link, _ in family])
    short = unbooked_summaries(connection, schema, path, list(sessions))
    beside = defaultdict[str, list[UsageRow]](list)
    for row in read_usage(connection, schema, list(sessions)):
        if row.task:
            beside[row.session_id].append(row)
    target, reason = lineage.resume(session_id)
    thread = lineage.path(session_id)
    return Chain(
        root=thread[0],
        tip=thread[-1],
        resume_target=target,
        resume_reason=reason,
        nodes=tuple(
            ChainNode(
                session=sessions[link.id],
                kind=lineage.kind(link.id),
                parent_id=link.parent_id,
                depth=depth,
                generations=counts[link.id].generations,
                lost=counts[link.id].lost,
                orphan=lineage.orphan(link.id),
                beside=tuple(beside[link.id]),
                lower_bound=is_lower_bound(sessions[link.id], short),
            )
            for link, depth in family
            if link.id in sessions
        ),
        findings=tuple(_findings(lineage, [link for link, _ in family], session_id)),
    )


def _findings(lineage: Lineage, family: list[Link], session_id: str) -> Iterator[str]:
    if lineage.cycle(session_id):
        yield "the parents of these sessions form a circle, which was cut"
    for link in family:
        rivals = lineage.successors(link.id)
        if link.end_reason == "compression" and not rivals:
            yield f"{link.id} ended in a compression, but no session continues it"
        if len(rivals) > 1:
            yield f"{link.id} is continued {len(rivals)} times: {lineage.why_preferred(link.id)}"
        if lineage.orphan(link.id):
            yield f"{link.id} names a parent that is not in this database: {link.parent_id}"
        if lineage.kind(link.id) is Kind.CONTINUATION and not lineage.has_messages(link.id):
            yield f"{link.id} continues a conversation, but holds no messages"
