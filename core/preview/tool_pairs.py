"""Which call each tool result of a list answers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from sys import intern

from core.model.transcript.message import Message


@dataclass(frozen=True, slots=True)
class ToolPairs:
    """The pairs of a list of messages, as numbers: they are asked for long after the texts were let go.

    Attributes:
        callers: For each message, the place of the one whose call it answers; -1 for none.
        calls: Which of that one's calls.
        tools: The tool that was called.
        waiting: Calls without a result, by id: place, which of its calls, tool.
    """

    callers: array[int] = field(default_factory=lambda: array("i"))
    calls: array[int] = field(default_factory=lambda: array("i"))
    tools: tuple[str | None, ...] = ()
    waiting: Mapping[str, tuple[int, int, str]] = field(default_factory=dict)

    def grown(self, added: Iterable[Message]) -> ToolPairs:
        """These pairs and those of messages that follow; a result answers the nearest call of its id."""
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
        """The place of the message whose call a result answers, and the name of the tool."""
        caller = self.callers[index]
        return None if caller < 0 else (caller, self.tools[index])

    def results_of(self, index: int) -> dict[int, int]:
        """The places of the results of a message's calls, by which of them they answer."""
        found = (place for place, caller in enumerate(self.callers[index:], index) if caller == index)
        return {self.calls[place]: place for place in found}

    def mates(self, index: int | None) -> frozenset[int]:
        """The places of the messages that belong to a message: its call, or its results."""
        if index is None:
            return frozenset()
        caller = self.callers[index]
        return frozenset((caller,) if caller >= 0 else self.results_of(index).values())


_NONE: tuple[int, int, str | None] = (-1, -1, None)
