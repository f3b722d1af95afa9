"""A measured conversation without its texts: enough to plan it and to measure what is added.

When a generation of 12,000 messages is followed for hours, its texts would be kept in memory for nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from core.compress.messages.kinds import calls_of, is_blank
from core.compress.planning.measure import Measured, joined
from core.compress.pruning.shrink import answer_to
from core.model.transcript.message import Message


def outlined(measured: Measured, start: int = 0) -> Measured:
    """The same numbers, with messages from `start` on that only state their role.

    The newest answer stays whole, as its thinking weighs less once there is a newer one. So does a
    conversation that loads skills, as any of its texts may name one.
    """
    if measured.columns.skills.sites:
        return measured
    newest, copies = measured.columns.newest_assistant, {*measured.duplicates}
    added = measured.messages[start:]
    lines = [one if place == newest else _outline(one) for place, one in enumerate(added, start)]
    base = [measured.base[place] if place in copies else one for place, one in enumerate(lines, start)]
    let_go = {call for call in map(answer_to, added) if call in measured.calls}
    return replace(
        measured,
        messages=(*measured.messages[:start], *lines),
        base=(*measured.base[:start], *base),
        calls={call: made for call, made in measured.calls.items() if call not in let_go},
        let_go=joined(measured.let_go, sorted(map(hash, let_go))),
        shrunk={i: measured.shrunk[i] for i in measured.columns.summaries if i in measured.shrunk},
        whole=False,
    )


def _outline(message: Message) -> Message:
    """The outline of a message; all with the same role share one object."""
    wire = message.wire
    role, calls = wire.get("role"), bool(calls_of(wire))
    blank = calls or role == "tool" or is_blank(wire.get("content"))
    return _shared_message(role if isinstance(role, str) else None, blank=blank)


@lru_cache(maxsize=32)
def _shared_message(role: str | None, *, blank: bool) -> Message:
    """The message shared by all outlines of a role."""
    return Message({"role": role, "content": "" if blank else "…"})
