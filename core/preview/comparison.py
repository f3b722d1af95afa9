"""What a preview shows of a future or past compaction: both lists, and their calls with results."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from sys import intern
from typing import TYPE_CHECKING

from core.model.compaction.plan import Part, Plan, Span, part_at
from core.model.compaction.preview import Feedback, Preview, Retention
from core.model.transcript.message import Message

if TYPE_CHECKING:
    from core.hermes.config.in_force import EngineInCharge

_NONE: tuple[int, int, str | None] = (-1, -1, None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One compaction from both sides.

    Attributes:
        head, middle, tail: Where the list before was cut.
        kept: For each message after, its index before; messages without one are new.
        summary_index: Position of the summary after; None without one.
        summary: Its text without markers.
        before_tokens, after_tokens: Estimates of the release.
        made_by: Who wrote the summary, in words.
        real: It happened; the rows are from the database.
        saves: USD that each later request costs less; None when no price is known.
        made: The preview behind it; None for a compaction that happened.
        supposed: Settings that differ from the actual ones, in words.
        engine: The engine that made the cut, with its version; empty for Hermes' own compressor.
        broken: What a provider would refuse in the list of that engine.
        failing: The error of the summary model that stands: mend it before another `/compress`.
        incomplete: For before and after: the database kept only some of the messages.
        in_charge: The engine that decides, where the config names one.
    """

    before: tuple[Message, ...]
    after: tuple[Message, ...]
    head: Span
    middle: Span
    tail: Span
    kept: Mapping[int, int]
    summary_index: int | None
    summary: str
    before_tokens: int
    after_tokens: int
    made_by: str
    real: bool = False
    saves: Decimal | None = None
    focus: str | None = None
    feedback: Feedback | None = None
    retention: Retention | None = None
    before_weights: Sequence[int] = ()
    after_weights: Sequence[int] = ()
    notes: tuple[str, ...] = ()
    made: Preview | None = None
    supposed: str = ""
    engine: str = ""
    broken: tuple[str, ...] = ()
    failing: str = ""
    incomplete: tuple[bool, bool] = (False, False)
    in_charge: EngineInCharge | None = None

    @property
    def saved(self) -> float | None:
        """Share of the tokens that is gone; negative if it grew; None if messages are missing."""
        return (
            None
            if not self.before_tokens or any(self.incomplete)
            else 1 - self.after_tokens / self.before_tokens
        )

    @property
    def is_unchanged(self) -> bool:
        """Whether the list stays as it is, without a summary."""
        sizes = (len(self.after), self.after_tokens), (len(self.before), self.before_tokens)
        return not self.summary and sizes[0] == sizes[1]

    def part(self, index: int) -> Part:
        """The part of the cut into which a message before falls."""
        return part_at(self.head, self.middle, index)

    def lost(self, index: int) -> float | None:
        """What a message lost, where the heaviest is 1; None outside the middle or without facts."""
        shares = self.retention.losses if self.retention else ()
        place = index - self.middle.start
        return shares[place] if 0 <= place < len(shares) and index < self.middle.end else None


def begun(messages: tuple[Message, ...], plan: Plan, words: str) -> Comparison:
    """What is known of a planned compaction: both sides, with a placeholder for the summary."""
    head, tail = plan.head, plan.tail
    kept = (*range(head.start, head.end), *range(tail.start, tail.end))
    places = {place + (place >= head.size): origin for place, origin in enumerate(kept)}
    summary = Message({"role": "user", "content": words})
    return Comparison(
        before=messages,
        after=(*messages[: head.end], summary, *messages[tail.start :]),
        head=head,
        middle=plan.middle,
        tail=tail,
        kept=places,
        summary_index=head.size,
        summary="",
        before_tokens=plan.estimated_tokens,
        after_tokens=0,
        made_by="",
        before_weights=plan.estimates,
    )


def kept_of(before: Sequence[Message], after: Sequence[Message], summary_index: int | None) -> dict[int, int]:
    """For each message after, its index before: matched by row, else by content, in order.

    A row found twice counts at its first place. The summary's own row is new unless it also holds a message
    of the tail.
    """
    by_key: dict[object, list[int]] = {}
    for index, message in enumerate(before):
        by_key.setdefault(_key(message), []).append(index)
    kept: dict[int, int] = {}
    for index in reversed(range(len(after))):
        places = by_key.get(_key(after[index]))
        if places and index != summary_index:
            kept[index] = places.pop()
    return kept


def _key(message: Message) -> object:
    if message.row is not None:
        return message.row.id
    return (message.role, message.text, message.tool_call_id, message.tool_calls)


@dataclass(frozen=True, slots=True)
class ToolPairs:
    """The calls and results of a list of messages, as numbers, which are needed after the texts are dropped.

    Attributes:
        callers: For each message, the index of the message whose call it answers; -1 for none.
        calls: Which of that message's calls it answers.
        tools: The tool that was called.
        waiting: Calls without a result, by id: index, which of the message's calls, tool.
    """

    callers: array[int] = field(default_factory=lambda: array("i"))
    calls: array[int] = field(default_factory=lambda: array("i"))
    tools: tuple[str | None, ...] = ()
    waiting: Mapping[str, tuple[int, int, str]] = field(default_factory=dict)

    def grown(self, added: Iterable[Message]) -> ToolPairs:
        """These pairs with those of following messages; a result answers the nearest call with its id."""
        callers, calls, waiting = self.callers[:], self.calls[:], {**self.waiting}
        tools = list(self.tools)
        for place, message in enumerate(added, len(callers)):
            answered = message.tool_call_id if message.wire.get("role") == "tool" else None
            caller, call, tool = waiting.pop(answered, _NONE) if answered is not None else _NONE
            callers.append(caller)
            calls.append(call)
            tools.append(tool)
            waiting |= {one.id: (place, at, intern(one.name)) for at, one in enumerate(message.tool_calls)}
        return ToolPairs(callers, calls, tuple(tools), waiting)

    def call_of(self, index: int) -> tuple[int, str | None] | None:
        """The index of the message whose call a result answers, and the name of the tool."""
        caller = self.callers[index]
        return None if caller < 0 else (caller, self.tools[index])

    def results_of(self, index: int) -> dict[int, int]:
        """The indices of the results of a message's calls, by the number of the call."""
        found = (place for place, caller in enumerate(self.callers[index:], index) if caller == index)
        return {self.calls[place]: place for place in found}

    def partners(self, index: int | None) -> frozenset[int]:
        """The indices of the messages paired with a message: its call, or its results."""
        if index is None:
            return frozenset()
        caller = self.callers[index]
        return frozenset((caller,) if caller >= 0 else self.results_of(index).values())
