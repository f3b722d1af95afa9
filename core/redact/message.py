"""Masks the credentials of a whole message, in whichever field they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.model.transcript.message import Message
from core.redact.secret_names import Strength, is_reference, strength
from core.redact.spans import Hit, cut, mask, pattern
from core.redact.text import find, learn_texts, redact_text

_SEALED = frozenset({"encrypted_content", "signature", "thought_signature", "data"})
"""Provider blobs: ciphertext and signatures, not credentials; changing them would break the message."""
_BASE64 = pattern(r"[A-Za-z0-9+/_\s-]*={0,2}\s*")
"""What such a blob consists of; `data` may also be the text of a document."""


def redact_message(message: Message) -> Message:
    """A copy of a message without credentials, in content, calls, reasoning and every other field."""
    wire = redact_wire(message.wire)
    return message if wire == message.wire else Message(wire, message.row)


def redact_stored(text: str) -> str:
    """A stored text without credentials; JSON is also checked in decoded form."""
    return _string("", text)


def redact_wire(wire: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a wire message without credentials; key order kept."""
    return {key: _value(key, value) for key, value in wire.items()}


def _value(key: str, value: Any) -> Any:
    """Redact a value; `key` is the name it has."""
    if isinstance(value, str):
        return _string(key, value)
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        items = _joined(list(value))
        return [_value(key if isinstance(item, str) else "", item) for item in items]
    return value


def _mapping(value: Mapping[str, Any]) -> dict[str, Any]:
    """Redact a mapping; in `{"name": "DB_PASSWORD", "value": ...}` the name applies to the value."""
    label = value.get("name") or value.get("key") or value.get("header")
    name = label if isinstance(label, str) and strength(label) is Strength.STRONG else "value"
    return {
        key: _value(name if str(key).lower() == "value" else str(key), item) for key, item in value.items()
    }


def _string(key: str, value: str) -> str:
    if _is_sealed(key, value):
        return value
    if strength(key) is Strength.STRONG and len(value) >= 3 and not is_reference(value):
        return mask("secret-value")
    text = redact_text(value)
    return _inside_json(text) if text[:1] in '{["' and text[-1:] in '}]"' else text


def _is_sealed(key: str, value: Any) -> bool:
    return key in _SEALED and isinstance(value, str) and _BASE64.fullmatch(value) is not None


def _inside_json(text: str) -> str:
    r"""Redact what only shows in decoded JSON: `\u` escapes, and names separate from their values."""
    try:
        decoded = json.loads(text)
        clean = _value("", decoded)
        return text if clean == decoded else json.dumps(clean, ensure_ascii=False)
    except (ValueError, RecursionError):  # Python 3.12 and later decode deeper than this can walk
        return text


def _joined(items: list[Any]) -> list[Any]:
    """Redact credentials that run from the end of one text part into the next."""
    texts = [_part_text(item) for item in items]
    if sum(text is not None for text in texts) < 2:
        return items
    text_of_all = "".join(text or "" for text in texts)
    hits = find(text_of_all)
    if not hits:
        return items
    result, at = [], 0
    for item, text in zip(items, texts, strict=True):
        length = len(text or "")
        result.append(item if text is None else _with_text(item, _clip(text, at, hits)))
        at += length
    return result


def _clip(text: str, at: int, hits: list[Hit]) -> str:
    """The part `text`, at offset `at` of the whole, with the hits or their pieces in it masked."""
    inside = (Hit(max(hit.start - at, 0), min(hit.end - at, len(text)), hit.kind) for hit in hits)
    return cut(text, [hit for hit in inside if hit.start < hit.end])


def _part_text(item: Any) -> str | None:
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping) and isinstance(item.get("text"), str):
        return str(item["text"])
    return None


def _with_text(item: Any, text: str) -> Any:
    return text if isinstance(item, str) else {**item, "text": text}


def learn(messages: Iterable[Message]) -> None:
    """Find the credentials of a conversation, so that all are masked wherever they occur.

    One pass over all messages that may be shown, in less than half the time of masking.
    """
    learn_texts(text for message in messages for text in _texts(message.wire))


def _texts(value: Any) -> Iterator[str]:
    """Every text of a message that may be shown; a list's text parts together, as one may continue."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            if not _is_sealed(key, one):
                yield from _texts(one)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        parts = [text for text in map(_part_text, value) if text is not None]
        if len(parts) > 1:
            yield "".join(parts)
        for one in value:
            yield from _texts(one)
