"""A measured conversation without its texts: enough to plan, and to measure what is added to it.

Following a generation of 12,000 messages for hours, its texts would be held for nobody to read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from core.compress.messages.kinds import is_blank
from core.compress.planning.measure import Measured
from core.compress.pruning.shrink import answered, cut_arguments
from core.compress.sizing.estimate import calls_of, function_of
from core.model.transcript.message import Message

_SHOWN, _LONGEST = 200, 4096
"""Characters kept of each text in the arguments of a call, and of all: a line shows no more."""


def outlined(measured: Measured, start: int = 0) -> Measured:
    """The same numbers; each message says its role, its calls and which one it answers, and no more.

    The newest answer stays whole: what its thinking weighs changes once there is a newer one. So does a
    conversation that loads skills, for any text may name one.

    Args:
        measured: The conversation.
        start: The messages before it are outlined already.
    """
    if measured.columns.skills.sites:
        return measured
    newest, copies = measured.columns.newest_assistant, {*measured.duplicates}
    added = measured.messages[start:]
    lines = [one if place == newest else _outline(one) for place, one in enumerate(added, start)]
    base = [measured.base[place] if place in copies else one for place, one in enumerate(lines, start)]
    let_go = {call: (name, None) for call, (name, _) in answered(added, measured.calls)}
    return replace(
        measured,
        messages=(*measured.messages[:start], *lines),
        base=(*measured.base[:start], *base),
        calls={**measured.calls, **let_go},
        whole=False,
    )


def _outline(message: Message) -> Message:
    wire = message.wire
    role = wire.get("role")
    if calls := [_call(call) for call in calls_of(wire)]:
        return Message({"role": role, "content": "", "tool_calls": calls})
    if role == "tool":
        return Message({"role": role, "content": "", "tool_call_id": wire.get("tool_call_id")})
    return _bare(role if isinstance(role, str) else None, blank=is_blank(wire.get("content")))


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function, named = function_of(call), call.get("call_id") or call.get("id")
    return {"id": named, "function": {**function, "arguments": _cut(function.get("arguments"))}}


def _cut(arguments: object) -> object:
    """Arguments as far as a line shows them."""
    if not isinstance(arguments, str) or len(arguments) <= _SHOWN:
        return arguments
    return cut_arguments(arguments, _SHOWN)[:_LONGEST]


@lru_cache(maxsize=32)
def _bare(role: str | None, *, blank: bool) -> Message:
    """One message for all that say no more."""
    return Message({"role": role, "content": "" if blank else "…"})
