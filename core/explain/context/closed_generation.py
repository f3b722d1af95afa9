"""What the compaction that ended a generation was given, as rows and the log tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.compress.messages.request_order import requested
from core.explain.context.context import ConversationContext
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.hermes.log.read import Log
from core.hermes.log.record import Kind, LogRecord
from core.hermes.policy.policy import Policy
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message

_STUB = re.compile(r"\[[\w.-]+\] ")
"""How a result begins that was shortened to one line: with the tool's name."""


@dataclass(frozen=True, slots=True)
class Closed:
    """What the compaction that ended a generation was given.

    Attributes:
        notes: Where the list differs from what Hermes held in memory, and why.
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
    """The messages of a generation when it ended, with rows of the turn that a later session holds.

    The newest goes on, and is taken as it stands, its first `begin` messages left out.
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


def _incomplete(here: int, counts: set[int], closing: BoundaryRows) -> bool:
    """Whether there were more messages: by the one count of the log, else by what rows alone show."""
    if here in counts:
        return False
    return closing.counted_before is None or (len(counts) == 1 and max(counts) > here)


def _as_counted(messages: tuple[Message, ...], counts: set[int], policy: Policy) -> tuple[Message, ...]:
    """The messages as the compaction was given them, told by how many the log says there were.

    A request puts loaded messages in order first. Where that would have joined some and none were, the
    process that wrote the rows was still running, and held them as written.
    """
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
        told = f": the log counts {max(counts):,}" if len(counts) == 1 else ""
        yield f"the database kept only {here:,} of the messages it was given{told}"
    if any(_shortened(message, generation) for message in messages):
        yield "results of the running turn stand as a later session holds them, already shortened"


def _spared(here: int, closing: BoundaryRows, generation: Generation, log: Log) -> int:
    """How many of the newest messages a partial compression left alone: they count on neither side."""
    if closing.counted_after is None:
        return 0
    for line in _started(log, generation):
        spared = here - (line.before if line.before is not None else here)
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
