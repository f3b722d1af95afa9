"""One message, as a provider would receive it and as a database row holds it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

Wire = Mapping[str, Any]
"""A message in OpenAI wire form. Key order is kept: Hermes' estimates measure the Python repr of the dict."""

IMAGE_TYPES = frozenset({"image", "image_url", "input_image"})
_STORED = re.compile(rf'(?<!\\)"type"\s*:\s*"(?:{"|".join(sorted(IMAGE_TYPES))})"')


class RowState(StrEnum):
    """What became of a stored message."""

    LIVE = "live"
    """Part of the transcript the next request will carry."""
    ARCHIVED = "archived"
    """Summarised away by an in-place compaction."""
    SUPERSEDED = "superseded"
    """Replaced by a copy of itself in a later generation (Hermes 0.22)."""
    REWOUND = "rewound"
    """Taken back by the user with /undo or /rewind."""


@dataclass(frozen=True, slots=True)
class Row:
    """Where a message is stored, and the facts only the database knows.

    Attributes:
        timestamp: Write time, UTC; not monotonic. None when the column holds no number.
        state: What became of the row.
        damage: What could not be decoded in this row, in words; empty for a sound row.
    """

    id: int
    session_id: str
    timestamp: datetime | None = None
    state: RowState = RowState.LIVE
    damage: tuple[str, ...] = ()


def json_object(text: object) -> dict[str, Any] | None:
    """A stored text, such as a tool's arguments or a column, as a JSON object; None for anything else."""
    try:
        found = json.loads(text) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call an assistant made.

    Attributes:
        id: `call_id` where present, else `id`: the value that pairs it with its result.
        arguments: The JSON text as stored; not necessarily valid JSON.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message and, if it came from a database, its row.

    `wire` is never changed; to change a text, make another Message (see `with_wire`).
    """

    wire: Wire
    row: Row | None = None

    @property
    def role(self) -> str:
        """`user`, `assistant`, `tool`, `system`, or whatever else was stored."""
        return str(self.wire.get("role", "?"))

    @property
    def content(self) -> Any:
        """The content as sent: a string, a list of parts, a dict, or None."""
        return self.wire.get("content")

    @property
    def tool_call_id(self) -> str | None:
        """The call that a tool message answers."""
        value = self.wire.get("tool_call_id")
        return None if value is None else str(value)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls of an assistant message; malformed entries are left out."""
        calls = self.wire.get("tool_calls")
        if not isinstance(calls, list | tuple):
            return ()
        return tuple(_tool_call(call) for call in calls if isinstance(call, Mapping))

    @property
    def thinking(self) -> str:
        """The reasoning that is sent back; providers may have stored the same text under two keys."""
        stored = (self.wire.get(key) for key in ("reasoning_content", "reasoning"))
        return next((text for text in stored if isinstance(text, str) and text.strip()), "")

    @property
    def text(self) -> str:
        """The readable text: the string itself, or the text parts of a list joined by newlines."""
        content = self.content
        if isinstance(content, str):
            return content
        if isinstance(content, Mapping):
            return str(content.get("text_summary") or content.get("text") or "")
        if isinstance(content, list | tuple):
            return "\n".join(part for part in map(_part_text, content) if part)
        return "" if content is None else str(content)

    def with_wire(self, **changes: Any) -> Message:
        """A copy with some wire keys replaced; key order and row stay."""
        return Message({**self.wire, **changes}, self.row)


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments", "")
    return ToolCall(
        id=str(call.get("call_id") or call.get("id") or ""),
        name=str(function.get("name") or ""),
        arguments=arguments if isinstance(arguments, str) else str(arguments),
    )


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        return str(part.get("text") or "")
    return ""


ReadMessages = Callable[[Sequence[int]], tuple[Message, ...]]
"""Reads the messages of rows, in the order given."""


def is_image(part: Any) -> bool:
    """Whether a content part is an image."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind in IMAGE_TYPES


def images_in(content: Any) -> int:
    """How many images a content holds, also that of an unconverted multimodal result."""
    if isinstance(content, dict) and content.get("_multimodal"):
        content = content.get("content")
    return sum(map(is_image, content)) if isinstance(content, list) else 0


def stored_image(start: str) -> bool:
    """Whether the beginning of a content, as stored in JSON, names an image part."""
    return _STORED.search(start) is not None
