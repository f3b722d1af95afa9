"""A measured conversation without its texts: enough to plan, and to measure what is added to it.

Following a generation of 12,000 messages for hours, its texts would be held for nobody to read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from core.compress.messages.kinds import calls_of, is_blank
from core.compress.planning.measure import Measured, joined
from core.compress.pruning.shrink import answer_to
from core.model.transcript.message import Message


def outlined(measured: Measured, start: int = 0) -> Measured:
    """The same numbers; each message says its role, and no more.

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
    """All that say no more than their role share one message."""
    wire = message.wire
    role, calls = wire.get("role"), bool(calls_of(wire))
    blank = calls or role == "tool" or is_blank(wire.get("content"))
    return _bare(role if isinstance(role, str) else None, blank=blank)


@lru_cache(maxsize=32)
def _bare(role: str | None, *, blank: bool) -> Message:
    """One message for all of a role."""
    return Message({"role": role, "content": "" if blank else "…"})
