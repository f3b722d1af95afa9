"""Hermes' own token estimates, computed from lengths without a tokenizer.

With unit `chars` (up to 0.19) Hermes counts a quarter of the characters of each message's Python repr. With
`bytes` (0.22) it counts each ideograph as one token and a quarter of all other UTF-8 bytes, rounding up every
message.

Every part is divided by four separately, so dividing the sum of all lengths gives another number.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.hermes.policy.trigger_rules import EstimateRules
from core.model.transcript.message import IMAGE_TYPES, Message, Wire, is_image

CHARS_PER_TOKEN = 4
_DENSE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
_BESIDE = frozenset({"_anthropic_content_blocks", "output"})  # keys that may hold images too
_CHANGED = _BESIDE | {"api_content", "codex_reasoning_items", "encrypted_content", "reasoning_content"}
"""Keys that may be measured as something other than their value."""
_STRIPPED = "[stripped]"


class Size(NamedTuple):
    """The size of one message in a request.

    Attributes:
        text: Characters (unit `chars`) or tokens (unit `bytes`) of its text.
        images: How many images it holds.
        bare: `text` without old thinking, which a route may leave out.
    """

    text: int
    images: int
    bare: int


def text_tokens(text: str, unit: str) -> int:
    """The tokens of one text; see `EstimateRules.unit`."""
    if unit == "chars" or text.isascii():
        return (len(text) + 3) // CHARS_PER_TOKEN
    rest = _DENSE.sub("", text)
    sparse = len(rest.encode("utf-8", "replace")) if unit == "bytes" else len(rest)
    return len(text) - len(rest) + (sparse + 3) // CHARS_PER_TOKEN


def message_size(wire: Wire, rules: EstimateRules) -> Size:
    """The size of one message as a release counts it."""
    shadow = _shadow(wire, rules)
    full = _measure(shadow, rules)
    bare = full
    if wire.get("role") == "assistant" and any(wire.get(key) for key in rules.thinking_keys):
        kept = {key: value for key, value in wire.items() if key not in rules.thinking_keys}
        bare = _measure(_shadow(kept, rules), rules)
    return Size(full, image_count(wire, rules), bare)


def total_tokens(sizes: Iterable[Size], rules: EstimateRules, *, bare: bool = False) -> int:
    """The estimate of a list of messages; `bare` leaves out all thinking: the caller adds the newest."""
    text = images = 0
    for size in sizes:
        text += size.bare if bare else size.text
        images += size.images
    return as_tokens(text, rules) + images * rules.image_tokens


def transcript_tokens(messages: Iterable[Message], rules: EstimateRules) -> int:
    """The same for messages not measured yet, without system prompt and tools."""
    return total_tokens((message_size(message.wire, rules) for message in messages), rules)


def as_tokens(text: int, rules: EstimateRules) -> int:
    """The tokens of a sum of `Size.text`; characters are divided once, for the whole list."""
    return (text + 3) // CHARS_PER_TOKEN if rules.unit == "chars" else text


def tool_tokens(tools: Sequence[Any], *, schema: bool) -> int:
    """The tokens of a request's tools; `schema` counts names, descriptions and parameters, not the repr."""
    if not schema:
        return (len(str(tools)) + 3) // CHARS_PER_TOKEN
    return (sum(_schema_length(tool) for tool in tools) + 3) // CHARS_PER_TOKEN


def _schema_length(tool: Any) -> int:
    function = tool.get("function", tool) if isinstance(tool, Mapping) else {}
    if not isinstance(function, Mapping):
        return len(str(tool))
    parameters = json.dumps(
        function.get("parameters") or {}, ensure_ascii=False, separators=(",", ":"), default=str
    )
    return (
        len(str(function.get("name") or "")) + len(str(function.get("description") or "")) + len(parameters)
    )


