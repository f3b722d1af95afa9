"""Finds messages that a compaction dropped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import InspectorError
from core.preview.recall import Hit, recall
from core.redact.text import redact_text
from core.store.database.locate import DATABASE_NAME, locate
from core.store.store import Store

_DEFAULT_HITS, _MAX_HITS = 5, 20
_AROUND = 300
"""Characters of the messages before and after a hit."""


def recall_answer(home: Path, session: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of the recall tool to `query` and optionally `limit`, about a session's conversation."""
    query = str(args.get("query") or "").strip()
    if not query:
        return {"error": "query is empty"}
    wanted = args.get("limit")
    limit = max(1, min(wanted if isinstance(wanted, int) else _DEFAULT_HITS, _MAX_HITS))
    try:
        with Store(*locate(db=home / DATABASE_NAME)) as store:
            return payload(store, session, query, limit)
    except InspectorError as error:
        return {"error": error.line}


def payload(store: Store, session: str, query: str, limit: int) -> dict[str, Any]:
    """Hits with the messages around them: exact words first, and among those dropped messages first.

    Raises:
        NotFoundError: The session does not exist.
    """
    conversation = store.conversation(session)
    store.learn(session)
    hits = recall(store, conversation, query, everything=True, limit=limit)
    return {"query": query, "hits": [_payload(store, hit) for hit in hits]}


def _payload(store: Store, hit: Hit) -> dict[str, Any]:
    row = hit.message.row
    return {
        "session": hit.session,
        "row": hit.row,
        "role": hit.message.role,
        "state": row.state.value if row is not None else None,
        "text": hit.excerpt,
        "around": [
            {"row": message.row.id, "role": message.role, "text": redact_text(message.text)[:_AROUND]}
            for message in store.messages((hit.row - 1, hit.row + 1))
            if message.row is not None and message.row.session_id == hit.session
        ],
    }
