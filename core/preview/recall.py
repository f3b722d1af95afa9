"""What a summary dropped is still in the database: found by words, with its row and generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.compress.summarise.faithful.recall import RecallIndex
from core.hermes.markers.markers import find_summary
from core.model.transcript.conversation import Conversation
from core.model.transcript.message import Message
from core.redact.message import redact_message
from core.store.store import Store


@dataclass(frozen=True, slots=True)
class Hit:
    """One message that speaks of what was asked for.

    Attributes:
        message: With its credentials masked.
        generation: In which it first stood, from 1.
        session: Whose row it is.
        live: It still stands in the newest generation.
        score: See `Recalled`.
        excerpt: The line that tells most. Untrusted.
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
    """The messages a compaction took out that speak of a query, those that hold its very words first.

    Args:
        store: The store of the conversation.
        conversation: All its generations are searched; a copied row counts where it first stood.
        query: Words, compared whatever their ending.
        everything: Also the messages that are still live, behind the others that hold the words as well.
        limit: The most hits.
    """
    first = _first_places(conversation)
    live = frozenset(conversation.generations[-1].row_ids) if conversation.generations else frozenset[int]()
    wanted = [row for row in first if everything or row not in live]
    read = store.messages(wanted)
    messages = [redact_message(one) for one in read if one.row and not find_summary(one.text)]
    found = RecallIndex(messages).find(query, len(messages) if everything else limit)
    hits = [(one.exactness, _hit(messages[one.index], first, live, one.score, one.excerpt)) for one in found]
    return [hit for _, hit in sorted(hits, key=lambda each: (-each[0], each[1].live))][:limit]


def _first_places(conversation: Conversation) -> dict[int, tuple[int, str]]:
    """Generation and session in which each row first stood."""
    first: dict[int, tuple[int, str]] = {}
    for generation in conversation.generations:
        for row in generation.row_ids:
            if row not in generation.copy_ids:
                first.setdefault(row, (generation.index, generation.session_id))
    return first


def _hit(
    message: Message,
    first: Mapping[int, tuple[int, str]],
    live: frozenset[int],
    score: float,
    excerpt: str,
) -> Hit:
    row = message.row.id if message.row is not None else 0
    generation, session = first.get(row, (0, ""))
    return Hit(message, generation, session, row in live, score, excerpt)
