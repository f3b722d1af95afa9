"""The text that replaces a long tool result in a conversation, with the same length and preview as in Hermes.

Only the tags, the sizes and the path are the release's own; its fixed sentences are filled with dots, as only
their length matters.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.hermes.policy.defence_rules import ResultRules

CHARS_PER_TOKEN = 4
MCP_PREFIX = "mcp_"
TAG = "<persisted-output>"
CLOSING_TAG = "</persisted-output>"
TRUNCATED = "[Truncated: tool response was "
PATH = "Full output saved to: "
_KIB = 1024
_ENVELOPE = {"result", "structuredContent", "_meta"}
_METADATA = "mcp-result-metadata"
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_ENDS = "._-"
_MAX_NAME_CHARS = 120
_DIGITS = 12
_NAMELESS = "tool_result"
_TEMPORARY = "/tmp"
"""A terminal's temporary folder."""
ENVIRONMENTS = ("local", "none")


@dataclass(frozen=True, slots=True)
class ResultSizes:
    """The sizes in force, in characters.

    Attributes:
        result: The longest result of a tool without its own limit.
        turn: The largest sum over one turn.
    """

    result: int
    turn: int
    rules: ResultRules

    def of(self, tool: str) -> float:
        """The longest result of one tool; infinite where it is never replaced for its own size."""
        if tool in self.rules.unlimited:
            return math.inf
        if self.rules.mcp and tool.startswith(MCP_PREFIX):
            return min(self.rules.mcp, self.result)
        return self.result


def result_sizes(rules: ResultRules, window: int | None) -> ResultSizes:
    """The sizes for a window in tokens; releases before 0.18 use the same for every window."""
    if not rules.scaled or window is None or window <= 0:
        return ResultSizes(rules.size, rules.turn, rules)
    chars = window * CHARS_PER_TOKEN
    result = max(rules.size_floor, min(int(chars * rules.size_share), rules.size))
    turn = max(rules.turn_floor, min(int(chars * rules.turn_share), rules.turn))
    return ResultSizes(result, turn, rules)


@dataclass(frozen=True, slots=True)
class Replacement:
    """The text that stays.

    Attributes:
        outcome: `persisted`, or `truncated` where nothing could be saved.
        preview: Characters of the result in it.
        path: The file named in it.
    """

    text: str
    outcome: str
    preview: int
    path: str | None


def replace(content: str, call: str, rules: ResultRules, place: Storage) -> Replacement:
    """Replace a result, however short it is."""
    saved = unwrapped(content) if rules.unwraps else content
    preview, more = preview_of(saved, rules.preview)
    if place.folder is None:
        return truncated(preview, len(content), rules)
    path = f"{place.folder}/{file_name(rules, call)}"
    text = _block(preview, more, len(saved), path, rules)
    return Replacement(text, "persisted", len(preview), path)


def truncated(preview: str, chars: int, rules: ResultRules) -> Replacement:
    """A preview and a note that the rest is lost."""
    start, end = f"\n\n{TRUNCATED}", " saved to sandbox.]"
    number = f"{chars:,} chars."
    fill = "." * (rules.note_text + len(f"{chars:,}") - len(start) - len(number) - len(end))
    return Replacement(f"{preview}{start}{number}{fill}{end}", "truncated", len(preview), None)


def preview_of(content: str, size: int) -> tuple[str, bool]:
    """The start of a text, ended at a line break if one is in its second half; and whether there is more."""
    if len(content) <= size:
        return content, False
    line = content.rfind("\n", 0, size)
    return content[: line + 1 if line > size // 2 else size], True


def unwrapped(content: str) -> str:
    """The text in the envelope of an MCP result, followed by its other members; other text unchanged."""
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        return content
    if not isinstance(payload, dict) or not set(payload) <= _ENVELOPE:
        return content
    text = payload.pop("result", None)
    if not isinstance(text, str) or not text:
        return content
    return f"{text}{_metadata(payload)}" if payload else text


def _metadata(members: Mapping[str, Any]) -> str:
    shown = json.dumps(members, ensure_ascii=False, indent=1, sort_keys=True)
    return f"\n\n<{_METADATA}>\n{shown}\n</{_METADATA}>\n"


def size_words(chars: int) -> str:
    """A size as releases write it: thousands of characters, or millions from 1,024 thousand on."""
    thousands = chars / _KIB
    return f"{thousands / _KIB:.1f} MB" if thousands >= _KIB else f"{thousands:.1f} KB"


def _block(preview: str, more: bool, chars: int, path: str, rules: ResultRules) -> str:
    values = (f"{chars:,}", size_words(chars), path, str(len(preview)))
    number, size, _, first = values
    head = f"{TAG}\n({number} characters, {size})\n{PATH}{path}\n"
    tail = f"\n\nPreview (first {first} chars):\n"
    fill = rules.block_text + sum(map(len, values)) - len(head) - len(tail) - len(f"\n{CLOSING_TAG}")
    dots = "\n..." if more else ""
    return f"{head}{'.' * fill}{tail}{preview}{dots}\n{CLOSING_TAG}"


@dataclass(frozen=True, slots=True)
class Storage:
    """The folder in which results are saved; None where none can be saved."""

    folder: str | None


def storage(rules: ResultRules, environment: str, *, home: str) -> Storage:
    """Where a release saves results.

    While the task has not used a terminal (`none`), releases that save to its temporary folder have none, and
    the rest of the result is lost.
    """
    if rules.storage == "home":
        return Storage(f"{home.rstrip('/')}/{rules.folder}")
    if environment == "none":
        return Storage(None)
    return Storage(f"{_TEMPORARY}/{rules.folder}")


def file_name(rules: ResultRules, call: str) -> str:
    """The file name for one call; before 0.18 its id unchanged, wherever that leads."""
    if not rules.safe_names:
        return f"{call}.txt"
    raw = call or _NAMELESS
    safe = _UNSAFE.sub("_", raw).strip(_ENDS)
    stem = safe or _NAMELESS
    if safe != raw or len(stem) > _MAX_NAME_CHARS:
        digest = hashlib.sha256(raw.encode()).hexdigest()[:_DIGITS]
        stem = f"{stem[:_MAX_NAME_CHARS].rstrip(_ENDS) or _NAMELESS}_{digest}"
    return f"{stem}.txt"
