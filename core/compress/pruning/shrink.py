"""What pruning makes of one message: a stub for a tool result, cut call arguments, no images."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from core.compress.messages.kinds import calls_of, function_of
from core.compress.pruning.skills import skill_named
from core.compress.pruning.stubs import stub_line
from core.compress.pruning.truncate import is_warned, warning_mark
from core.hermes.policy.cut_rules import PruneRules
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message, images_in, is_image

DUPLICATE = "[Duplicate tool output — same content as a more recent call]"
CLEARED = "[Old tool output cleared to save context space]"
SCREENSHOT = "[screenshot removed to save context]"
_ALREADY = ("[Duplicate tool output", "[screenshot removed")
_CUT = "...[truncated]"
_STUB_LONGEST = 400
_SUMMARY_KEPT = 200

Calls = Mapping[Any, tuple[str, Any]]
"""The tool's name and arguments by call id, over all assistants; a reused id means its newest call."""


def calls_by_id(messages: tuple[Message, ...]) -> Calls:
    """Every call of a conversation by its `id`, by which releases look results up."""
    found: dict[Any, tuple[str, Any]] = {}
    for message in messages:
        if message.wire.get("role") == "assistant":
            for call in calls_of(message.wire):
                function = function_of(call)
                name = str(function.get("name", "unknown"))
                found[_hashable(call.get("id") or "")] = (name, function.get("arguments", ""))
    return found


def answer_to(message: Message) -> Any:
    """The id of the call that a message is the result of; None for any other message."""
    return _hashable(message.wire.get("tool_call_id", "")) if message.wire.get("role") == "tool" else None


def shrink(message: Message, calls: Calls, policy: Policy) -> Message | None:
    """What pruning makes of a message; None when it leaves it unchanged."""
    role = message.wire.get("role")
    if role == "tool":
        changes = _shrunk_result(message, calls, policy.prune)
        return None if changes is None else _rewritten(message, changes, policy)
    if role == "assistant" and policy.prune.arguments_over:
        cut = _cut_calls(message.wire.get("tool_calls"), policy.prune)
        return None if cut is None else message.with_wire(tool_calls=cut)
    return None


def fails_on(message: Message, calls: Calls, rules: PruneRules) -> bool:
    """Whether a release raises an error when it writes the stub of a tool result."""
    content = message.wire.get("content")
    if not rules.needs_objects or rules.style != "line" or not isinstance(content, str):
        return False
    _, arguments = calls.get(answer_to(message), ("", ""))
    if not isinstance(arguments, str) or arguments.lstrip()[:1] in ("{", ""):
        return False
    try:
        return not isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def duplicate(message: Message) -> Message:
    """A reference to the newer copy, in place of an older copy of a tool result."""
    return message.with_wire(content=DUPLICATE)


def has_images(message: Message) -> bool:
    """Whether a tool result carries images, including those in an unconverted multimodal result."""
    return images_in(message.content) > 0


def skill_loaded(message: Message, calls: Calls) -> str | None:
    """The skill whose body this tool result holds."""
    name, arguments = calls.get(_hashable(message.wire.get("tool_call_id", "")), ("", ""))
    return skill_named(arguments) if name == "skill_view" else None


def _rewritten(message: Message, content: Any, policy: Policy) -> Message:
    changed = message.with_wire(content=content)
    dropped = (
        policy.prune.keep_images and not isinstance(message.content, str) and "api_content" in changed.wire
    )
    if not dropped:
        return changed
    return Message({key: value for key, value in changed.wire.items() if key != "api_content"}, changed.row)


def _shrunk_result(message: Message, calls: Calls, rules: PruneRules) -> Any:
    """The new content of a tool result; None when it stays unchanged."""
    content = message.wire.get("content", "")
    if isinstance(content, list):
        kept = [{"type": "text", "text": SCREENSHOT} if is_image(part) else part for part in content]
        return kept if any(map(is_image, content)) else None
    if isinstance(content, dict) and content.get("_multimodal"):
        summary = str(content.get("text_summary") or SCREENSHOT)
        return f"[screenshot removed] {summary[:_SUMMARY_KEPT]}"
    if not isinstance(content, str) or len(content) <= rules.over or _is_pruned(content, rules):
        return None
    if rules.style == "placeholder":
        return CLEARED
    if rules.style == "ends":
        removed = len(content) - 2 * rules.ends
        return f"{content[: rules.ends]}\n\n[... {removed} characters cut ...]\n\n{content[-rules.ends :]}"
    name, arguments = calls.get(_hashable(message.wire.get("tool_call_id", "")), ("unknown", ""))
    return stub_line(name, arguments, content, rules.stubs)


def _is_pruned(content: str, rules: PruneRules) -> bool:
    if content == CLEARED or content.startswith(_ALREADY[0]):
        return True
    if not rules.skips_stubs:
        return False
    return content.startswith(_ALREADY[1]) or is_stub(content)


def is_stub(content: str) -> bool:
    """Whether a tool result looks like a stub."""
    return content.startswith("[") and " chars)" in content and len(content) < _STUB_LONGEST


def _cut_calls(calls: Any, rules: PruneRules) -> list[Any] | None:
    if not isinstance(calls, list | tuple) or not calls:
        return None
    cut = [_cut_call(call, rules) for call in calls]
    return cut if any(new is not old for new, old in zip(cut, calls, strict=True)) else None


def _cut_call(call: Any, rules: PruneRules) -> Any:
    arguments = function_of(call).get("arguments", "") if isinstance(call, dict) else ""
    if not isinstance(arguments, str) or len(arguments) <= rules.arguments_over:
        return call
    shorter = cut_arguments(arguments, rules.arguments_keep, warns=rules.arguments_warn)
    if shorter == arguments:
        return call
    return {**call, "function": {**call["function"], "arguments": shorter}}


def cut_arguments(arguments: str, keep: int, *, warns: bool = False) -> str:
    """Shorten every long text inside a JSON value, which stays valid JSON; other arguments stay unchanged.

    With `warns` the mark of a cut includes a warning, and a text that would not get shorter stays.
    """
    try:
        parsed = json.loads(arguments)
        cut = _cut_leaves(parsed, partial(_warned if warns else _marked, keep=keep))
        shorter = json.dumps(cut, ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments
    spared = warns and (cut == parsed or len(shorter) >= len(arguments))
    return arguments if spared else shorter


def _marked(text: str, keep: int) -> str:
    return text[:keep] + _CUT if len(text) > keep else text


def _warned(text: str, keep: int) -> str:
    cut = text[:keep] + warning_mark(len(text) - keep, len(text))
    return cut if len(cut) < len(text) and not is_warned(text, keep) else text


def _cut_leaves(value: Any, cut: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, dict):
        return {key: _cut_leaves(entry, cut) for key, entry in value.items()}
    if isinstance(value, list):
        return [_cut_leaves(entry, cut) for entry in value]
    return value


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else str(value)
