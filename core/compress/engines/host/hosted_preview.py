"""The result of another engine as a preview: which messages stay, and what replaces the others."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from core.compress.assembly.feedback import Outcome, feedback
from core.compress.engines.host.found_engine import BUILT_IN
from core.compress.engines.host.hosted import Compacted
from core.compress.planning.measure import Measured
from core.compress.retention.score import retention_of
from core.compress.sizing.estimate import transcript_tokens
from core.model.compaction.plan import Plan, Span
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message


def hosted_preview(
    measured: Measured, plan: Plan, found: Compacted, focus: str | None, summariser: str
) -> Preview:
    """The result of an engine on a conversation, with the sizes of our plan but the engine's cut.

    `summariser` answered its calls to a model; `summary` is every text it wrote or rewrote, in order.
    """
    before = measured.messages
    after = tuple(Message(wire) for wire in found.messages)
    kept = _kept(before, after)
    after = tuple(_with_row(message, before, old) for message, old in zip(after, kept, strict=True))
    new = [index for index, old in enumerate(kept) if old is None]
    cut, kept_after = replaced(before, after)
    changed = bool(new) or len(after) != len(before)
    written = "\n\n".join(_written(after, kept))
    after_tokens = transcript_tokens(after, measured.policy.estimate)
    outcome = Outcome(
        len(before), len(after), measured.estimated_tokens, after_tokens, noop=not changed, dropped=cut.size
    )
    return Preview(
        plan=_planned(plan, cut, found, len(before)),
        before=before,
        after=after,
        summariser=summariser,
        focus=focus,
        summary=written if changed else None,
        summary_index=new[0] if new else None,
        before_tokens=measured.estimated_tokens,
        after_tokens=after_tokens,
        feedback=feedback(outcome, measured.policy.feedback),
        retention=retention_of(before, cut, kept_after, focus=focus) if changed else None,
        notes=tuple(f"its list is broken: {problem}" for problem in found.problems),
    )


def replaced(before: Sequence[Message], after: Sequence[Message]) -> tuple[Span, str]:
    """The span of the messages that are gone, and what a reader of the new list finds in their place.

    The messages in between that stay are part of both.
    """
    kept = _kept(before, after)
    cut = _cut(len(before), kept)
    spared = {old for old in kept if old is not None}
    spared_texts = [before[index].text for index in range(cut.start, cut.end) if index in spared]
    return cut, "\n\n".join((*_written(after, kept), *spared_texts))


def kept_rows(before: Sequence[Message], after: Sequence[Message]) -> tuple[int, ...]:
    """Indices of the messages that stay unchanged."""
    return tuple(index for index in _kept(before, after) if index is not None)


def _written(after: Sequence[Message], kept: Sequence[int | None]) -> list[str]:
    """The texts that were not there before."""
    texts = (message.text.strip() for message, old in zip(after, kept, strict=True) if old is None)
    return [text for text in texts if text]


def _kept(before: Sequence[Message], after: Sequence[Message]) -> list[int | None]:
    """For each new message the index of the old one it equals, in order; None for none."""
    places: dict[str, list[int]] = defaultdict(list)
    for index, message in enumerate(before):
        places[_key(message)].append(index)
    found: list[int | None] = []
    reached = 0
    for index, message in enumerate(after):
        same = places.get(_key(message), [])
        at = bisect_left(same, reached)
        old = same[at] if at < len(same) else None
        if index == 0 and old is None and before and _is_noted(before[0], message):
            old = 0
        found.append(old)
        reached = reached if old is None else old + 1
    return found


def _with_row(message: Message, before: Sequence[Message], old: int | None) -> Message:
    """A message as the engine returned it, with the row of the old message it equals."""
    return message if old is None else replace(message, row=before[old].row)


def _is_noted(old: Message, new: Message) -> bool:
    """Whether it is the system message with a note appended, as engines do."""
    return old.role == new.role == "system" and new.text.startswith(old.text)


def _key(message: Message) -> str:
    """What a provider sees of a message, as a key; fields that only a host reads are left out."""
    calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
    parts = (message.role, message.content, calls, message.wire.get("tool_call_id"))
    return json.dumps(parts, sort_keys=True, default=str)


def _cut(size: int, kept: Sequence[int | None]) -> Span:
    """The span from the first to the last message that is gone."""
    stays = set(kept)
    removed = [index for index in range(size) if index not in stays]
    return Span(removed[0], removed[-1] + 1) if removed else Span(size, size)


def _planned(plan: Plan, cut: Span, found: Compacted, size: int) -> Plan:
    """Our plan with the engine's own cut and threshold."""
    threshold, window, name = found.threshold, plan.settings.window, found.engine.name
    return replace(
        plan,
        threshold_tokens=threshold,
        threshold_percent=threshold / window if threshold and window else None,
        tail_budget=None,
        soft_ceiling=None,
        summary_cap=None,
        summary_budget=None,
        pruned=0,
        pruned_at=(),
        head=Span(0, cut.start),
        middle=cut,
        tail=Span(cut.end, size),
        would_fire=found.would_fire,
        blocked_by=(),
        engine="" if name == BUILT_IN else name,
        arithmetic=(f"the engine {name!r} says where it fires and what it keeps",),
    )
