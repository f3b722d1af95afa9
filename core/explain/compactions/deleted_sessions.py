"""Compactions that went on in a session which was deleted since."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from core.errors import NotFoundError
from core.explain.context.context import ConversationContext
from core.hermes.log.record import Kind, LogRecord


def with_deleted(context: ConversationContext) -> tuple[list[LogRecord], Collection[str]]:
    """The lines about a conversation and its sessions, with those that went on in a deleted session."""
    known, records = context.sessions, context.log.records
    ends = [line for line in _ends(context) if not _exists(context, line.session)]
    if not ends:
        return list(records), set(known)
    there = {line.where for line in records}
    added = [line for line in ends if line.where not in there]
    lines = sorted((*records, *added), key=lambda line: line.at) if added else list(records)
    return lines, {*known, *(line.session for line in ends if line.session)}


def _ends(context: ConversationContext) -> Iterator[LogRecord]:
    """Ends in another session of attempts that began in one of the conversation."""
    began: dict[int | None, LogRecord] = {}
    for line in context.log.compactions:
        if line.kind is Kind.STARTED:
            began[line.before] = line
        elif line.kind is Kind.DONE and (started := began.pop(line.before, None)) is not None:
            ours = started.session in context.sessions and started.tag in (None, line.tag, started.session)
            if ours and line.session not in context.sessions:
                yield line


def _exists(context: ConversationContext, session: str | None) -> bool:
    try:
        return session is None or bool(context.store.session(session))
    except NotFoundError:
        return False
