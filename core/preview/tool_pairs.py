"""Which tool result answers which call. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.model.transcript.message import Message


@dataclass(frozen=True, slots=True)
class Pairs:
    """Calls and results of one list, by index.

    Attributes:
        calls: For a result, the index of the assistant that made the call.
        results: For an assistant, the index of the result of each call id.
        tools: For a result, the name of the tool it comes from.
    """

    calls: Mapping[int, int] = field(default_factory=dict)
    results: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    tools: Mapping[int, str] = field(default_factory=dict)

    def mates(self, index: int | None) -> frozenset[int]:
        """The messages that belong to a message: its call, or its results."""
        if index is None:
            return frozenset()
        if index in self.calls:
            return frozenset((self.calls[index],))
        return frozenset(self.results.get(index, {}).values())


def tool_pairs(messages: Iterable[Message]) -> Pairs:
    """Pair every result with the nearest earlier call of its id; a second answer pairs with nothing."""
    open_calls: dict[str, tuple[int, str]] = {}
    calls: dict[int, int] = {}
    results: dict[int, dict[str, int]] = {}
    tools: dict[int, str] = {}
    for index, message in enumerate(messages):
        for call in message.tool_calls:
            open_calls[call.id] = (index, call.name)
        answered = message.tool_call_id if message.role == "tool" else None
        if answered is not None and answered in open_calls:
            caller, tools[index] = open_calls.pop(answered)
            calls[index] = caller
            results.setdefault(caller, {})[answered] = index
    return Pairs(calls, results, tools)
