"""What the rules about tokens, money and cache look at: one conversation and what was worked out about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.account.spending.ledger import collect
from core.errors import NotFoundError

if TYPE_CHECKING:
    from core.account.pricing.price_book import PriceBook
    from core.explain.context.context import ConversationContext
    from core.model.accounting.ledger import LedgerRow
    from core.model.accounting.prompt_cache import CacheReport
    from core.model.transcript.conversation import Conversation
    from core.model.transcript.message import Message
    from core.model.transcript.session import Session
    from core.model.transcript.storage import UsageRow
    from core.store.store import Store


@dataclass(frozen=True)
class Account:
    """One conversation under examination, and what its prompt cache did."""

    context: ConversationContext
    report: CacheReport
    prices: PriceBook | None = None

    @property
    def store(self) -> Store:
        """The database."""
        return self.context.store

    @property
    def conversation(self) -> Conversation:
        """The thread."""
        return self.context.conversation

    @property
    def session(self) -> str:
        """The session findings are filed under."""
        return self.conversation.root.id

    @cached_property
    def usage(self) -> tuple[UsageRow, ...]:
        """Its usage by route and task."""
        return self.store.model_usage([session.id for session in self.conversation.sessions])

    @cached_property
    def rows(self) -> tuple[LedgerRow, ...]:
        """Its ledger by model."""
        return collect([self.store], by="model", session=self.session, prices=self.prices).ledger().rows

    @cached_property
    def fresh(self) -> tuple[Message, ...]:
        """Every message once: copies made by compactions left out."""
        found: list[Message] = []
        for generation in self.conversation.generations:
            copies = generation.copied
            messages = self.context.messages(generation.row_ids)
            found += (message for place, message in enumerate(messages) if place not in copies)
        return tuple(found)

    @cached_property
    def answers(self) -> tuple[Message, ...]:
        """What the model answered.

        What a branch took from its parent, and what a retried turn wrote into several sessions, counts once.
        """
        inherited = Counter(_spoken(message) for message in self._parent if message.role == "assistant")
        seen: set[tuple[str, ...]] = set()
        answers: list[Message] = []
        for message in self.fresh:
            said = _spoken(message)
            if message.role != "assistant" or said[1] in seen:
                continue
            seen |= {said[1]} - {()}
            if inherited[said]:
                inherited[said] -= 1
            else:
                answers.append(message)
        return tuple(answers)

    @property
    def _parent(self) -> tuple[Message, ...]:
        """What the session had before it that this conversation branched from."""
        parent = self.conversation.root.parent_id
        try:
            generations = self.store.conversation(parent).generations if parent is not None else ()
        except NotFoundError:
            generations = ()
        return tuple(one for generation in generations for one in self.store.generation_messages(generation))

    @property
    def calls(self) -> int:
        """Main-loop calls Hermes counted."""
        return sum(session.api_calls or 0 for session in self.conversation.sessions)


def _spoken(message: Message) -> tuple[str, tuple[str, ...]]:
    return message.text, tuple(call.id for call in message.tool_calls)


def billed(session: Session) -> tuple[int | None, ...]:
    """The buckets a provider bills."""
    tokens = session.tokens
    return tokens.input, tokens.cache_read, tokens.cache_write, tokens.output