def image_count(wire: Wire, rules: EstimateRules) -> int:
    """How many images a message carries: in its content, beside it, or in an unconverted tool result."""
    content = wire.get("content")
    if isinstance(content, str) and _BESIDE.isdisjoint(wire):
        return 0
    count = _count_parts(content, IMAGE_TYPES) + _count_parts(
        wire.get("_anthropic_content_blocks"), {"image"}
    )
    if isinstance(content, dict) and content.get("_multimodal"):
        count += _count_parts(content.get("content"), {"image", "image_url"})
    if rules.output_images:
        count += _count_parts(wire.get("output"), IMAGE_TYPES)
    return count


def sidecar(wire: Wire) -> str | None:
    """The text sent instead of `content`, when there is one."""
    text = wire.get("api_content")
    sent = isinstance(text, str) and text and wire.get("role") in ("user", "assistant")
    return text if sent else None


def without_ciphertext(items: Any) -> Any:
    """Reasoning items with their encrypted part blanked, as its length says nothing about its price."""
    if not isinstance(items, list):
        return items
    return [_blanked(item) if isinstance(item, dict) else item for item in items]


def _blanked(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: "" if key == "encrypted_content" else value for key, value in item.items()}


def _count_parts(parts: Any, kinds: Iterable[str]) -> int:
    if not isinstance(parts, list):
        return 0
    types = (part.get("type") for part in parts if isinstance(part, dict))
    return sum(isinstance(kind, str) and kind in kinds for kind in types)


def _measure(shadow: Mapping[str, Any], rules: EstimateRules) -> int:
    text = str(shadow)
    return len(text) if rules.unit == "chars" else text_tokens(text, rules.unit)


def _shadow(wire: Wire, rules: EstimateRules) -> dict[str, Any]:
    """The part of a message that is measured: its keys in their order, without what is never sent."""
    if isinstance(wire.get("content"), str) and _CHANGED.isdisjoint(wire):
        return {key: value for key, value in wire.items() if key not in rules.dropped_keys}
    replaced = sidecar(wire) if rules.sidecar_wins else None
    thought = wire.get("reasoning_content")
    doubled = rules.reasoning_once and isinstance(thought, str) and bool(thought.strip())
    shadow: dict[str, Any] = {}
    for key, value in wire.items():
        if key in rules.dropped_keys or (key == "reasoning" and doubled):
            continue
        if rules.sidecar_wins and key == "api_content":
            if replaced is not None:
                shadow["content"] = replaced
        elif key != "content" or replaced is None:
            shadow[key] = _shadow_value(key, value, rules)
    return shadow


def _shadow_value(key: str, value: Any, rules: EstimateRules) -> Any:
    if key == "content" or (key == "output" and rules.output_images):
        if isinstance(value, list):
            return [_stripped(part) for part in value]
        if key == "content" and isinstance(value, dict) and value.get("_multimodal"):
            return value.get("text_summary", "")
    if rules.blank_ciphertext and key == "codex_reasoning_items":
        return without_ciphertext(value)
    if rules.blank_ciphertext and key == "encrypted_content":
        return ""
    return value


def _stripped(part: Any) -> Any:
    return {"type": part["type"], "image": _STRIPPED} if is_image(part) else part


def numbers(*parts: Iterable[int]) -> array[int]:
    """Whole numbers in one array of four bytes each, which is enough for any count of a message."""
    found = array("i")
    for part in parts:
        found.extend(part)
    return found


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of a list of messages; see `Size` for the columns."""

    text: array[int] = field(default_factory=numbers)
    images: array[int] = field(default_factory=numbers)
    bare: array[int] = field(default_factory=numbers)

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, place: int) -> Size:
        return Size(self.text[place], self.images[place], self.bare[place])

    def __iter__(self) -> Iterator[Size]:
        return map(Size, self.text, self.images, self.bare)

    def with_(self, added: Iterable[Size]) -> Sizes:
        """A copy with the sizes of more messages added."""
        text, images, bare = self.text[:], self.images[:], self.bare[:]
        for size in added:
            text.append(size.text)
            images.append(size.images)
            bare.append(size.bare)
        return Sizes(text, images, bare)
