"""Reading a conversation for its credentials before anything of it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.model.transcript.message import Message
from core.redact.bulk_scan import holding
from core.redact.known_values import KNOWN
from core.redact.text import find


def learn(messages: Iterable[Message]) -> None:
    """Find the credentials of a conversation, so that all of them are masked wherever one of them stands.

    Args:
        messages: All that may be shown of it; read in one pass that takes a fifth of masking them.
    """
    texts = list(dict.fromkeys(text for message in messages for text in _texts(message) if text))
    encoded = [text.encode("utf-8", "replace") for text in texts]
    for place in sorted(holding(encoded)):
        text = texts[place]
        KNOWN.learn([(text[hit.start : hit.end], hit.kind) for hit in find(text)])


def _texts(message: Message) -> Iterator[str]:
    yield message.text
    for call in message.tool_calls:
        yield call.arguments
    for key in ("reasoning", "reasoning_content"):
        value = message.wire.get(key)
        if isinstance(value, str):
            yield value
