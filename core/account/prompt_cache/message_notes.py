"""What markers and costs rest on, noted of each message as it passes by.

Following a conversation of 12,000 messages, to read them all for the markers and once more for the costs took
0.8 s of a core each time; of what was noted only the new ones are read.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.account.prompt_cache.result_costs import ResultNotes
from core.compress.sizing.estimate import numbers, transcript_tokens
from core.hermes.policy.trigger_rules import EstimateRules
from core.model.accounting.prompt_cache import CacheCall
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message, Wire

Passing = Callable[[Sequence[int]], Iterable[Message]]


@dataclass(slots=True)
class GenerationNotes:
    """The messages of one generation.

    Attributes:
        rows: How many rows they are of, and the hash of those; None while some are being added.
        outlines: What decides on markers, without the texts.
        weights: The release's estimate of each.
        results: What the costs of tool results rest on.
    """

    rows: tuple[int, int] | None = (0, hash(()))
    outlines: list[Message] = field(default_factory=list)
    weights: array[int] = field(default_factory=numbers)
    results: ResultNotes = field(default_factory=ResultNotes)

    def is_of(self, rows: tuple[int, ...]) -> bool:
        """Whether these are the first messages of some rows."""
        return self.rows is not None and hash(rows[: self.rows[0]]) == self.rows[1]

    def add(
        self, rows: tuple[int, ...], messages: Passing, copies: frozenset[int], rules: EstimateRules
    ) -> None:
        """Note the messages of those rows that are not noted yet."""
        assert self.rows is not None
        start, self.rows = self.rows[0], None
        for message in messages(rows[start:]):
            self.outlines.append(_outlined(message.wire))
            self.weights.append(transcript_tokens([message], rules))
            self.results.note(message, copies)
        self.rows = len(rows), hash(rows)


@dataclass(slots=True)
class MessageNotes:
    """The notes of a conversation, for one reader at a time.

    Attributes:
        calls: Of its log, as they were read last.
    """

    calls: tuple[CacheCall, ...] = ()
    _known: dict[int, tuple[tuple[object, ...], GenerationNotes]] = field(default_factory=dict)

    def of(self, generation: Generation, messages: Passing, rules: EstimateRules) -> GenerationNotes:
        """The notes of all messages of a generation."""
        begun = generation.session_id, generation.boundary, rules
        before, notes = self._known.get(generation.index, ((), GenerationNotes()))
        if before != begun or not notes.is_of(generation.row_ids):
            notes = GenerationNotes()
        self._known[generation.index] = begun, notes
        notes.add(generation.row_ids, messages, generation.copied, rules)
        return notes


def _outlined(wire: Wire) -> Message:
    """What decides on markers, without the text: thousands of messages are asked for one marker on three."""
    role, content, calls = wire.get("role"), wire.get("content"), bool(wire.get("tool_calls"))
    if isinstance(content, str):
        content = content[:1]
        if isinstance(role, str) and "cache_control" not in wire:
            return _bare(role, content, calls=calls)
    told = {name: wire[name] for name in ("role", "cache_control") if name in wire}
    return Message({**told, "content": content, "tool_calls": calls})


@lru_cache(maxsize=256)
def _bare(role: str, content: str, *, calls: bool) -> Message:
    """One for all that differ in no more than their texts."""
    return Message({"role": role, "content": content, "tool_calls": calls})
