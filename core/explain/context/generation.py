"""One generation of a conversation, with everything that decides how it is (or was) compressed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.compress.messages.request_order import requested
from core.explain.context.context import ConversationContext, open_context
from core.explain.context.gather import gate_of
from core.explain.context.next_request import gateway_note, next_request, sized
from core.explain.context.rows.boundary_rows import BoundaryRows, retried
from core.hermes.config.config import HermesConfig
from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy
from core.model.compaction.plan import Gate, Settings
from core.model.transcript.conversation import Boundary, BoundaryMode, Conversation, Generation
from core.model.transcript.message import Message
from core.store.conversations.conversation import numbered_generation
from core.store.store import Store

_STUB = re.compile(r"\[[\w.-]+\] ")
"""How a tool result that was shortened to one line begins: with the tool's name."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The messages that the compaction which ended a generation was given.

    Attributes:
        incomplete: The database holds only some of them.
        notes: Where they differ from what Hermes held in memory, and why.
    """

    messages: tuple[Message, ...]
    incomplete: bool = False
    notes: tuple[str, ...] = ()


def closing_rows(context: ConversationContext, generation: Generation) -> BoundaryRows | None:
    """The compaction that ended a generation; None for the newest."""
    if generation is context.conversation.generations[-1]:
        return None
    return next((rows for rows in context.boundaries if rows.opened.index == generation.index + 1), None)


def closed(context: ConversationContext, generation: Generation, begin: int = 0) -> Closed:
    """The messages of a generation when it ended, with rows of the running turn that a later session holds.

    The newest has not ended: it is taken as it is, without its first `begin` messages.
    """
    closing = closing_rows(context, generation)
    rows = (closing.before if closing is not None else ()) or generation.row_ids
    messages = context.messages(rows[begin:] if closing is None else rows)
    if closing is None:
        return Closed(messages)
    counts = {line.before for line in _started(context.log, generation) if line.before is not None}
    messages = _as_counted(messages, counts, context.policy(None))
    notes = tuple(_notes(messages, counts, closing, generation, context.log))
    return Closed(messages, _incomplete(len(messages), counts, closing), notes)


def _incomplete(count: int, counts: set[int], closing: BoundaryRows) -> bool:
    """Whether messages are missing: by the only count in the log, else by the rows alone."""
    if count in counts:
        return False
    return closing.counted_before is None or (len(counts) == 1 and max(counts) > count)


def _as_counted(messages: tuple[Message, ...], counts: set[int], policy: Policy) -> tuple[Message, ...]:
    """The messages as the compaction was given them, according to the count in the log.

    Loaded messages are put in order for a request, which may join some. If that would have joined some here
    but the count says none were, the process that wrote the rows was still running and held them as written.
    It did not hold a turn that was retried.
    """
    again = retried(messages) if counts and len(messages) not in counts else ()
    if again and len(messages) - len(again) in counts:
        return tuple(message for message in messages if message not in again)
    ordered = requested(messages, policy)
    if not counts or len(ordered) == len(messages):
        return messages
    if len(messages) in counts:
        return tuple(sorted(messages, key=lambda message: message.row.id if message.row else 0))
    return ordered if len(ordered) in counts else messages


def _notes(
    messages: Sequence[Message], counts: set[int], closing: BoundaryRows, generation: Generation, log: Log
) -> Iterator[str]:
    here = len(messages)
    spared = _spared(here, closing, generation, log)
    if spared:
        yield (
            f"the compressor was given the first {here - spared} of these {here} messages: "
            f"`/compress here` kept the other {spared} as they were"
        )
    elif _incomplete(here, counts, closing):
        count_words = f": the log counts {max(counts):,}" if len(counts) == 1 else ""
        yield f"the database kept only {here:,} of the messages it was given{count_words}"
    if any(_shortened(message, generation) for message in messages):
        yield "results of the running turn are shown as a later session holds them, already shortened"


def _spared(count: int, closing: BoundaryRows, generation: Generation, log: Log) -> int:
    """How many of the newest messages a partial compression left alone; neither count includes them."""
    if closing.counted_after is None:
        return 0
    for line in _started(log, generation):
        spared = count - (line.before if line.before is not None else count)
        done = {one.after for one in log.records if one.kind is Kind.DONE and one.before == line.before}
        if spared > 0 and closing.counted_after - spared in done:
            return spared
    return 0


def _shortened(message: Message, generation: Generation) -> bool:
    elsewhere = message.row is not None and message.row.session_id != generation.session_id
    return elsewhere and message.role == "tool" and _STUB.match(message.text) is not None


def _started(log: Log, generation: Generation) -> Iterator[LogRecord]:
    """The lines that say a compaction of the generation's session began."""
    session = generation.session_id
    return (line for line in log.records if line.kind is Kind.STARTED and line.session == session)


