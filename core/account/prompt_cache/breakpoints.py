"""Where a request carries cache breakpoints, as each release of Hermes places them.

The strategy is `system_and_3`: at most four markers, one on the system message and the others on the last
messages that count. None of this is stored; it is computed from the messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from core.account.prompt_cache.routes import Placing, placing
from core.model.accounting.prompt_cache import Breakpoint
from core.model.transcript.message import Message

STRATEGY = "system_and_3"
MARKERS = 4
"""Most breakpoints a provider accepts in a request."""
SYSTEM, TOOLS = -1, -2
"""Index of a breakpoint before the messages: on a separate system prompt, on the tool schemas."""


def place(
    messages: Sequence[Message],
    release: str,
    layout: str,
    ttl: str = "5m",
    *,
    system_prefix: str | None = None,
    tool_parts: bool = True,
    tool_schemas: bool = False,
) -> tuple[Breakpoint, ...]:
    """The breakpoints of a request in order, also ignored ones and, until 0.19, those its messages had.

    The layout is `native`, `envelope` or `none`; a `ttl` other than `1h` is taken as `5m`, as Hermes does.
    From 0.22 on some routes mark the static start of the system prompt separately (`system_prefix`), do not
    honour markers in tool results (`tool_parts`, LiteLLM-style proxies), or mark the last tool schema instead
    of the system prompt's end, and completed exchanges instead of the last messages (`tool_schemas`, directly
    to Anthropic with tools).
    """
    if layout not in ("native", "envelope"):
        return ()
    rules = placing(release)
    placer = _Placer(rules, layout == "native", "1h" if ttl == "1h" else "5m", tool_parts)
    wires = [_stripped(message.wire) if rules.strips else message.wire for message in messages]
    if tool_schemas and rules.prefix:
        return tuple(_with_schemas(placer, wires, system_prefix))
    marks = _system_marks(placer, wires, system_prefix)
    # A leading system message uses up a breakpoint even if it cannot carry a marker.
    left = MARKERS - max(_is_system(wires), len(marks))
    counted = [i for i, wire in enumerate(wires) if wire.get("role") != "system" and placer.counts(wire)]
    found = (placer.mark(index, wires[index]) for index in counted[-left:])
    placed = (*marks, *filter(None, found))
    if rules.strips:
        return placed
    return tuple(sorted((*_carried(wires, placed), *placed), key=attrgetter("index")))


def with_prefix_tokens(
    breakpoints: Sequence[Breakpoint], weights: Sequence[int], base: int
) -> tuple[Breakpoint, ...]:
    """The same breakpoints, each with the tokens before it; `base`: tools and a separate system prompt."""
    return tuple(
        replace(point, prefix_tokens=base + sum(weights[: max(0, point.index + 1)])) for point in breakpoints
    )


@dataclass(frozen=True, slots=True)
class _Placer:
    """Places a marker on a message."""

    rules: Placing
    native: bool
    ttl: str
    tool_parts: bool

    def counts(self, wire: Mapping[str, Any]) -> bool:
        """Whether the message uses up a breakpoint."""
        if self.native or self.rules.counts == "any":
            return True
        if wire.get("role") == "tool" and not self.tool_parts:
            return False
        content = wire.get("content")
        if isinstance(content, list):
            return bool(content) and isinstance(content[-1], dict)
        return isinstance(content, str) and content != ""

    def mark(self, index: int, wire: Mapping[str, Any]) -> Breakpoint | None:
        """The marker for a message; None if it gets none although it counts."""
        role, content = str(wire.get("role", "")), wire.get("content")
        if role == "tool" and self.native:
            return self._at(index, role, "top")
        if role == "tool" and (self.rules.tools == "never" or not self.tool_parts):
            return None
        if content is None or content == "":
            if not self.native and role in self.rules.unmarked_if_empty:
                return None
            return self._at(index, role, "top", honoured=self.native)
        if isinstance(content, str):
            return self._at(index, role, "part 0")
        if isinstance(content, list) and content and isinstance(content[-1], dict):
            return self._at(index, role, f"part {len(content) - 1}")
        return None

    def _at(self, index: int, role: str, where: str, *, honoured: bool = True) -> Breakpoint:
        return Breakpoint(index, role, where, self.ttl, honoured)


def _is_system(wires: Sequence[Mapping[str, Any]]) -> bool:
    return bool(wires) and wires[0].get("role") == "system"


def _system_marks(
    placer: _Placer, wires: Sequence[Mapping[str, Any]], prefix: str | None
) -> list[Breakpoint]:
    """One marker on a leading system message, or two if its static start is marked separately."""
    if not _is_system(wires):
        return []
    content = wires[0].get("content")
    if placer.rules.prefix and prefix and isinstance(content, str) and content.startswith(prefix):
        parts = 2 if content[len(prefix) :].strip() else 1
        return [Breakpoint(0, "system", f"part {part}", placer.ttl) for part in range(parts)]
    mark = placer.mark(0, wires[0])
    return [mark] if mark else []


def _with_schemas(
    placer: _Placer, wires: Sequence[Mapping[str, Any]], prefix: str | None
) -> list[Breakpoint]:
    """The layout that marks the tool schemas: static prefix, last schema, two completed exchanges."""
    marks = [Breakpoint(TOOLS, "tools", "last schema", placer.ttl)]
    content = wires[0].get("content") if _is_system(wires) else None
    if prefix and isinstance(content, str) and content.startswith(prefix):
        marks.append(Breakpoint(0, "system", "part 0", placer.ttl))
    ends = [placer.mark(index, wires[index]) for index in _completed(wires)[-2:]]
    return [*marks, *(mark for mark in ends if mark)]


def _carried(wires: Sequence[Mapping[str, Any]], placed: Sequence[Breakpoint]) -> Iterator[Breakpoint]:
    """Markers already on messages that got none: until 0.19 they stay in the request."""
    marked_indexes = {mark.index for mark in placed}
    for index, wire in enumerate(wires):
        content = wire.get("content")
        parts = content if isinstance(content, list) else []
        named = (("top", wire), *((f"part {number}", part) for number, part in enumerate(parts)))
        marked_parts = [(where, part["cache_control"]) for where, part in named if _is_marked(part)]
        if marked_parts and index not in marked_indexes:
            where, marker = marked_parts[-1]
            ttl = marker.get("ttl", "5m") if isinstance(marker, Mapping) else "5m"
            yield Breakpoint(index, str(wire.get("role", "")), where, str(ttl))


def _is_marked(part: Any) -> bool:
    return isinstance(part, Mapping) and "cache_control" in part


def _stripped(wire: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message without earlier markers; parts that were only split for a marker become a string again."""
    content = wire.get("content")
    if not isinstance(content, list):
        return wire
    marked = [_is_marked(part) for part in content]
    parts = [_unmarked(part) for part in content]
    if not parts or not all(_is_plain(part) for part in parts):
        return {**wire, "content": parts}
    pair = (wire.get("role") == "system" and len(parts) == 2) or marked == [True, False]
    if len(parts) > 1 and not (pair and (wire.get("role") in ("system", "user"))):
        return {**wire, "content": parts}
    return {**wire, "content": "".join(part["text"] for part in parts)}


def _unmarked(part: Any) -> Any:
    if not isinstance(part, Mapping):
        return part
    return {key: value for key, value in part.items() if key != "cache_control"}


def _is_plain(part: Any) -> bool:
    return (
        isinstance(part, Mapping)
        and part.get("type", "text") == "text"
        and isinstance(part.get("text"), str)
        and set(part) <= {"type", "text"}
    )


def _completed(wires: Sequence[Mapping[str, Any]]) -> list[int]:
    """Indexes where exchanges end: a call round's last result, an answer, or the newest request."""
    ends: list[int] = []
    index = 0
    while index < len(wires):
        wire = wires[index]
        role = wire.get("role")
        after = _after_results(wires, index + (role != "tool"))
        if role == "assistant" and wire.get("tool_calls"):
            if after > index + 1:
                ends.append(after - 1)
            index = after
        elif role == "tool":
            index = after
        else:
            pending = (role == "user" and index + 1 < len(wires)) or (
                role == "assistant" and wire.get("content") in (None, "")
            )
            if role != "system" and not pending:
                ends.append(index)
            index += 1
    return ends


def _after_results(wires: Sequence[Mapping[str, Any]], start: int) -> int:
    while start < len(wires) and wires[start].get("role") == "tool":
        start += 1
    return start
