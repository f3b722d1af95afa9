"""Whether config.yaml still says what it said when something happened."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from core.explain.context.context import ConversationContext

_SECOND = timedelta(seconds=1)


def edited_after(context: ConversationContext, at: datetime | None) -> bool:
    """Whether config.yaml was last changed after a moment and while the conversation still went on.

    A file that is newer than everything else may as well be a copy.
    """
    changed = _changed(context)
    return at is not None and changed is not None and at + _SECOND < changed < _lived_until(context)


def _changed(context: ConversationContext) -> datetime | None:
    path = context.config.path
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC) if path is not None else None
    except OSError:
        return None


def _lived_until(context: ConversationContext) -> datetime:
    known = [session.ended_at or session.last_active for session in context.conversation.sessions]
    known += [rows.at for rows in context.boundaries]
    known += [context.clock.utc(record.at) for record in context.log.records[-1:]]
    return max((at for at in known if at is not None), default=datetime.min.replace(tzinfo=UTC))