@dataclass(frozen=True, slots=True)
class GenerationContext:
    """One generation with the conversation it is part of.

    Attributes:
        context: The conversation with its log and configuration.
        generation: None when the conversation holds no messages.
        closed: What the compaction that ended it was given; for the newest, its messages so far.
        settings: Includes the window and the size of the request.
        gate: What could refuse an automatic compaction.
        noted: The size of the last prompt as the gateway noted it; its own check compares this.
    """

    context: ConversationContext
    generation: Generation | None
    closed: Closed
    settings: Settings
    policy: Policy
    gate: Gate
    noted: int | None = None

    @property
    def conversation(self) -> Conversation:
        """The conversation it is part of."""
        return self.context.conversation

    @property
    def config(self) -> HermesConfig:
        """The configuration of its home."""
        return self.context.config

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the generation, as the model saw them."""
        return self.closed.messages

    @property
    def ended(self) -> str:
        """Its name if a compaction ended it; "" for the newest."""
        here, total = self.generation, len(self.conversation.generations)
        return "" if here is None or here.index >= total else f"Generation {here.index} of {total}"

    @property
    def rules(self) -> tuple[str, ...]:
        """Notes on whose rules the figures follow, where these are not the rules in force."""
        release, engine = self.context.release, self.context.engine
        return (*(() if engine is None else (engine.note(release.release),)), *self.release_rules)

    @property
    def release_rules(self) -> tuple[str, ...]:
        """A note on the release whose rules stand in for those of one that is not known, if one does."""
        return tuple(filter(None, (self.context.release.stands_in,)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the messages should know."""
        return (*self.conversation.notes, *self.closed.notes)


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

    Generations count from 1; None is the newest. Of the newest, the first `begin` messages are left out,
    which the caller has measured already.
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
        noted=gateway_note(context),
    )


def _settings(
    context: ConversationContext, generation: Generation | None, messages: Sequence[Message]
) -> Settings:
    """The settings in force with the size of the request: of the newest generation the next one."""
    if generation is not None and generation is not context.conversation.generations[-1]:
        compared = _number_compared(messages, generation, context.log)
        closing = context.conversation.generations[generation.index].boundary
        settings = context.settings_in_force
        warm = generation.boundary is not None and _ran_warm(closing, settings)
        return replace(settings, current_tokens=compared, warm=warm)
    size = next_request(context)
    return sized(context, size)


def _ran_warm(boundary: Boundary | None, settings: Settings) -> bool:
    """Whether a compaction kept a tail but less of a head than configured.

    A process does that which has compacted before: it keeps none, but puts back the only request there is.
    """
    if boundary is None or boundary.mode is BoundaryMode.REWRITE:
        return False
    kept = boundary.summary_row is not None and bool(boundary.tail_rows)
    return kept and boundary.head_rows < max(settings.protect_first, 1)


def _number_compared(messages: Sequence[Message], generation: Generation, log: Log) -> int | None:
    """The number a past compaction of these messages went by, where its lines agree on one."""
    stated = {line.tokens for line in _started(log, generation) if line.before == len(messages)}
    return stated.pop() if len(stated) == 1 else None


def _chosen(conversation: Conversation, index: int | None) -> Generation | None:
    if index is None:
        return conversation.generations[-1] if conversation.generations else None
    return numbered_generation(conversation, index)
