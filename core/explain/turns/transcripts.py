"""The messages of each generation at the time it was closed, and their sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate

from core.compress.sizing.estimate import as_tokens, message_size
from core.explain.compactions.verdict import BY_SIZE
from core.explain.context.context import ConversationContext, live
from core.explain.context.log.log_claims import lowered_threshold
from core.explain.context.next_request import outlived
from core.explain.context.rows.unsaved_rows import copied_rows
from core.hermes.log.record import Kind
from core.model.compaction.event import CompressionEvent
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message
from core.model.transcript.session import Session

_FIRST_LINE_DELAY = timedelta(seconds=1)
"""An attempt takes less to prepare its first line; a lowering it finds itself applies only later."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of one generation at the time it was closed.

    Attributes:
        kept: How many leading messages the previous compaction wrote.
        event: Index of the event that closed it; None for the newest generation, or where unknown.
    """

    generation: Generation
    messages: tuple[Message, ...]
    kept: int
    event: int | None


def transcripts(context: ConversationContext, events: Sequence[CompressionEvent]) -> Iterator[Transcript]:
    """What each generation held when it was closed, including rows that only the next session holds."""
    generations = context.conversation.generations
    closing = {rows.opened.index: rows for rows in context.boundaries}
    closed_by = {event.generation: number for number, event in enumerate(events) if event.generation}
    for generation in generations:
        rows, number = closing.get(generation.index + 1), closed_by.get(generation.index)
        given = (rows.before if rows is not None else ()) or generation.row_ids
        messages = context.messages(_with_spared(given, generation))
        yield Transcript(generation, messages, min(copied_rows(generation), len(messages)), number)


def _with_spared(given: tuple[int, ...], generation: Generation) -> tuple[int, ...]:
    """The rows a compaction was given, with those `/compress here` withheld, in which turns also ran."""
    spared = (generation.unseen or frozenset()).difference(generation.copy_ids, given)
    if not spared:
        return given
    own = tuple(row for row in generation.row_ids if row in spared or row in given)
    return (*own, *(row for row in given if row not in own))


class RunningSums:
    """Cumulative sizes of one transcript: the size of any span is a difference."""

    def __init__(self, context: ConversationContext, transcript: Transcript) -> None:
        self._rules = context.policy(None).estimate
        wires = [message.wire for message in transcript.messages]
        stored = [message_size(wire, self._rules) for wire in wires]
        running = [message_size(live(wire), self._rules) for wire in wires]
        self._text = (0, *accumulate(size.text for size in stored))
        self._live = (0, *accumulate(size.text for size in running))
        self._images = (0, *accumulate(size.images for size in stored))
        if not context.policy(None).checks.live_turn:
            self._live = self._text

    def messages(self, start: int, end: int, running: int) -> int:
        """The estimate of messages [start, end); those from `running` on belong to the current turn."""
        middle = min(max(running, start), end)
        text = self._text[middle] - self._text[start] + self._live[end] - self._live[middle]
        images = self._images[end] - self._images[start]
        return as_tokens(text, self._rules) + images * self._rules.image_tokens


def threshold_in_force(
    context: ConversationContext, event: CompressionEvent | None, session: Session
) -> tuple[int | None, int | None]:
    """Window and threshold of the check that ended a generation; without an event, today's.

    Of an engine's own thresholds the newest that it named counts, as everywhere.
    """
    if event is not None and event.trigger in BY_SIZE:
        window, threshold = event.window, event.threshold
    else:
        window, threshold = context.window.tokens, None
    limits = context.limits(None, session, window, lowered=context.log.empty)
    if threshold is not None or limits is None:
        return window, threshold
    engine = context.engine
    if engine is not None and (engine.line is not None or not engine.is_ours):
        return window, engine.limit(limits.threshold)
    until = None if event is None or event.at is None else event.at - _FIRST_LINE_DELAY
    lines = (line for line in context.rare_lines if line.kind is Kind.AUX_LOWERED)
    keeps = context.policy(None).threshold.aux_check != "attempt"
    if until is None:
        before = [line for line in lines if keeps or not outlived(context, line)]
    else:
        before = [line for line in lines if context.clock.utc(line.at) < until]
    lowered = lowered_threshold(before, limits.threshold)
    return window, limits.threshold if lowered is None else lowered.threshold
