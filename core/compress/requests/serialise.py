"""What a summariser is shown of the middle: labelled records, long ones cut, credentials masked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from core.compress.pruning.truncate import elide_middle
from core.compress.requests.sample import bounded, sampled
from core.compress.sizing.estimate import function_of, is_image
from core.hermes.policy.summary_rules import SummaryRules
from core.model.transcript.message import Message
from core.redact.text import redact_text

_BODY_MOST, _BODY_HEAD, _BODY_TAIL = 6000, 4000, 1500
_ARGUMENTS_MOST, _ARGUMENTS_HEAD = 1500, 1200
_MEDIA = re.compile(r"MEDIA:\S+")
_THOUGHT = re.compile(
    r"<(think|thinking|reasoning|REASONING_SCRATCHPAD)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE
)


def serialised(turns: Sequence[Message], rules: SummaryRules, *, lean: bool = False) -> str:
    """The middle as one text.

    Args:
        turns: The messages to summarise.
        rules: Of the release: how lists, media and cuts are written, and how much fits.
        lean: Oversized input is sampled evenly rather than cut in the middle.
    """
    records = [_record(message, rules) for message in turns]
    if not rules.input_cap:
        return "\n\n".join(records)
    return sampled(records, rules.input_cap) if lean else bounded("\n\n".join(records), rules.input_cap)


def _record(message: Message, rules: SummaryRules) -> str:
    role = str(message.wire.get("role", "unknown"))
    body = _cut(_body(message, role, rules), rules)
    if role == "tool":
        return f"[TOOL RESULT {message.tool_call_id or ''}]: {body}"
    calls = message.wire.get("tool_calls") if role == "assistant" else None
    if isinstance(calls, list | tuple) and calls:
        body += "\n[Tool calls:\n" + "\n".join(map(_call, calls)) + "\n]"
    return f"[{role.upper()}]: {body}"


def _body(message: Message, role: str, rules: SummaryRules) -> str:
    content: Any = message.content
    if isinstance(content, list) and rules.list_text:
        content = "\n".join(filter(None, map(_part, content)))
    text = redact_text(str(content or ""))
    if rules.media_notes:
        text = _MEDIA.sub("[media attachment]", text)
    return _THOUGHT.sub("", text) if rules.list_text and role == "assistant" else text


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if is_image(part):
        url = _url(part)
        return f"[image: {url}]" if url.startswith(("http://", "https://")) else "[image]"
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else f"[{part.get('type', 'part')}]"


def _url(part: dict[str, Any]) -> str:
    holder = part.get("image_url", part.get("url"))
    value = holder.get("url") if isinstance(holder, dict) else holder
    return value if isinstance(value, str) else ""


def _cut(text: str, rules: SummaryRules) -> str:
    if len(text) <= _BODY_MOST:
        return text
    if rules.elision == "counted":
        return elide_middle(text, _BODY_HEAD, _BODY_TAIL)
    return f"{text[:_BODY_HEAD]}\n...[truncated]...\n{text[-_BODY_TAIL:]}"


def _call(call: Any) -> str:
    if not isinstance(call, dict):
        return "  ?(...)"
    function = function_of(call)
    arguments = function.get("arguments", "")
    # Masked before it is cut: half a key would no longer be recognised.
    text = redact_text(arguments if isinstance(arguments, str) else str(arguments))
    shown = text[:_ARGUMENTS_HEAD] + "..." if len(text) > _ARGUMENTS_MOST else text
    return f"  {function.get('name', '?')}({shown})"
