"""One generation of a conversation with all that decides, or decided, what compression does to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.errors import UsageError
from core.explain.context.closed_generation import Closed, closed
from core.explain.context.context import ConversationContext, open_context
from core.explain.context.gather import gate_of
from core.explain.context.next_request import next_request
from core.hermes.config.config import HermesConfig
from core.hermes.config.engine_in_charge import engine_in_charge
from core.hermes.config.window import WindowGuess
from core.hermes.log.read import Log
from core.hermes.log.record import Kind
from core.hermes.policy.policy import Policy
from core.hermes.policy.release import ReleaseGuess
from core.model.compaction.settings import Gate, Settings
from core.model.transcript.conversation import Conversation, Generation
from core.model.transcript.message import Message
from core.store.store import Store


@dataclass(frozen=True, slots=True)
class GenerationContext:
    """One generation, and the conversation it is part of.

    Attributes:
        context: The conversation with its log and configuration.
        generation: The one asked about; None when the conversation holds no messages.
        closed: What the compaction that ended it was given; of the newest, what there is.
        settings: With window and the size of the request.
        gate: What could refuse an automatic attempt.
    """

    context: ConversationContext
    generation: Generation | None
    closed: Closed
    settings: Settings
    policy: Policy
    gate: Gate

    @property
    def conversation(self) -> Conversation:
        """The conversation it is part of."""
        return self.context.conversation

    @property
    def config(self) -> HermesConfig:
        """The configuration of its home."""
        return self.context.config

    @property
    def release(self) -> ReleaseGuess:
        """Detected, or asked for."""
        return self.context.release

    @property
    def window(self) -> WindowGuess:
        """The window of its newest session."""
        return self.context.window

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the generation, as the model saw them."""
        return self.closed.messages

    @property
    def rules(self) -> tuple[str, ...]:
        """Whose rules the figures are by, where these are not the rules in force."""
        release = self.context.release
        engine = engine_in_charge(self.context.config, self.context.log.records, release.release)
        told = () if engine is None else (engine.note(release.release),)
        return (*told, *filter(None, (release.stands_in,)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the messages should know."""
        return (*self.rules, *self.conversation.notes, *self.closed.notes)


def generation_context(
    store: Store,
    session_id: str,
    *,
    generation: int | None = None,
    release: str | None = None,
    conversation: Conversation | None = None,
    known: Sequence[Message] = (),
    begin: int = 0,
) -> GenerationContext:
    """Gather what decides about a generation; the database may be closed afterwards.

    Generations count from 1; None is the newest. Of that, `begin` messages which whoever asks has measured
    are left out.

    Raises:
        NotFoundError: There is no such session.
        UsageError: The conversation has no such generation.
        ConfigError: config.yaml cannot be used, or the release is unknown.
    """
    context = open_context(store, session_id, release=release, conversation=conversation, known=known)
    conversation = context.conversation
    chosen = _chosen(conversation, generation)
    ended = closed(context, chosen, begin) if chosen is not None else Closed(())
    return GenerationContext(
        context=context,
        generation=chosen,
        closed=ended,
        settings=_settings(context, chosen, ended.messages),
        policy=context.policy(None),
        gate=gate_of(store, conversation.tip),
    )


def _settings(
    context: ConversationContext, generation: Generation | None, messages: Sequence[Message]
) -> Settings:
    """The settings in force with the size of the request: of the newest generation the next one."""
    if generation is not None and generation is not context.conversation.generations[-1]:
        return replace(context.settings_in_force, current_tokens=_then(messages, generation, context.log))
    size = next_request(context)
    if size.counted:
        return replace(context.settings_in_force, current_tokens=size.tokens)
    return replace(context.settings_in_force, expected_tokens=size.tokens)


def _then(messages: Sequence[Message], generation: Generation, log: Log) -> int | None:
    """The number a past compaction of these messages went by, where its lines agree on one."""
    session = generation.session_id
    lines = [line for line in log.records if line.kind is Kind.STARTED and line.session == session]
    stated = {line.tokens for line in lines if line.before == len(messages)}
    return stated.pop() if len(stated) == 1 else None


def _chosen(conversation: Conversation, index: int | None) -> Generation | None:
    if index is None:
        return conversation.generations[-1] if conversation.generations else None
    for generation in conversation.generations:
        if generation.index == index:
            return generation
    raise UsageError(
        f"no generation {index}",
        where=conversation.root.id,
        remedy=f"The conversation has {len(conversation.generations)}",
    )
