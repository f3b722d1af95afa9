"""Messages on their way into a new list, each knowing where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.model.transcript.message import Message


@dataclass(frozen=True, slots=True)
class Row:
    """One message of the new list.

    Attributes:
        origin: Its position in the list given; None for a row that was not there.
    """

    message: Message
    origin: int | None = None

    @property
    def role(self) -> Any:
        """The role as stored."""
        return self.message.wire.get("role")

    @property
    def content(self) -> Any:
        """The content as stored."""
        return self.message.wire.get("content")

    def rewritten(self, content: Any, *, drop_sidecar: bool = False, **changes: Any) -> Row:
        """The row with another content; its stale `api_content` can go with the old one."""
        changed = self.message.with_wire(content=content, **changes)
        return replace(self, message=without_keys(changed, ("api_content",)) if drop_sidecar else changed)


def without_keys(message: Message, keys: Sequence[str]) -> Message:
    """A message without some of its keys; itself when it has none of them."""
    if not any(key in message.wire for key in keys):
        return message
    return Message({key: value for key, value in message.wire.items() if key not in keys}, message.row)


def appended(content: Any, text: str) -> Any:
    """A content with text behind it, whatever its type."""
    if content is None:
        return text
    if isinstance(content, list):
        return [*content, {"type": "text", "text": text}]
    return f"{content}{text}"


def prepended(content: Any, text: str) -> Any:
    """A content with text in front of it, whatever its type."""
    if content is None:
        return text
    if isinstance(content, list):
        return [{"type": "text", "text": text}, *content]
    return f"{text}{content}"
