"""Finds by words what a summary dropped but the database still holds, with row and generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.compress.summarise.faithful.recall import RecallIndex
from core.hermes.markers.markers import find_summary
from core.model.transcript.conversation import Conversation
from core.model.transcript.message import Message
from core.redact.message import redact_message
from core.store.store import Store


@dataclass(frozen=True, slots=True)
class Hit:
    """One message that matches a query.

    Attributes:
        message: With its credentials masked.
        generation: The generation in which it first appeared, from 1.
        session: The session of its row.
        live: It is part of the newest generation.
        score: See `Recalled`.
        excerpt: The line that matches best. Untrusted.
    """

    message: Message
    generation: int
    session: str
    live: bool
    score: float
    excerpt: str

    @property
    def row(self) -> int:
        """`messages.id`."""
        return 0 if self.message.row is None else self.message.row.id


def recall(
    store: Store, conversation: Conversation, query: str, *, everything: bool = False, limit: int = 20
) -> list[Hit]:
    """Messages removed by compactions that match a query; those with its exact words come first.

    Words are compared without their endings; a copied row counts where it first appeared. With `everything`,
    live messages are listed too, after others that match equally well.
    """
    first = _first_places(conversation)
    live = _live(store, conversation, first)
    rows = [row for row in first if everything or row not in live]
    read = store.messages(rows)
    messages = [redact_message(one) for one in read if one.row and not find_summary(one.text)]
    found = RecallIndex(messages).find(query, len(messages) if everything else limit)
    hits = [(one.exactness, _hit(messages[one.index], first, live, one.score, one.excerpt)) for one in found]
    return [hit for _, hit in sorted(hits, key=lambda each: (-each[0], each[1].live))][:limit]


def removed_requests(store: Store, conversation: Conversation, *, limit: int = 20) -> list[Hit]:
    """What the user said and compactions removed, newest first."""
    first = _first_places(conversation)
    live = _live(store, conversation, first)
    read = store.messages(sorted(row for row in first if row not in live))
    said = [one for one in read if one.row and one.role == "user" and not find_summary(one.text)]
    newest = map(redact_message, said[: -limit - 1 : -1])
    return [_hit(one, first, live, 0.0, " ".join(one.text.split())) for one in newest]


def _live(store: Store, conversation: Conversation, rows: Iterable[int]) -> frozenset[int]:
    """The rows of the newest generation, and those of earlier ones of which it holds a copy."""
    newest = conversation.generations[-1] if conversation.generations else None
    if newest is None or not newest.copy_ids:
        return frozenset(newest.row_ids if newest else ())
    copied = Counter(map(_content, store.messages(newest.copy_ids)))
    kept: list[int] = []
    for message in reversed(store.messages(sorted(set(rows).difference(newest.row_ids)))):
        if message.row is not None and copied[_content(message)] > 0:
            copied[_content(message)] -= 1
            kept.append(message.row.id)
    return frozenset((*newest.row_ids, *kept))


def _content(message: Message) -> tuple[str, str, str | None]:
    return message.role, message.text, message.tool_call_id


def _first_places(conversation: Conversation) -> dict[int, tuple[int, str]]:
    """The generation and session in which each row first appeared."""
    first: dict[int, tuple[int, str]] = {}
    for generation in conversation.generations:
        for row in generation.row_ids:
            if row not in generation.copy_ids:
                first.setdefault(row, (generation.index, generation.session_id))
    return first


def _hit(
    message: Message, first: Mapping[int, tuple[int, str]], live: frozenset[int], score: float, excerpt: str
) -> Hit:
    row = message.row.id if message.row is not None else 0
    generation, session = first.get(row, (0, ""))
    return Hit(message, generation, session, row in live, score, excerpt)
