"""Finding what a compaction dropped: messages of a conversation that hold some words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import InspectorError
from core.model.transcript.message import RowState
from core.model.transcript.storage import SearchHit
from core.redact.text import redact_text
from core.store.database.locate import locate
from core.store.store import Store

_USUAL, _MOST = 5, 20
_AROUND = 300
"""Characters of a message beside a hit."""


def found(home: Path, session: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """What the recall tool answers.

    Args:
        home: The HERMES_HOME.
        session: Any session of the conversation.
        args: `query`, and `limit` where the caller wants another.
    """
    query = str(args.get("query") or "").strip()
    if not query:
        return {"error": "query is empty"}
    wanted = args.get("limit")
    limit = max(1, min(wanted if isinstance(wanted, int) else _USUAL, _MOST))
    try:
        with Store(locate(home=home)[0]) as store:
            return payload(store, session, query, limit)
    except InspectorError as error:
        return {"error": error.line}


def payload(store: Store, session: str, query: str, limit: int) -> dict[str, Any]:
    """Hits with the messages that stood around them."""
    hits = dropped(store, session, query, limit)
    return {
        "query": query,
        "hits": [
            {
                "session": hit.session_id,
                "row": hit.row_id,
                "role": hit.role,
                "state": hit.state.value,
                "text": hit.excerpt,
                "around": [
                    {"row": one.row.id, "role": one.role, "text": redact_text(one.text)[:_AROUND]}
                    for one in store.messages((hit.row_id - 1, hit.row_id + 1))
                    if one.row is not None and one.row.session_id == hit.session_id
                ],
            }
            for hit in hits
        ],
    }


def dropped(store: Store, session: str, query: str, limit: int) -> tuple[SearchHit, ...]:
    """Messages of the conversation that hold all words, those no longer in the context first.

    Raises:
        NotFoundError: There is no such session.
    """
    conversation = store.conversation(session)
    store.learn(session)
    names = dict.fromkeys(one.id for one in conversation.sessions)
    hits = [hit for name in names for hit in store.search(query, limit=limit, session=name).hits]
    tip = conversation.tip.id
    hits.sort(key=lambda hit: hit.state is RowState.LIVE and hit.session_id == tip)
    return tuple(hits[:limit])
