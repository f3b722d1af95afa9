"""What becomes of the tool results of one turn: each is limited by itself, then all by the turn's budget."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.compress.tool_results.replacement import TAG, Replacement, ResultSizes, Storage, truncated
from core.compress.tool_results.replacement import replace as replaced
from core.hermes.policy.defence_rules import ResultRules

_TOOLS = ("web_extract", "web_search")
_PREFIXES = ("browser_", "mcp_")
_NAME = "untrusted_tool_result"
_MIN_CHARS = 32
_WORDS = 263
_NOTICE = 209
_INCOMPLETE_LEAST = 1_000
_INCOMPLETE_MOST = 65_536
_INCOMPLETE = re.compile(
    r'\.\.\.\s*\d+\s+more\s+items?|"has_more"\s*:\s*true|saved to sandbox|data_preview', re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Arriving:
    """A result as its tool returns it: a text or a list of parts."""

    call: str
    tool: str
    content: Content


@dataclass(frozen=True, slots=True)
class Arrived:
    """A result as the conversation holds it.

    Attributes:
        outcome: `kept`, `persisted` (saved to a file), `truncated` (the rest is lost) or `changed`.
        layer: Why it was replaced: for its own size (`result`) or the turn's (`turn`); None if it was not.
        threshold: Characters its tool may return.
        length: Characters of the result before it is wrapped; for a list, its number of parts.
        preview: Characters of the result that are left.
        path: The file that holds all of it.
        content: What the message holds; fixed sentences of a release are dots.
        wrapped: Its message also holds the wrapper of a result from outside.
    """

    call: str
    tool: str
    outcome: str
    layer: str | None
    threshold: float
    length: int
    preview: int | None
    path: str | None
    content: Content
    wrapped: bool = False

    @property
    def message_length(self) -> int:
        """Characters of its message; for a list, its number of parts."""
        return len(self.content)


@dataclass(frozen=True, slots=True)
class ArrivedTurn:
    """All results of a turn; `before` and `after` are sums of their message lengths."""

    results: tuple[Arrived, ...]
    budget: int
    before: int
    after: int


def arrive(arriving: Sequence[Arriving], sizes: ResultSizes, place: Storage) -> ArrivedTurn:
    """Compute how the results of one turn enter the conversation."""
    results = [_alone(one, sizes, place) for one in arriving]
    before = sum(result.message_length for result in results)
    _fit_turn(results, sizes, place)
    return ArrivedTurn(tuple(results), sizes.turn, before, sum(result.message_length for result in results))


def _alone(one: Arriving, sizes: ResultSizes, place: Storage) -> Arrived:
    threshold = sizes.of(one.tool)
    made: Replacement | None = None
    if isinstance(one.content, str) and len(one.content) > threshold:
        made = replaced(one.content, one.call, sizes.rules, place)
    content = one.content if made is None else made.text
    message = message_content(one.tool, content, sizes.rules)
    return Arrived(
        call=one.call,
        tool=one.tool,
        outcome="kept" if made is None else made.outcome,
        layer=None if made is None else "result",
        threshold=threshold,
        length=len(content),
        preview=None if made is None else made.preview,
        path=None if made is None else made.path,
        content=message,
        wrapped=message != content,
    )


def _fit_turn(results: list[Arrived], sizes: ResultSizes, place: Storage) -> None:
    """Replace the largest results until the turn fits; one that quotes the tag counts as replaced."""
    weights = [_weight(result.content, sizes) for result in results]
    total = sum(weights)
    order = sorted(range(len(results)), key=lambda i: weights[i], reverse=True)
    for i in order:
        if total <= sizes.turn:
            return
        one = results[i]
        if isinstance(one.content, str) and TAG in one.content:
            continue
        results[i] = _by_turn(one, sizes, place)
        total += _weight(results[i].content, sizes) - weights[i]


def _weight(content: Content, sizes: ResultSizes) -> int:
    if isinstance(content, str) or not sizes.rules.list_text:
        return len(content)
    return sum(len(text_of(part) or "") for part in content)


def _by_turn(one: Arrived, sizes: ResultSizes, place: Storage) -> Arrived:
    if not one.content:
        return one
    if isinstance(one.content, str):
        made = replaced(one.content, one.call, sizes.rules, place)
        return _now(one, made.text, made.outcome, made)
    if sizes.rules.list_text:
        return _largest_part(one, one.content, sizes, place)
    # Releases up to 0.19 write a list as Python shows it, with images, followed by a truncation note.
    made = truncated(repr(one.content), len(one.content), sizes.rules)
    return _now(one, made.text, "changed", made)


def _largest_part(one: Arrived, parts: list[Part], sizes: ResultSizes, place: Storage) -> Arrived:
    texts = [(i, text) for i, part in enumerate(parts) if (text := text_of(part)) is not None]
    texts = [(i, text) for i, text in texts if text and TAG not in text]
    if not texts:
        return one
    at, text = max(texts, key=lambda found: len(found[1]))
    made = replaced(text, f"{one.call}_part{at}", sizes.rules, place)
    changed = [*parts[:at], {**parts[at], "text": made.text}, *parts[at + 1 :]]
    return _now(one, changed, "changed", made)


def _now(one: Arrived, content: Content, outcome: str, replacement: Replacement) -> Arrived:
    return replace(
        one,
        outcome=outcome,
        layer="turn",
        length=len(content),
        preview=replacement.preview,
        path=replacement.path,
        content=content,
    )


def threshold_words(threshold: float) -> int | str:
    """A threshold as a JSON value."""
    return "inf" if math.isinf(threshold) else int(threshold)


Part = dict[str, object]
Content = str | list[Part]


def from_outside(tool: str) -> bool:
    """Whether others than the user decide what a tool returns."""
    return tool in _TOOLS or tool.startswith(_PREFIXES)


def message_content(tool: str, content: Content, rules: ResultRules) -> Content:
    """The content of a result's message: wrapped, with a notice if its text is incomplete."""
    if rules.wraps == "never" or not from_outside(tool):
        return content
    if isinstance(content, str):
        return _wrapped(tool, _noticed(content, rules), rules)
    if rules.wraps == "once":
        return content
    parts, first = [], True
    for part in content:
        text = text_of(part)
        if text is not None:
            shown = _noticed(text, rules) if first else text
            part, first = {**part, "text": _wrapped(tool, shown, rules)}, False
        parts.append(part)
    return parts


def text_of(part: Part) -> str | None:
    """The text of a text part, else None."""
    text = part.get("text") if part.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _noticed(text: str, rules: ResultRules) -> str:
    if not rules.notices or len(text) < _INCOMPLETE_LEAST:
        return text
    return text + "\n".ljust(_NOTICE, ".") if _INCOMPLETE.search(text, 0, _INCOMPLETE_MOST) else text


def _wrapped(tool: str, text: str, rules: ResultRules) -> str:
    if len(text) < _MIN_CHARS or (rules.wraps == "once" and text.lstrip().startswith(f"<{_NAME}")):
        return text
    return f'<{_NAME} source="{tool}">\n{"." * _WORDS}\n\n{text}\n</{_NAME}>'
